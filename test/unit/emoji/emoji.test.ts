import fc from 'fast-check';
import t from 'tap';
import {
  completeEmojiFields,
  isKnownEmojiCode,
  makeEmojiApiFields,
  requireEmojiByName,
  requireUsableEmoji,
  toStoredEmojiType,
} from '#domain/emoji';
import { toUserId } from '#model';
import { ApiError } from '#model/errors';
import { directoryWith } from '../../support/directory.js';

const custom = (id: number, name: string, deactivated = false) => ({
  id,
  name,
  url: `/e/${id}.png`,
  stillUrl: null,
  deactivated,
  author: toUserId(9),
});
const emoji = [custom(1, 'party', true), custom(2, 'party'), custom(3, 'smile'), custom(4, 'gone', true)];
const directory = directoryWith({ emoji });
const plain = directoryWith({});

/** Checks an emoji like POST does. */
const checked = (name: string, code: string | null = null, type: string | null = null, at = directory) =>
  requireUsableEmoji(completeEmojiFields({ name, code, type }, at), at);

t.test('a name means an active custom emoji, else the extra one, else Unicode', async (t) => {
  t.same(checked('party'), { name: 'party', code: '2', type: 'realm_emoji' });
  t.same(checked('smile'), { name: 'smile', code: '3', type: 'realm_emoji' }, 'shadows the Unicode name');
  t.same(checked('smile', null, null, plain), { name: 'smile', code: '1f642', type: 'unicode_emoji' });
  t.same(checked('zulip'), { name: 'conclave', code: 'conclave', type: 'extra' });
  t.throws(() => checked('gone'), { message: "Emoji 'gone' does not exist" });
  t.throws(() => requireEmojiByName('__proto__', directory), { message: "Emoji '__proto__' does not exist" });
});

t.test('a custom emoji must exist, match its name, and be active', async (t) => {
  t.same(checked('party', '2', 'realm_emoji'), { name: 'party', code: '2', type: 'realm_emoji' });
  t.throws(() => checked('party', '99', 'realm_emoji'), { message: 'Invalid custom emoji.' });
  t.throws(() => checked('party', '02', 'realm_emoji'), { message: 'Invalid custom emoji.' });
  t.throws(() => checked('smile', '2', 'realm_emoji'), { message: 'Invalid custom emoji name.' });
  t.throws(() => checked('party', '1', 'realm_emoji'), { message: 'This custom emoji has been deactivated.' });
});

t.test('deactivated emoji still exist; codes are unique within their type only', async (t) => {
  t.ok(isKnownEmojiCode('4', 'realm_emoji', directory));
  t.notOk(isKnownEmojiCode('4', 'unicode_emoji', directory));
  t.notOk(isKnownEmojiCode('1f642', 'realm_emoji', directory));
  t.ok(isKnownEmojiCode('zulip', 'extra', directory));
  t.notOk(isKnownEmojiCode('zulip', undefined, directory));
  t.equal(toStoredEmojiType('zulip_extra_emoji'), 'extra');
  t.equal(toStoredEmojiType('extra'), undefined, 'the stored word is none of theirs');
});

t.test('the extra emoji is sent under one of its names, whichever was received', async (t) => {
  const sent = (names: 'conclave' | 'zulip') =>
    ['conclave', 'zulip'].map((name) => makeEmojiApiFields(checked(name), directoryWith({}, names)));
  const one = { emoji_name: 'conclave', emoji_code: 'conclave', reaction_type: 'service_extra_emoji' };
  const other = { emoji_name: 'zulip', emoji_code: 'zulip', reaction_type: 'zulip_extra_emoji' };
  t.same(sent('conclave'), [one, one]);
  t.same(sent('zulip'), [other, other]);
});

t.test('any input is refused by its error, or is an emoji that can be found again', async () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom('smile', 'zulip', 'conclave', '1f642', '2', 'unicode_emoji', 'realm_emoji', 'service_extra_emoji'),
  );
  fc.assert(
    fc.property(word, fc.option(word), fc.option(word), (name, code, type) => {
      try {
        const found = checked(name, code, type);
        return isKnownEmojiCode(found.code, found.type, directory);
      } catch (error) {
        return error instanceof ApiError && error.status === 400;
      }
    }),
  );
});
