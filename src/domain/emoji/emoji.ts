/** Emoji as reactions and statuses name them: resolved, checked and shown (messages.md § Reactions). Pure. */

import type { JsonObject } from '#base';
import { canonicalEmojiCode, emojiCode } from '#domain/markdown';
import type { EmojiRef } from '#model';
import { apiError } from '#model/errors';
import type { DirectoryEmoji, DirectoryView } from '#model/records';
import { isExtraName, isExtraType } from './extra.js';

/** As clients give it; null = not given. */
export interface EmojiInput {
  readonly name: string;
  readonly code: string | null;
  readonly type: string | null;
}

/** Complete, in the spelling in which emoji are stored, but not checked. */
export interface ResolvedEmoji {
  readonly name: string;
  readonly code: string;
  /** Undefined: a type that there isn't. */
  readonly type: EmojiRef['type'] | undefined;
}

const EXTRA: EmojiRef = { name: 'conclave', code: 'conclave', type: 'extra' };

/** Active custom emoji come first, so that organizations may shadow Unicode names. @throws ApiError */
export function emojiByName(name: string, directory: DirectoryView): EmojiRef {
  for (const custom of directory.emoji()) {
    if (custom.name === name && !custom.deactivated) return { name, code: String(custom.id), type: 'realm_emoji' };
  }
  if (isExtraName(name)) return EXTRA;
  const code = emojiCode(name);
  if (code === undefined) throw apiError('EMOJI_DOES_NOT_EXIST', { emoji_name: name });
  return { name, code, type: 'unicode_emoji' };
}

/** The stored word for a type as clients name it; undefined for what is none. */
export function storedEmojiType(given: string): EmojiRef['type'] | undefined {
  if (given === 'unicode_emoji' || given === 'realm_emoji') return given;
  return isExtraType(given) ? 'extra' : undefined;
}

/** What isn't given follows from the name. @throws ApiError for a name that nothing follows from */
export function resolveEmoji({ name, code, type }: EmojiInput, directory: DirectoryView): ResolvedEmoji {
  const found = code === null || type === null ? emojiByName(name, directory) : undefined;
  const resolved = found && type === null ? found.type : storedEmojiType(type ?? '');
  if (resolved === 'extra' && isExtraName(name)) name = EXTRA.name;
  return { name, code: comparableEmojiCode(code ?? found?.code ?? '', resolved), type: resolved };
}

/** The code in the spelling in which codes are compared; unknown ones stay as they are. */
export function comparableEmojiCode(code: string, type: EmojiRef['type'] | undefined): string {
  if (type === 'unicode_emoji') return canonicalEmojiCode(code) ?? code;
  return type === 'extra' && isExtraName(code) ? EXTRA.code : code;
}

/** @throws ApiError unless this is an emoji for new reactions */
export function checkEmoji({ name, code, type }: ResolvedEmoji, directory: DirectoryView): EmojiRef {
  switch (type) {
    case 'realm_emoji': {
      const custom = customEmoji(code, directory);
      if (!custom) throw apiError('CUSTOM_EMOJI_UNKNOWN');
      if (custom.name !== name) throw apiError('CUSTOM_EMOJI_NAME');
      if (custom.deactivated) throw apiError('CUSTOM_EMOJI_DEACTIVATED');
      return { name, code, type };
    }
    case 'extra':
      if (code !== EXTRA.code) throw apiError('EMOJI_CODE');
      if (name !== EXTRA.name) throw apiError('EMOJI_NAME');
      return EXTRA;
    case 'unicode_emoji':
      if (canonicalEmojiCode(code) === undefined) throw apiError('EMOJI_CODE');
      if (emojiCode(name) !== code) throw apiError('EMOJI_NAME');
      return { name, code, type };
    case undefined:
      throw apiError('EMOJI_TYPE');
  }
}

const customEmoji = (code: string, directory: DirectoryView): DirectoryEmoji | undefined =>
  [...directory.emoji()].find(({ id }) => String(id) === code);

/** There is, or was, an emoji with this code in the type. */
export function isEmoji(code: string, type: EmojiRef['type'] | undefined, directory: DirectoryView): boolean {
  if (type === 'unicode_emoji') return canonicalEmojiCode(code) !== undefined;
  if (type === 'realm_emoji') return customEmoji(code, directory) !== undefined;
  return type === 'extra' && isExtraName(code);
}

/** The three fields under which clients know it. */
export function presentEmoji({ name, code, type }: EmojiRef, { extraEmoji }: DirectoryView): JsonObject {
  if (type !== 'extra') return { emoji_name: name, emoji_code: code, reaction_type: type };
  return { emoji_name: extraEmoji.name, emoji_code: extraEmoji.name, reaction_type: extraEmoji.type };
}
