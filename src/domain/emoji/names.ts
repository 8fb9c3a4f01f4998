import { apiError } from '#model/errors';

/** The name as it is stored. @throws ApiError (realm.md § Custom emoji) */
export function checkEmojiName(given: string): string {
  const name = given.trim().replaceAll(' ', '_');
  if (name === '') throw apiError('EMOJI_NAME_MISSING');
  if (!/^[0-9a-z_-]+$/.test(name)) throw apiError('EMOJI_NAME_CHARACTERS');
  if (!/[0-9a-z]$/.test(name)) throw apiError('EMOJI_NAME_END');
  return name;
}
