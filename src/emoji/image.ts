/** Pictures of custom emoji: decoded, scaled to a square and written anew, so that nothing else that a file held is kept. */
import { apiError } from '../api/errors.js';

export const EMOJI_MIB = 5;
const SIDE = 64;
/** Of all frames together. What is larger fills memory, however few bytes it was sent in. */
const MOST_PIXELS = 50_000_000;

export interface EmojiImage {
  readonly bytes: Uint8Array;
  readonly type: 'image/png' | 'image/gif';
  readonly extension: '.png' | '.gif';
  /** PNG of the first frame, of an animation. */
  readonly still: Uint8Array | null;
}

const STILL_FORMATS: ReadonlySet<string> = new Set(['png', 'jpeg', 'webp', 'gif']);
const SQUARE = {
  width: SIDE,
  height: SIDE,
  fit: 'contain',
  background: { r: 0, g: 0, b: 0, alpha: 0 },
} as const;

/** @throws ApiError BAD_IMAGE */
export async function emojiImage(bytes: Uint8Array): Promise<EmojiImage> {
  if (bytes.byteLength === 0) throw apiError('IMAGE_UNDECODABLE');
  // Loaded when the first emoji comes: the server runs where it has no build.
  const { default: sharp } = await import('sharp');
  const open = (animated: boolean) =>
    sharp(bytes, { animated, failOn: 'error', limitInputPixels: MOST_PIXELS, sequentialRead: true });
  const head = await open(true).metadata().catch(refuse);
  const { format, width, pages = 1 } = head;
  if (!STILL_FORMATS.has(format)) throw apiError('IMAGE_UNDECODABLE');
  if (width * (head.pageHeight ?? head.height) * pages > MOST_PIXELS) throw apiError('IMAGE_TOO_LARGE');
  const still = await open(false).rotate().resize(SQUARE).png().toBuffer().catch(refuse);
  if (pages === 1) return { bytes: still, type: 'image/png', extension: '.png', still: null };
  if (format !== 'gif') throw apiError('IMAGE_ANIMATION_UNKNOWN');
  const moving = await open(true)
    .resize(SQUARE)
    .gif()
    .toBuffer()
    .catch(() => {
      throw apiError('IMAGE_ANIMATION_CORRUPT');
    });
  return { bytes: moving, type: 'image/gif', extension: '.gif', still };
}

function refuse(error: unknown): never {
  const tooLarge = error instanceof Error && /pixel limit|too large/i.test(error.message);
  throw apiError(tooLarge ? 'IMAGE_TOO_LARGE' : 'IMAGE_UNDECODABLE');
}
