import type { Message } from '../../contract/index.js';

type Fields = Readonly<Record<string, unknown>>;

interface Added {
  readonly sender: number;
  readonly data: Fields;
}

export interface PollOption {
  readonly key: string;
  readonly text: string;
  readonly voters: readonly number[];
}

export interface Task {
  readonly key: string;
  readonly text: string;
  readonly detail: string;
  readonly done: boolean;
}

export type WidgetState =
  | { readonly type: 'poll'; readonly question: string; readonly options: readonly PollOption[] }
  | { readonly type: 'todo'; readonly tasks: readonly Task[] }
  | { readonly type: 'choices'; readonly heading: string; readonly choices: readonly Choice[] };

interface Choice {
  readonly name: string;
  readonly text: string;
  readonly reply: string;
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

function parsed(text: unknown): Fields {
  try {
    const value: unknown = JSON.parse(String(text));
    return isFields(value) ? value : {};
  } catch {
    return {};
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function pollOf(extra: Fields, added: readonly Added[]): WidgetState {
  let question = textOf(extra.question);
  const options = new Map<string, { key: string; text: string; voters: Set<number> }>();
  const add = (key: string, text: string) => {
    const known = [...options.values()].some((option) => option.text === text);
    if (text && !known) options.set(key, { key, text, voters: new Set() });
  };
  for (const [index, text] of listOf(extra.options).entries()) add(`canned,${index}`, textOf(text));
  for (const { sender, data } of added) {
    if (data.type === 'question') question = textOf(data.question);
    else if (data.type === 'new_option') add(`${sender},${String(data.idx)}`, textOf(data.option));
    else if (data.type === 'vote') {
      const voters = options.get(textOf(data.key))?.voters;
      if (data.vote === 1) voters?.add(sender);
      else voters?.delete(sender);
    }
  }
  return {
    type: 'poll',
    question,
    options: [...options.values()].map(({ key, text, voters }) => ({ key, text, voters: [...voters] })),
  };
}

function todoOf(added: readonly Added[]): WidgetState {
  const tasks = new Map<string, Task>();
  for (const { sender, data } of added) {
    if (data.type === 'new_task') {
      const key = `${String(data.key)},${sender}`;
      tasks.set(key, { key, text: textOf(data.task), detail: textOf(data.desc), done: data.completed === true });
    } else if (data.type === 'strike') {
      const task = tasks.get(textOf(data.key));
      if (task) tasks.set(task.key, { ...task, done: !task.done });
    }
  }
  return { type: 'todo', tasks: [...tasks.values()] };
}

/** The state of a message's widget: its first submessage, and what people added since. */
export function widgetOf(message: Message): WidgetState | undefined {
  const all = message.submessages.filter(isFields).sort((a, b) => Number(a.id) - Number(b.id));
  const [first, ...others] = all.map((of): Added => ({ sender: Number(of.sender_id), data: parsed(of.content) }));
  if (!first) return undefined;
  const extra = isFields(first.data.extra_data) ? first.data.extra_data : {};
  if (first.data.widget_type === 'poll') return pollOf(extra, others);
  if (first.data.widget_type === 'todo') return todoOf(others);
  if (first.data.widget_type !== 'zform') return undefined;
  const choices = listOf(extra.choices).filter(isFields);
  return {
    type: 'choices',
    heading: textOf(extra.heading),
    choices: choices.map((of) => ({
      name: textOf(of.short_name),
      text: textOf(of.long_name),
      reply: textOf(of.reply),
    })),
  };
}
