import fc from 'fast-check';
import t from 'tap';
import {
  didMemberReceiveMessageId,
  isCurrentStreamMember,
  pickSubscriptionColor,
  toCheckedStreamName,
  toCheckedTruncatedTopic,
  wasStreamMemberAtVersion,
} from '#domain/streams';
import { ANY_CODE_POINT } from '../../support/any-text.js';

t.test('stream names are trimmed; empty, long and unprintable ones are refused with the position', async (t) => {
  t.equal(toCheckedStreamName('  Verona '), 'Verona');
  t.equal(toCheckedStreamName('😀'.repeat(60)), '😀'.repeat(60), 'length is counted in characters');
  t.throws(() => toCheckedStreamName(' '), { message: "Stream name can't be empty!" });
  t.throws(() => toCheckedStreamName('x'.repeat(61)), { message: 'Stream name too long (limit: 60 characters).' });
  t.throws(() => toCheckedStreamName('ab\u0007'), { message: 'Invalid character in stream name, at position 3!' });
  t.throws(() => toCheckedStreamName('😀\ufdd0'), { message: 'Invalid character in stream name, at position 2!' });
  t.throws(() => toCheckedStreamName('a\ud800'), { message: 'Invalid character in stream name, at position 2!' });
});

t.test('any text is a topic of at most 60 characters, or refused', async () => {
  fc.assert(
    fc.property(fc.string({ unit: ANY_CODE_POINT, maxLength: 200 }), (text) => {
      try {
        return [...toCheckedTruncatedTopic(text)].length <= 60;
      } catch (error) {
        return (error as Error).name === 'ApiError';
      }
    }),
  );
});

t.test('a long topic is cut with three dots', async (t) => {
  t.equal(toCheckedTruncatedTopic('x'.repeat(61)), `${'x'.repeat(57)}...`);
  t.equal(toCheckedTruncatedTopic('x'.repeat(60)), 'x'.repeat(60));
});

t.test('new subscriptions take the first colour that is not in use', async (t) => {
  t.equal(pickSubscriptionColor(new Set(), 5), '#76ce90');
  t.equal(pickSubscriptionColor(new Set(['#76ce90', '#fae589']), 5), '#a6c7e5');
});

t.test('membership is decided by version, copies by message id, for each stay', async (t) => {
  const member = {
    stays: [
      { from: 2, to: 5, after: 10, until: 20 },
      { from: 8, to: 0, after: 40, until: 0 },
    ],
  };
  t.same(
    [1, 2, 4, 5, 7, 8, 99].map((mv) => wasStreamMemberAtVersion(member, mv)),
    [false, true, true, false, false, true, true],
  );
  t.same(
    [10, 11, 20, 21, 40, 41].map((id) => didMemberReceiveMessageId(member, id)),
    [false, true, true, false, false, true],
  );
  t.ok(isCurrentStreamMember(member));
  t.notOk(isCurrentStreamMember(undefined));
});
