import type { Message } from '../../contract/index.js';

type JsonFields = Readonly<Record<string, unknown>>;

interface WidgetSubmessage {
  readonly senderId: number;
  readonly data: JsonFields;
}

export interface PollOption {
  readonly key: string;
  readonly text: string;
  readonly voters: readonly number[];
}

export interface TodoTask {
  readonly key: string;
  readonly text: string;
  readonly detail: string;
  readonly done: boolean;
}

export type WidgetState =
  | { readonly type: 'poll'; readonly question: string; readonly options: readonly PollOption[] }
  | { readonly type: 'todo'; readonly title: string; readonly tasks: readonly TodoTask[] }
  | { readonly type: 'choices'; readonly heading: string; readonly choices: readonly FormChoice[] };

interface FormChoice {
  readonly buttonLabel: string;
  readonly description: string;
  readonly replyText: string;
}

const isJsonFields = (value: unknown): value is JsonFields => typeof value === 'object' && value !== null;

function parseJsonFields(text: unknown): JsonFields {
  try {
    const value: unknown = JSON.parse(String(text));
    return isJsonFields(value) ? value : {};
  } catch {
    return {};
  }
}

const toTextOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '');
/** A number or name that is a part of a key. Conversion of a parsed object to a text may throw. */
const toKeyPart = (value: unknown): string => (typeof value === 'object' ? '' : String(value));
const toListOrEmpty = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function buildPollState(extra: JsonFields, added: readonly WidgetSubmessage[]): WidgetState {
  let question = toTextOrEmpty(extra.question);
  const options = new Map<string, { key: string; text: string; voters: Set<number> }>();
  const add = (key: string, text: string) => {
    const known = [...options.values()].some((option) => option.text === text);
    if (text && !known) options.set(key, { key, text, voters: new Set() });
  };
  for (const [index, text] of toListOrEmpty(extra.options).entries()) add(`canned,${index}`, toTextOrEmpty(text));
  for (const { senderId, data } of added) {
    if (data.type === 'question') question = toTextOrEmpty(data.question);
    else if (data.type === 'new_option') add(`${senderId},${toKeyPart(data.idx)}`, toTextOrEmpty(data.option));
    else if (data.type === 'vote') {
      const voters = options.get(toTextOrEmpty(data.key))?.voters;
      if (data.vote === 1) voters?.add(senderId);
      else voters?.delete(senderId);
    }
  }
  return {
    type: 'poll',
    question,
    options: [...options.values()].map(({ key, text, voters }) => ({ key, text, voters: [...voters] })),
  };
}

function buildTodoState(extra: JsonFields, added: readonly WidgetSubmessage[]): WidgetState {
  let title = toTextOrEmpty(extra.task_list_title);
  const tasks = new Map<string, TodoTask>();
  for (const [index, of] of toListOrEmpty(extra.tasks).filter(isJsonFields).entries()) {
    const key = `${index},canned`;
    tasks.set(key, { key, text: toTextOrEmpty(of.task), detail: toTextOrEmpty(of.desc), done: false });
  }
  for (const { senderId, data } of added) {
    if (data.type === 'new_task') {
      const key = `${toKeyPart(data.key)},${senderId}`;
      tasks.set(key, {
        key,
        text: toTextOrEmpty(data.task),
        detail: toTextOrEmpty(data.desc),
        done: data.completed === true,
      });
    } else if (data.type === 'new_task_list_title') title = toTextOrEmpty(data.title);
    else if (data.type === 'strike') {
      const task = tasks.get(toTextOrEmpty(data.key));
      if (task) tasks.set(task.key, { ...task, done: !task.done });
    }
  }
  return { type: 'todo', title, tasks: [...tasks.values()] };
}

/** The state of a message's widget: its first submessage, and what people added since. */
export function buildWidgetState(message: Message): WidgetState | undefined {
  const all = message.submessages.filter(isJsonFields).sort((a, b) => Number(a.id) - Number(b.id));
  const [first, ...others] = all.map(
    (of): WidgetSubmessage => ({ senderId: Number(of.sender_id), data: parseJsonFields(of.content) }),
  );
  if (!first) return undefined;
  const extra = isJsonFields(first.data.extra_data) ? first.data.extra_data : {};
  if (first.data.widget_type === 'poll') return buildPollState(extra, others);
  if (first.data.widget_type === 'todo') return buildTodoState(extra, others);
  if (first.data.widget_type !== 'zform') return undefined;
  const choices = toListOrEmpty(extra.choices).filter(isJsonFields);
  return {
    type: 'choices',
    heading: toTextOrEmpty(extra.heading),
    choices: choices.map((of) => ({
      buttonLabel: toTextOrEmpty(of.short_name),
      description: toTextOrEmpty(of.long_name),
      replyText: toTextOrEmpty(of.reply),
    })),
  };
}
