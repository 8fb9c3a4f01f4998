/** Pictures of custom emoji: decoded, scaled to a square and written anew, so that nothing else that a file held is kept. */

import { MAX_PIXELS, withPicture } from '#domain/pictures';
import { apiError } from '#model/errors';

const SIDE = 64;

export interface EmojiImage {
  readonly bytes: Uint8Array;
  readonly type: 'image/png' | 'image/gif';
  readonly extension: '.png' | '.gif';
  /** PNG of the first frame, of an animation. */
  readonly still: Uint8Array | null;
}

const SQUARE = {
  width: SIDE,
  height: SIDE,
  fit: 'contain',
  background: { r: 0, g: 0, b: 0, alpha: 0 },
} as const;

/** @throws ApiError BAD_IMAGE */
export const emojiImage = (bytes: Uint8Array): Promise<EmojiImage> =>
  withPicture(bytes, async (picture) => {
    // An animation is kept, so all of it is decoded.
    if (picture.pixels > MAX_PIXELS) throw apiError('IMAGE_TOO_LARGE');
    const still = await picture.still().resize(SQUARE).png().toBuffer();
    if (picture.frames === 1) return { bytes: still, type: 'image/png', extension: '.png', still: null };
    if (picture.format !== 'gif') throw apiError('IMAGE_ANIMATION_UNKNOWN');
    const moving = await picture
      .moving()
      .resize(SQUARE)
      .gif()
      .toBuffer()
      .catch(() => {
        throw apiError('IMAGE_ANIMATION_CORRUPT');
      });
    return { bytes: moving, type: 'image/gif', extension: '.gif', still };
  });
