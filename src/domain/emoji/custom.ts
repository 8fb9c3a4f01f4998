/**
 * Custom emoji of an organization (realm.md § Custom emoji): names, pictures, and the form in which clients get them.
 */
import type { JsonObject } from '#base';
import { MAX_PIXELS_PER_PICTURE_FRAME, withConversionSlotAndPicture } from '#domain/pictures';
import { apiError, validationError } from '#model/errors';
import type { DirectoryEmoji } from '#model/records';

/** Maximum number of active custom emoji, and of listed ones: each event about emoji has the whole list. */
export const MAX_CUSTOM_EMOJI = 3_000;

/**
 * The custom emoji of an organization by id: all active ones, and the newest deactivated ones for which
 * MAX_CUSTOM_EMOJI leaves room. Thus deactivating an emoji makes room for a new one.
 */
export function formatCustomEmojiForApi(all: Iterable<DirectoryEmoji>): JsonObject {
  const ascending = [...all].sort((a, b) => a.id - b.id);
  const deactivated = ascending.filter((emoji) => emoji.deactivated);
  const room = Math.max(0, MAX_CUSTOM_EMOJI - (ascending.length - deactivated.length));
  const unlisted = new Set(deactivated.slice(0, Math.max(0, deactivated.length - room)));
  return Object.fromEntries(
    ascending
      .filter((emoji) => !unlisted.has(emoji))
      .map(({ id, name, url, stillUrl, deactivated, author }) => [
        String(id),
        { id: String(id), name, source_url: url, still_url: stillUrl, deactivated, author_id: author },
      ]),
  );
}

/** Each event about emoji has the names of all. */
export const MAX_CUSTOM_EMOJI_NAME_CHARACTERS = 100;

/**
 * Checks the name of a custom emoji. @returns the name in its stored form. @throws ApiError if emoji may not have the
 * name
 */
export function toCheckedCustomEmojiName(written: string): string {
  const name = written.trim().replaceAll(' ', '_');
  if (name === '') throw apiError('EMOJI_NAME_MISSING');
  if (name.length > MAX_CUSTOM_EMOJI_NAME_CHARACTERS)
    throw validationError(`emoji_name is too long (limit: ${MAX_CUSTOM_EMOJI_NAME_CHARACTERS} characters)`);
  if (!/^[0-9a-z_-]+$/.test(name)) throw apiError('EMOJI_NAME_CHARACTERS');
  if (!/[0-9a-z]$/.test(name)) throw apiError('EMOJI_NAME_END');
  return name;
}

/** Path of an emoji's picture below `/user_avatars/{realm}/`. */
export const customEmojiImagePath = (id: number, extension: string): string => `emoji/images/${id}${extension}`;
export const emojiStillImagePath = (id: number): string => `emoji/images/still/${id}.png`;

const EMOJI_IMAGE_SIDE_PIXELS = 64;

interface EmojiImage {
  readonly bytes: Uint8Array;
  readonly type: 'image/png' | 'image/gif';
  readonly extension: '.png' | '.gif';
  /** PNG of an animation's first frame; null if the picture is not animated. */
  readonly still: Uint8Array | null;
}

const EMOJI_SQUARE_RESIZE_OPTIONS = {
  width: EMOJI_IMAGE_SIDE_PIXELS,
  height: EMOJI_IMAGE_SIDE_PIXELS,
  fit: 'contain',
  background: { r: 0, g: 0, b: 0, alpha: 0 },
} as const;

/**
 * Decodes an uploaded picture, scales it to a square and encodes it again, so that nothing else of the file is stored.
 * @throws ApiError BAD_IMAGE
 */
export const makeEmojiImageFromUpload = (bytes: Uint8Array): Promise<EmojiImage> =>
  withConversionSlotAndPicture(bytes, async (picture) => {
    // All frames of an animation are decoded, so the limit holds for their sum.
    if (picture.pixels > MAX_PIXELS_PER_PICTURE_FRAME) throw apiError('IMAGE_TOO_LARGE');
    const still = await picture.still().resize(EMOJI_SQUARE_RESIZE_OPTIONS).png().toBuffer();
    if (picture.frames === 1) return { bytes: still, type: 'image/png', extension: '.png', still: null };
    if (picture.format !== 'gif') throw apiError('IMAGE_ANIMATION_UNKNOWN');
    const moving = await picture
      .moving()
      .resize(EMOJI_SQUARE_RESIZE_OPTIONS)
      .gif()
      .toBuffer()
      .catch(() => {
        throw apiError('IMAGE_ANIMATION_CORRUPT');
      });
    return { bytes: moving, type: 'image/gif', extension: '.gif', still };
  });
