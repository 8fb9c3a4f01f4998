import fc from 'fast-check';
import t from 'tap';
import {
  makeCheckedNextSubmessage,
  makeWidgetSubmessageIfAny,
  parseAndCheckZformWidget,
  type StoredMessage,
} from '#domain/messages';
import { ApiError } from '#model/errors';
import { ANY_CODE_POINT } from '../../support/any-text.js';

const refusedOr = (action: () => boolean): boolean => {
  try {
    return action();
  } catch (error) {
    return error instanceof ApiError && error.status === 400;
  }
};
const free = fc.oneof(fc.string({ unit: ANY_CODE_POINT }), fc.json(), fc.json({ maxDepth: 8 }));

const sent = (content: string): StoredMessage =>
  ({ sender: 9, body: { submessages: [makeWidgetSubmessageIfAny(content, null, 9)] } }) as unknown as StoredMessage;

t.test('a command with any text after it makes a widget with JSON data', async () => {
  fc.assert(
    fc.property(fc.constantFrom('/poll', '/todo'), fc.string({ unit: ANY_CODE_POINT }), (command, rest) => {
      const made = makeWidgetSubmessageIfAny(`${command} ${rest}`, null, 9)!;
      const { widget_type, extra_data } = JSON.parse(made.content) as { widget_type: string; extra_data: unknown };
      // Only a list without a title and tasks has no data.
      return command === `/${widget_type}` && (extra_data !== null || widget_type === 'todo');
    }),
  );
});

t.test('any widget_content is a form or is refused', async () => {
  fc.assert(fc.property(free, (widget) => refusedOr(() => parseAndCheckZformWidget(widget).widget_type === 'zform')));
});

t.test('any submessage of a poll or a list is stored unchanged or refused', async () => {
  const poll = sent('/poll What?');
  const todo = sent('/todo');
  fc.assert(
    fc.property(fc.constantFrom(poll, todo), fc.integer({ min: 8, max: 9 }), free, (message, sender, content) =>
      refusedOr(() => {
        const added = makeCheckedNextSubmessage(message, { sender, type: 'widget', content });
        return added.content === content && added.id === 2;
      }),
    ),
  );
});

/** Adds submessages to a message of user 9, which has none yet. */
function adderOf(): (content: string, sender?: number) => void {
  let message = { sender: 9, body: { submessages: [] } } as unknown as StoredMessage;
  return (content, sender = 9) => {
    const { submessages = [] } = message.body;
    const added = makeCheckedNextSubmessage(message, { sender, type: 'other', content });
    message = { ...message, body: { ...message.body, submessages: [...submessages, added] } };
  };
}

const REFUSED = { message: 'You cannot attach a submessage to this message.' };
const LONG = JSON.stringify('x'.repeat(9_990));
const VOTE = JSON.stringify({ type: 'vote', key: '123456789012345,123456789', vote: -1 }, null, 1);

t.test('the number and the total size of submessages are limited, per user and per message', async (t) => {
  const addLong = adderOf();
  for (const sender of [9, 1, 2, 3]) {
    for (let i = 0; i < 5; i++) addLong(LONG, sender);
    t.throws(() => addLong(LONG, sender), REFUSED);
  }
  t.throws(() => addLong(LONG, 4), REFUSED);
  const addShort = adderOf();
  for (const sender of [9, 1, 2, 3]) {
    for (let i = 0; i < 500; i++) addShort('1', sender);
    t.throws(() => addShort('1', sender), REFUSED);
  }
  t.throws(() => addShort(JSON.stringify('x'.repeat(100)), 4), REFUSED);
});

t.test('long options of one user leave room for the options and votes of the others', async () => {
  const add = adderOf();
  for (let i = 0; i < 5; i++) add(LONG);
  for (let i = 0; i < 10; i++) add(VOTE);
  for (const sender of [1, 2, 3]) add(LONG, sender);
});

t.test('each user can still vote after others have used up the room of a message', async (t) => {
  const add = adderOf();
  for (const sender of [9, 1, 2, 3]) for (let i = 0; i < 5; i++) add(LONG, sender);
  for (let i = 0; i < 40; i++) for (let sender = 1; sender <= 100; sender++) add(VOTE, sender);
  for (let i = 40; i < 50; i++) add(VOTE, 50);
  t.throws(() => add(VOTE, 50), REFUSED);
});
