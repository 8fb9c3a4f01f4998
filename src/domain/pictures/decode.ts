/**
 * Uploaded pictures, decoded off the main thread and within limits: whatever a file holds, it costs a bounded amount of
 * time and memory.
 */
import type { Sharp } from 'sharp';
import { apiError } from '#model/errors';

/** What is larger fills memory, however few bytes it was sent in. */
export const MAX_PIXELS = 50_000_000;
/** A picture that takes longer to decode and scale is no picture. */
const TIMEOUT_SECONDS = 10;
/** Pictures that are worked on at the same time; the others wait. */
const MAX_CONCURRENT = 2;

export type PictureFormat = 'png' | 'jpeg' | 'gif' | 'webp';

/** From the first bytes: decoders for anything else are never given what clients send. */
export function formatOf(bytes: Uint8Array): PictureFormat | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(12, bytes.byteLength)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (/^GIF8[79]a/.test(head)) return 'gif';
  return head.startsWith('RIFF') && head.endsWith('WEBP') ? 'webp' : undefined;
}

export interface Picture {
  readonly format: PictureFormat;
  /** 1: it stands still. */
  readonly frames: number;
  /** Of all frames together. */
  readonly pixels: number;
  /** Begin to work on its first frame, upright. */
  still(): Sharp;
  /** Begin to work on all its frames. */
  moving(): Sharp;
}

let busy = 0;
const waiting: (() => void)[] = [];

/** Have something made of the picture in these bytes. @throws ApiError BAD_IMAGE, also for what `make` fails at */
export async function withPicture<T>(bytes: Uint8Array, make: (picture: Picture) => Promise<T>): Promise<T> {
  const format = formatOf(bytes);
  if (!format) throw apiError('IMAGE_UNDECODABLE');
  if (busy === MAX_CONCURRENT) await new Promise<void>((resolve) => waiting.push(resolve));
  else busy++;
  try {
    return await make(await openPicture(bytes, format));
  } catch (error) {
    throw asRefusal(error);
  } finally {
    const next = waiting.shift();
    if (next) next();
    else busy--;
  }
}

async function openPicture(bytes: Uint8Array, format: PictureFormat): Promise<Picture> {
  // Loaded when the first picture comes: the server runs where it has no build.
  const { default: sharp } = await import('sharp');
  const open = (animated: boolean): Sharp =>
    sharp(bytes, { animated, failOn: 'error', limitInputPixels: MAX_PIXELS, sequentialRead: true }).timeout({
      seconds: TIMEOUT_SECONDS,
    });
  const head = await open(true).metadata();
  if (head.format !== format) throw apiError('IMAGE_UNDECODABLE');
  const { width, pages = 1 } = head;
  const size = width * (head.pageHeight ?? head.height);
  if (size > MAX_PIXELS) throw apiError('IMAGE_TOO_LARGE');
  return {
    format,
    frames: pages,
    pixels: size * pages,
    still: () => open(false).rotate(),
    moving: () => open(true),
  };
}

/** The library says in words what is wrong. */
function asRefusal(error: unknown): unknown {
  if (!(error instanceof Error) || error.name === 'ApiError') return error;
  const tooLarge = /pixel limit|too large|timeout/i.test(error.message);
  return apiError(tooLarge ? 'IMAGE_TOO_LARGE' : 'IMAGE_UNDECODABLE');
}
