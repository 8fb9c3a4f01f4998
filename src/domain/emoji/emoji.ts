/**
 * Emoji of reactions and statuses: resolving, checking and presenting them (messages.md § Reactions). The functions
 * have no side effects.
 */
import type { JsonObject } from '#base';
import { canonicalEmojiCode, emojiCodeOfName } from '#domain/markdown';
import type { EmojiReference, ProductEmoji, ProductEmojiName } from '#model';
import { apiError } from '#model/errors';
import type { DirectoryEmoji, DirectoryView } from '#model/records';

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
const PRODUCT_EMOJI_FORMS: Readonly<Record<ProductEmojiName, ProductEmoji>> = {
  conclave: { name: 'conclave', type: 'service_extra_emoji', url: '/static/emoji/conclave.png' },
  zulip: { name: 'zulip', type: 'zulip_extra_emoji', url: '/static/generated/emoji/images/emoji/unicode/zulip.png' },
};
/** The product's own emoji as it is stored. */
const PRODUCT_EMOJI_REFERENCE: EmojiReference = { name: 'conclave', code: 'conclave', type: 'extra' };

/** The form in which clients get the product's own emoji. */
export const productEmojiForm = (names: ProductEmojiName): ProductEmoji => PRODUCT_EMOJI_FORMS[names];

const productEmojiForms = Object.values(PRODUCT_EMOJI_FORMS);

const isProductEmojiName = (name: string): boolean => productEmojiForms.some((form) => form.name === name);
const isProductEmojiType = (type: string): boolean => productEmojiForms.some((form) => form.type === type);

/**
 * Finds the emoji with this name. Active custom emoji take precedence: organizations may shadow Unicode names.
 * @throws ApiError if there is none
 */
export function findEmojiByName(name: string, directory: DirectoryView): EmojiReference {
  for (const custom of directory.customEmoji()) {
    if (custom.name === name && !custom.deactivated) return { name, code: String(custom.id), type: 'realm_emoji' };
  }
  if (isProductEmojiName(name)) return PRODUCT_EMOJI_REFERENCE;
  const code = emojiCodeOfName(name);
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
  const found = code === null || type === null ? findEmojiByName(name, directory) : undefined;
  const resolved = found && type === null ? found.type : toStoredEmojiType(type ?? '');
  if (resolved === 'extra' && isProductEmojiName(name)) name = PRODUCT_EMOJI_REFERENCE.name;
  return { name, code: comparableEmojiCode(code ?? found?.code ?? '', resolved), type: resolved };
}

/** The spelling of a code for comparisons. Unknown codes stay as they are. */
export function comparableEmojiCode(code: string, type: EmojiReference['type'] | undefined): string {
  if (type === 'unicode_emoji') return canonicalEmojiCode(code) ?? code;
  return type === 'extra' && isProductEmojiName(code) ? PRODUCT_EMOJI_REFERENCE.code : code;
}

/** Checks an emoji for new reactions and statuses. @throws ApiError if its fields don't fit, or it is deactivated */
export function checkEmojiIsUsable({ name, code, type }: ResolvedEmoji, directory: DirectoryView): EmojiReference {
  switch (type) {
    case 'realm_emoji': {
      const custom = findCustomEmoji(code, directory);
      if (!custom) throw apiError('CUSTOM_EMOJI_UNKNOWN');
      if (custom.name !== name) throw apiError('CUSTOM_EMOJI_NAME');
      if (custom.deactivated) throw apiError('CUSTOM_EMOJI_DEACTIVATED');
      return { name, code, type };
    }
    case 'extra':
      if (code !== PRODUCT_EMOJI_REFERENCE.code) throw apiError('EMOJI_CODE');
      if (name !== PRODUCT_EMOJI_REFERENCE.name) throw apiError('EMOJI_NAME');
      return PRODUCT_EMOJI_REFERENCE;
    case 'unicode_emoji':
      if (canonicalEmojiCode(code) === undefined) throw apiError('EMOJI_CODE');
      if (emojiCodeOfName(name) !== code) throw apiError('EMOJI_NAME');
      return { name, code, type };
    case undefined:
      throw apiError('EMOJI_TYPE');
  }
}

const findCustomEmoji = (code: string, directory: DirectoryView): DirectoryEmoji | undefined =>
  [...directory.customEmoji()].find(({ id }) => String(id) === code);

/** True if the type has an emoji with this code, active or deactivated. */
export function isKnownEmoji(
  code: string,
  type: EmojiReference['type'] | undefined,
  directory: DirectoryView,
): boolean {
  if (type === 'unicode_emoji') return canonicalEmojiCode(code) !== undefined;
  if (type === 'realm_emoji') return findCustomEmoji(code, directory) !== undefined;
  return type === 'extra' && isProductEmojiName(code);
}

/** The three fields that describe an emoji in API objects. */
export function formatEmojiFieldsForApi(
  { name, code, type }: EmojiReference,
  { productEmoji }: DirectoryView,
): JsonObject {
  if (type !== 'extra') return { emoji_name: name, emoji_code: code, reaction_type: type };
  return { emoji_name: productEmoji.name, emoji_code: productEmoji.name, reaction_type: productEmoji.type };
}
