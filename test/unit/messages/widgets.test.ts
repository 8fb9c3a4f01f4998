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
      return command === `/${widget_type}` && (widget_type === 'poll') === (extra_data !== null);
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

t.test('number and size of submessages are limited', async (t) => {
  const big = JSON.stringify('x'.repeat(9_990));
  let message = { sender: 9, body: {} } as unknown as StoredMessage;
  const add = (content: string): void => {
    const submessages = message.body.submessages ?? [];
    const added = makeCheckedNextSubmessage(message, { sender: 9, type: 'other', content });
    message = { ...message, body: { ...message.body, submessages: [...submessages, added] } };
  };
  for (let i = 0; i < 20; i++) add(big);
  t.throws(() => add(big), { message: 'You cannot attach a submessage to this message.' });
  t.equal(message.body.submessages?.length, 20);
  message = { ...message, body: { ...message.body, submessages: [] } };
  for (let i = 0; i < 2_000; i++) add('1');
  t.throws(() => add('1'), { message: 'You cannot attach a submessage to this message.' });
});
