/**
 * Decoding of uploaded pictures by sharp, off the main thread. Limits bound the time and the memory that any file can
 * cost.
 */
import type { Sharp } from 'sharp';
import { apiError } from '#model/errors';

/** Maximum pixels of a frame: a small file can decode into far more memory. */
export const MAX_PICTURE_PIXELS = 50_000_000;
/** Maximum time to decode and scale a picture, seconds. */
const DECODE_TIMEOUT_SECONDS = 10;
/** Maximum number of pictures that are decoded at the same time; others wait. */
const MAX_CONCURRENT_DECODES = 2;

type PictureFormat = 'png' | 'jpeg' | 'gif' | 'webp';

/** The picture format by a file's first bytes. sharp has more decoders, which must never get a client's bytes. */
export function detectPictureFormat(bytes: Uint8Array): PictureFormat | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(12, bytes.byteLength)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (/^GIF8[79]a/.test(head)) return 'gif';
  return head.startsWith('RIFF') && head.endsWith('WEBP') ? 'webp' : undefined;
}

interface OpenedPicture {
  readonly format: PictureFormat;
  /** Number of frames; 1 = the picture is not animated. */
  readonly frames: number;
  /** Number of pixels of all frames together. */
  readonly pixels: number;
  /** Starts the conversion of a picture's first frame, turned upright. */
  still(): Sharp;
  /** Starts the conversion of all frames of a picture. */
  moving(): Sharp;
}

/** Number of pictures that are being decoded now. */
let runningDecodes = 0;
const waitingDecodes: (() => void)[] = [];

/**
 * Opens a picture and passes it to `make`. At most MAX_CONCURRENT_DECODES calls run at a time.
 * @throws ApiError BAD_IMAGE, also if `make` fails
 */
export async function withDecodedPicture<T>(
  bytes: Uint8Array,
  make: (picture: OpenedPicture) => Promise<T>,
): Promise<T> {
  const format = detectPictureFormat(bytes);
  if (!format) throw apiError('IMAGE_UNDECODABLE');
  if (runningDecodes === MAX_CONCURRENT_DECODES) await new Promise<void>((resolve) => waitingDecodes.push(resolve));
  else runningDecodes++;
  try {
    return await make(await openPicture(bytes, format));
  } catch (error) {
    throw toPictureRefusal(error);
  } finally {
    const next = waitingDecodes.shift();
    if (next) next();
    else runningDecodes--;
  }
}

async function openPicture(bytes: Uint8Array, format: PictureFormat): Promise<OpenedPicture> {
  // sharp is loaded with the first picture, so that the server starts even where sharp has no build.
  const { default: sharp } = await import('sharp');
  const open = (animated: boolean): Sharp =>
    sharp(bytes, { animated, failOn: 'error', limitInputPixels: MAX_PICTURE_PIXELS, sequentialRead: true }).timeout({
      seconds: DECODE_TIMEOUT_SECONDS,
    });
  const head = await open(true).metadata();
  if (head.format !== format) throw apiError('IMAGE_UNDECODABLE');
  const { width, pages = 1 } = head;
  const size = width * (head.pageHeight ?? head.height);
  if (size > MAX_PICTURE_PIXELS) throw apiError('IMAGE_TOO_LARGE');
  return {
    format,
    frames: pages,
    pixels: size * pages,
    still: () => open(false).rotate(),
    moving: () => open(true),
  };
}

/** Maps an error of sharp, which has only a text, to an API error. */
function toPictureRefusal(error: unknown): unknown {
  if (!(error instanceof Error) || error.name === 'ApiError') return error;
  const tooLarge = /pixel limit|too large|timeout/i.test(error.message);
  return apiError(tooLarge ? 'IMAGE_TOO_LARGE' : 'IMAGE_UNDECODABLE');
}
