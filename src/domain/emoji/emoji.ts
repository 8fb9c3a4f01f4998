/**
 * Emoji of reactions and statuses: resolving, checking and presenting them (messages.md § Reactions). The functions
 * have no side effects.
 */
import type { JsonObject } from '#base';
import { emojiCodeOfNameOrAlias, findCanonicalEmojiCode } from '#domain/markdown';
import type { EmojiReference, ProductEmoji, ProductEmojiName } from '#model';
import { apiError } from '#model/errors';
import type { DirectoryEmoji, DirectoryView, UserStatus } from '#model/records';

/** An emoji as requests name it; null = parameter absent. */
interface EmojiInput {
  readonly name: string;
  readonly code: string | null;
  readonly type: string | null;
}

/** An emoji with all fields in their stored spelling, before it is checked. */
interface ResolvedEmoji {
  readonly name: string;
  readonly code: string;
  /** Type of the emoji as it is stored; undefined if the request's type is unknown. */
  readonly type: EmojiReference['type'] | undefined;
}

/**
 * The extra emoji: neither Unicode nor custom. It has the product's name and the name that existing clients know.
 * Requests may use both; the server's setting `--emoji-names` decides which one clients get.
 */
const PRODUCT_EMOJI_FORM_BY_NAME: Readonly<Record<ProductEmojiName, ProductEmoji>> = {
  conclave: { name: 'conclave', type: 'service_extra_emoji', url: '/static/emoji/conclave.png' },
  zulip: { name: 'zulip', type: 'zulip_extra_emoji', url: '/static/generated/emoji/images/emoji/unicode/zulip.png' },
};
/** The product's own emoji as it is stored. */
const STORED_PRODUCT_EMOJI: EmojiReference = { name: 'conclave', code: 'conclave', type: 'extra' };

/** The form in which clients get the product's own emoji. */
export const productEmojiForm = (names: ProductEmojiName): ProductEmoji => PRODUCT_EMOJI_FORM_BY_NAME[names];

const productEmojiForms = Object.values(PRODUCT_EMOJI_FORM_BY_NAME);

const isProductEmojiName = (name: string): boolean => productEmojiForms.some((form) => form.name === name);
const isProductEmojiType = (type: string): boolean => productEmojiForms.some((form) => form.type === type);

/**
 * Finds the emoji with this name. Active custom emoji take precedence: organizations may shadow Unicode names.
 * @throws ApiError if there is none
 */
export function requireEmojiByName(name: string, directory: DirectoryView): EmojiReference {
  for (const custom of directory.customEmoji()) {
    if (custom.name === name && !custom.deactivated) return { name, code: String(custom.id), type: 'realm_emoji' };
  }
  if (isProductEmojiName(name)) return STORED_PRODUCT_EMOJI;
  const code = emojiCodeOfNameOrAlias(name);
  if (code === undefined) throw apiError('EMOJI_DOES_NOT_EXIST', { emoji_name: name });
  return { name, code, type: 'unicode_emoji' };
}

/** The stored form of a request's emoji type; undefined for unknown types. */
export function toStoredEmojiType(type: string): EmojiReference['type'] | undefined {
  if (type === 'unicode_emoji' || type === 'realm_emoji') return type;
  return isProductEmojiType(type) ? 'extra' : undefined;
}

/** Completes an emoji: absent fields are looked up by the name. @throws ApiError if the name is unknown */
export function completeEmojiFields({ name, code, type }: EmojiInput, directory: DirectoryView): ResolvedEmoji {
  const found = code === null || type === null ? requireEmojiByName(name, directory) : undefined;
  const resolved = found && type === null ? found.type : toStoredEmojiType(type ?? '');
  if (resolved === 'extra' && isProductEmojiName(name)) name = STORED_PRODUCT_EMOJI.name;
  return { name, code: toComparableEmojiCode(code ?? found?.code ?? '', resolved), type: resolved };
}

/** The spelling of a code for comparisons. Unknown codes stay as they are. */
export function toComparableEmojiCode(code: string, type: EmojiReference['type'] | undefined): string {
  if (type === 'unicode_emoji') return findCanonicalEmojiCode(code) ?? code;
  return type === 'extra' && isProductEmojiName(code) ? STORED_PRODUCT_EMOJI.code : code;
}

/** Checks an emoji for new reactions and statuses. @throws ApiError if its fields don't fit, or it is deactivated */
export function requireUsableEmoji({ name, code, type }: ResolvedEmoji, directory: DirectoryView): EmojiReference {
  switch (type) {
    case 'realm_emoji': {
      const custom = findCustomEmojiByCode(code, directory);
      if (!custom) throw apiError('CUSTOM_EMOJI_UNKNOWN');
      if (custom.name !== name) throw apiError('CUSTOM_EMOJI_NAME');
      if (custom.deactivated) throw apiError('CUSTOM_EMOJI_DEACTIVATED');
      return { name, code, type };
    }
    case 'extra':
      if (code !== STORED_PRODUCT_EMOJI.code) throw apiError('EMOJI_CODE');
      if (name !== STORED_PRODUCT_EMOJI.name) throw apiError('EMOJI_NAME');
      return STORED_PRODUCT_EMOJI;
    case 'unicode_emoji':
      if (findCanonicalEmojiCode(code) === undefined) throw apiError('EMOJI_CODE');
      if (emojiCodeOfNameOrAlias(name) !== code) throw apiError('EMOJI_NAME');
      return { name, code, type };
    case undefined:
      throw apiError('EMOJI_TYPE');
  }
}

const findCustomEmojiByCode = (code: string, directory: DirectoryView): DirectoryEmoji | undefined =>
  [...directory.customEmoji()].find(({ id }) => String(id) === code);

/** True if the type has an emoji with this code, active or deactivated. */
export function isKnownEmojiCode(
  code: string,
  type: EmojiReference['type'] | undefined,
  directory: DirectoryView,
): boolean {
  if (type === 'unicode_emoji') return findCanonicalEmojiCode(code) !== undefined;
  if (type === 'realm_emoji') return findCustomEmojiByCode(code, directory) !== undefined;
  return type === 'extra' && isProductEmojiName(code);
}

/** The three fields that describe an emoji in API objects. */
export function makeEmojiApiFields(
  { name, code, type }: EmojiReference,
  { productEmoji }: Pick<DirectoryView, 'productEmoji'>,
): JsonObject {
  if (type !== 'extra') return { emoji_name: name, emoji_code: code, reaction_type: type };
  return { emoji_name: productEmoji.name, emoji_code: productEmoji.name, reaction_type: productEmoji.type };
}

/** The fields of a user's status that are set (users.md § User status). */
export const formatUserStatusForApi = (
  { text, emoji, away }: UserStatus,
  of: Pick<DirectoryView, 'productEmoji'>,
): JsonObject => ({
  ...(away ? { away } : {}),
  ...(text === '' ? {} : { status_text: text }),
  ...(emoji ? makeEmojiApiFields(emoji, of) : {}),
});
