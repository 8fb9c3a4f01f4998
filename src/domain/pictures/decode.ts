/**
 * Decoding of uploaded pictures by sharp, off the main thread. Limits bound the time and the memory that any file can
 * cost.
 */
import type { Sharp } from 'sharp';
import { apiError } from '#model/errors';

/** Maximum pixels of a frame: a small file can decode into far more memory. */
export const MAX_PIXELS_PER_PICTURE_FRAME = 50_000_000;
/** Maximum time to decode and scale a picture, seconds. */
const PICTURE_CONVERSION_TIMEOUT_SECONDS = 10;
/** Maximum number of pictures that are decoded at the same time; others wait. */
const MAX_CONCURRENT_PICTURE_CONVERSIONS = 2;

type AcceptedPictureFormat = 'png' | 'jpeg' | 'gif' | 'webp';

/** The picture format by a file's first bytes. sharp has more decoders, which must never get a client's bytes. */
export function detectPictureFormat(bytes: Uint8Array): AcceptedPictureFormat | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(12, bytes.byteLength)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (/^GIF8[79]a/.test(head)) return 'gif';
  return head.startsWith('RIFF') && head.endsWith('WEBP') ? 'webp' : undefined;
}

interface OpenedPictureConverter {
  readonly format: AcceptedPictureFormat;
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
let runningConversions = 0;
const waitingConversionResumers: (() => void)[] = [];

/**
 * Opens a picture and passes it to `make`. At most MAX_CONCURRENT_PICTURE_CONVERSIONS calls run at a time.
 * @throws ApiError BAD_IMAGE, also if `make` fails
 */
export async function withConversionSlotAndPicture<T>(
  bytes: Uint8Array,
  make: (picture: OpenedPictureConverter) => Promise<T>,
): Promise<T> {
  const format = detectPictureFormat(bytes);
  if (!format) throw apiError('IMAGE_UNDECODABLE');
  if (runningConversions === MAX_CONCURRENT_PICTURE_CONVERSIONS)
    await new Promise<void>((resolve) => waitingConversionResumers.push(resolve));
  else runningConversions++;
  try {
    return await make(await openPicture(bytes, format));
  } catch (error) {
    throw toImageApiErrorUnlessOne(error);
  } finally {
    const next = waitingConversionResumers.shift();
    if (next) next();
    else runningConversions--;
  }
}

async function openPicture(bytes: Uint8Array, format: AcceptedPictureFormat): Promise<OpenedPictureConverter> {
  // sharp is loaded with the first picture, so that the server starts even where sharp has no build.
  const { default: sharp } = await import('sharp');
  const open = (animated: boolean): Sharp =>
    sharp(bytes, {
      animated,
      failOn: 'error',
      limitInputPixels: MAX_PIXELS_PER_PICTURE_FRAME,
      sequentialRead: true,
    }).timeout({
      seconds: PICTURE_CONVERSION_TIMEOUT_SECONDS,
    });
  const head = await open(true).metadata();
  if (head.format !== format) throw apiError('IMAGE_UNDECODABLE');
  const { width, pages = 1 } = head;
  const size = width * (head.pageHeight ?? head.height);
  if (size > MAX_PIXELS_PER_PICTURE_FRAME) throw apiError('IMAGE_TOO_LARGE');
  return {
    format,
    frames: pages,
    pixels: size * pages,
    still: () => open(false).rotate(),
    moving: () => open(true),
  };
}

/** Maps an error of sharp, which has only a text, to an API error. */
function toImageApiErrorUnlessOne(error: unknown): unknown {
  if (!(error instanceof Error) || error.name === 'ApiError') return error;
  const tooLarge = /pixel limit|too large|timeout/i.test(error.message);
  return apiError(tooLarge ? 'IMAGE_TOO_LARGE' : 'IMAGE_UNDECODABLE');
}
