/** Polls, to-do lists and forms, from the submessages of a message. Submessages are texts that any client may write. */
import t from 'tap';
import type { Message } from '../../../web/src/contract/index.js';
import { buildWidgetState } from '../../../web/src/messages/later/submessages.js';

/** A message with submessages, each by a sender; a text that is not JSON stays as it is. */
const message = (...added: readonly (readonly [sender: number, content: unknown])[]): Message =>
  ({
    submessages: added.map(([sender_id, content], n) => ({
      ...{ id: n + 1, message_id: 1, sender_id, msg_type: 'widget' },
      content: typeof content === 'string' ? content : JSON.stringify(content),
    })),
  }) as Partial<Message> as Message;

const POLL = { widget_type: 'poll', extra_data: { question: 'Lunch?', options: ['Pizza', 'Salad'] } };
const TODO = { widget_type: 'todo', extra_data: {} };
const vote = (key: string, n: number) => ({ type: 'vote', key, vote: n });

t.test('a poll has its question, its options and who voted', async (t) => {
  t.strictSame(buildWidgetState(message([1, POLL])), {
    type: 'poll',
    question: 'Lunch?',
    options: [
      { key: 'canned,0', text: 'Pizza', voters: [] },
      { key: 'canned,1', text: 'Salad', voters: [] },
    ],
  });
  const voted = buildWidgetState(
    message(
      [1, POLL],
      [2, vote('canned,0', 1)],
      [3, vote('canned,0', 1)],
      [2, vote('canned,0', 1)],
      [3, vote('canned,0', -1)],
      [3, { type: 'new_option', idx: 1, option: 'Soup' }],
      [2, vote('3,1', 1)],
      [1, { type: 'question', question: 'Dinner?' }],
    ),
  );
  t.match(voted, {
    question: 'Dinner?',
    options: [
      { key: 'canned,0', voters: [2] },
      { key: 'canned,1', voters: [] },
      { key: '3,1', text: 'Soup', voters: [2] },
    ],
  });
});

t.test('an option that is there already, or is empty, is not added', async (t) => {
  const state = buildWidgetState(
    message(
      [1, POLL],
      [2, { type: 'new_option', idx: 1, option: 'Pizza' }],
      [2, { type: 'new_option', idx: 2, option: '' }],
    ),
  );
  t.equal(state?.type === 'poll' && state.options.length, 2);
});

t.test('tasks are added, done and undone by anybody', async (t) => {
  const task = (key: number, text: string, desc = '') => ({
    type: 'new_task',
    key,
    task: text,
    desc,
    completed: false,
  });
  const state = buildWidgetState(
    message(
      [1, TODO],
      [2, task(1, 'write', 'at length')],
      [3, task(1, 'read')],
      [1, { type: 'strike', key: '1,2' }],
      [1, { type: 'strike', key: '1,3' }],
      [2, { type: 'strike', key: '1,3' }],
      [2, { type: 'strike', key: 'none' }],
    ),
  );
  t.strictSame(state, {
    type: 'todo',
    title: '',
    tasks: [
      { key: '1,2', text: 'write', detail: 'at length', done: true },
      { key: '1,3', text: 'read', detail: '', done: false },
    ],
  });
});

t.test('a to-do list begins with the title and the tasks of its message', async (t) => {
  const extra_data = { task_list_title: 'Errands', tasks: [{ task: 'bread', desc: 'two' }, null, { task: 'milk' }] };
  const first = { widget_type: 'todo', extra_data };
  const added = [1, { type: 'strike', key: '0,canned' }] as const;
  t.strictSame(buildWidgetState(message([1, first], added)), {
    type: 'todo',
    title: 'Errands',
    tasks: [
      { key: '0,canned', text: 'bread', detail: 'two', done: true },
      { key: '1,canned', text: 'milk', detail: '', done: false },
    ],
  });
  t.match(buildWidgetState(message([1, first], [1, { type: 'new_task_list_title', title: 'Tasks' }])), {
    title: 'Tasks',
  });
});

t.test('submessages count in the order of their ids', async (t) => {
  const { submessages } = message([1, POLL], [2, vote('canned,0', 1)], [2, vote('canned,0', -1)]);
  const turned = { submessages: [...submessages].reverse() } as Partial<Message> as Message;
  t.match(buildWidgetState(turned), { type: 'poll', options: [{ voters: [] }, { voters: [] }] });
});

t.test('a form has choices', async (t) => {
  const choice = { short_name: 'A', long_name: 'the first', reply: 'I take A' };
  const extra_data = { type: 'choices', heading: 'Choose', choices: [choice, null, 'x'] };
  t.strictSame(buildWidgetState(message([1, { widget_type: 'zform', extra_data }])), {
    type: 'choices',
    heading: 'Choose',
    choices: [{ buttonLabel: 'A', description: 'the first', replyText: 'I take A' }],
  });
});

t.test('a number of an option or a task that is an object breaks nothing', async (t) => {
  const number = { toString: 1, valueOf: 1 };
  const option = { type: 'new_option', idx: number, option: 'Soup' };
  t.match(buildWidgetState(message([1, POLL], [2, option])), { options: [{}, {}, { text: 'Soup' }] });
  const task = { type: 'new_task', key: number, task: 'write', desc: '', completed: false };
  t.match(buildWidgetState(message([1, TODO], [2, task])), { tasks: [{ text: 'write' }] });
});

t.test('broken submessages break nothing', async (t) => {
  t.equal(buildWidgetState(message()), undefined);
  for (const content of ['', 'null', '[]', '{', '"poll"', { widget_type: 'unknown' }]) {
    t.equal(buildWidgetState(message([1, content])), undefined, JSON.stringify(content));
  }
  t.strictSame(buildWidgetState(message([1, { widget_type: 'poll', extra_data: null }])), {
    ...{ type: 'poll', question: '', options: [] },
  });
  const odd = { widget_type: 'poll', extra_data: { question: 7, options: { 0: 'x' } } };
  t.match(
    buildWidgetState(message([1, odd], [2, 'nonsense'], [2, vote('__proto__', 1)], [2, { type: 'vote', key: {} }])),
    {
      question: '',
      options: [],
    },
  );
});
