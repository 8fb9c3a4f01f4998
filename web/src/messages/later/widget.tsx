import { useState } from 'preact/hooks';
import { core } from '../../client/index.js';
import type { Message } from '../../contract/index.js';
import { getMessageConversation } from '../../core/index.js';
import { awaitOrToastError } from '../../failures/index.js';
import { Button, IconButton, keepOverReloads, TextField, takeKept } from '../../kit/index.js';
import { formatNameList, t } from '../../text/index.js';
import { MessageContent } from '../content/index.js';
import { makeWidgetMarks } from './marks.js';
import { buildWidgetState, type PollOption, type TodoTask } from './submessages.js';

/**
 * Keys of the options and tasks that this tab adds. They begin with the time, so that tabs of one person don't use the
 * same ones.
 */
let lastAddedNumber = Math.floor(Date.now() / 1000) % 1_000_000;

const sendSubmessage = (message_id: number, data: Readonly<Record<string, unknown>>): Promise<unknown> =>
  core.api.post('/submessage', { message_id, msg_type: 'widget', content: JSON.stringify(data) });

/** Votes and check marks of this tab that the server has not confirmed. */
const marks = makeWidgetMarks(
  (id) => core.windows.messageStore.getSignal(id)?.value,
  () => core.state.me.id,
  sendSubmessage,
  () => core.platform,
);

/** Key in the session storage of the texts of entries that were not added at a reload. */
const KEPT_ENTRIES_STORE_KEY = 'entries';

/**
 * Texts of entries that are not added, by account and message: a form may go with its row, its view or, at a reload,
 * with its page.
 */
const entryTextByMessage = new Map<string, string>();

const makeEntryKey = (messageId: number | ''): string => `${core.state.me.id} ${messageId}`;

keepOverReloads(KEPT_ENTRIES_STORE_KEY, () => {
  const texts = [...entryTextByMessage].filter(([key, text]) => key.startsWith(makeEntryKey('')) && text !== '');
  return texts.length === 0 ? undefined : { user: core.state.me.id, texts };
});

function findEntryText(key: string): string {
  const kept = takeKept<{ user: number; texts: [key: string, text: string][] }>(
    KEPT_ENTRIES_STORE_KEY,
    core.state.me.id,
  );
  for (const [of, text] of kept?.texts ?? []) entryTextByMessage.set(of, text);
  return entryTextByMessage.get(key) ?? '';
}

interface AddEntryFormProps {
  readonly message: Message;
  readonly label: string;
  readonly onAdd: (text: string) => Promise<unknown>;
}

function AddEntryForm({ message, label, onAdd }: AddEntryFormProps) {
  const key = makeEntryKey(message.id);
  const [text, setText] = useState(() => findEntryText(key));
  const change = (value: string) => {
    entryTextByMessage.set(key, value);
    setText(value);
  };
  const [busy, setBusy] = useState(false);
  const add = async () => {
    if (busy || !text.trim()) return;
    setBusy(true);
    const isAdded = await awaitOrToastError(onAdd(text.trim()));
    // A text that the user typed in the meantime is the next entry.
    if (isAdded && entryTextByMessage.get(key) === text) change('');
    setBusy(false);
  };
  return (
    <form
      class="widget-add"
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <TextField label={label} value={text} onInput={change} />
      <IconButton icon="plus" label={label} onClick={() => void add()} />
    </form>
  );
}

function PollOptionRow({
  message,
  option,
  most,
}: {
  readonly message: Message;
  readonly option: PollOption;
  readonly most: number;
}) {
  const { me, people } = core.state;
  const entry = { message: message.id, key: option.key };
  const mine = marks.votes.shown(entry);
  const others = option.voters.filter((id) => id !== me.id);
  const voters = mine ? [...others, me.id] : others;
  const n = voters.length;
  return (
    <li class="poll-option">
      <button
        type="button"
        class="poll-vote"
        aria-pressed={mine}
        aria-label={t('message.poll-vote', { option: option.text, n })}
        disabled={me.id === 0}
        onClick={() => void awaitOrToastError(marks.votes.press(entry, !mine))}
      >
        {n}
      </button>
      <div class="poll-text">
        <span dir="auto">{option.text}</span>
        <span class="poll-bar" style={{ '--share': String(n / Math.max(most, n, 1)) }} />
        {n > 0 && <span class="poll-voters">{formatNameList(voters.map((id) => people.getFullName(id)))}</span>}
      </div>
    </li>
  );
}

function TodoTaskRow({ message, task }: { readonly message: Message; readonly task: TodoTask }) {
  const entry = { message: message.id, key: task.key };
  const done = marks.tasks.shown(entry);
  return (
    <li>
      <label class="todo-task">
        <input
          type="checkbox"
          checked={done}
          disabled={core.state.me.id === 0}
          onChange={() => void awaitOrToastError(marks.tasks.press(entry, !done))}
        />
        <span class={done ? 'done' : ''} dir="auto">
          {task.text}
          {task.detail && <span class="field-hint">{task.detail}</span>}
        </span>
      </label>
    </li>
  );
}

/**
 * Poll, to-do list or form. Votes and check marks show at the press, added options and tasks when their events arrive.
 */
export function Widget({ message }: { readonly message: Message }) {
  const state = buildWidgetState(message);
  if (!state) return <MessageContent html={message.content} />;
  const visitor = core.state.me.id === 0;
  if (state.type === 'poll') {
    const most = Math.max(0, ...state.options.map(({ voters }) => voters.length));
    return (
      <div class="widget">
        <p class="widget-title" dir="auto">
          {state.question || t('message.poll')}
        </p>
        <ul>
          {state.options.map((option) => (
            <PollOptionRow key={option.key} message={message} option={option} most={most} />
          ))}
        </ul>
        {!visitor && (
          <AddEntryForm
            message={message}
            label={t('message.poll-add')}
            onAdd={(option) => sendSubmessage(message.id, { type: 'new_option', option, idx: ++lastAddedNumber })}
          />
        )}
      </div>
    );
  }
  if (state.type === 'todo') {
    return (
      <div class="widget">
        <p class="widget-title" dir="auto">
          {state.title || t('message.todo')}
        </p>
        <ul>
          {state.tasks.map((task) => (
            <TodoTaskRow key={task.key} message={message} task={task} />
          ))}
        </ul>
        {!visitor && (
          <AddEntryForm
            message={message}
            label={t('message.todo-add')}
            onAdd={(task) =>
              sendSubmessage(message.id, {
                type: 'new_task',
                key: ++lastAddedNumber,
                task,
                desc: '',
                completed: false,
              })
            }
          />
        )}
      </div>
    );
  }
  return (
    <div class="widget">
      <p class="widget-title" dir="auto">
        {state.heading}
      </p>
      {state.choices.map(({ buttonLabel, description, replyText }) => (
        <p key={buttonLabel} class="form-choice">
          <Button onClick={() => core.outbox.sendMessage(getMessageConversation(message, core.state.me.id), replyText)}>
            {buttonLabel}
          </Button>{' '}
          {description}
        </p>
      ))}
    </div>
  );
}
