/**
 * Recognizes a picture by its first bytes, whatever media type its server declares. SVG is excluded: it may hold
 * scripts. The functions have no side effects.
 */
import { detectPictureFormat } from '#domain/pictures';

/** Number of first bytes that suffice to recognize every picture format. */
export const IMAGE_TYPE_DETECTION_BYTES = 64;

/** Sizes of the second header of a BMP, one for each version of the format. */
const BMP_INFO_HEADER_SIZES: ReadonlySet<number> = new Set([12, 40, 52, 56, 108, 124]);

/** Media type of a picture by its bytes; undefined: not a picture that the proxy serves. */
export function detectImageType(bytes: Uint8Array): string | undefined {
  const format = detectPictureFormat(bytes);
  if (format) return `image/${format}`;
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(IMAGE_TYPE_DETECTION_BYTES, bytes.byteLength));
  if (isAvif(head)) return 'image/avif';
  return isBmp(head) ? 'image/bmp' : undefined;
}

/** True for an AVIF file. Its first box lists the brands: the major brand, a version, then the compatible brands. */
function isAvif(head: Buffer): boolean {
  if (head.length < 16 || head.toString('latin1', 4, 8) !== 'ftyp') return false;
  const end = Math.min(head.readUInt32BE(0), head.length);
  for (let at = 8; at + 4 <= end; at += 4) {
    if (at !== 12 && /^avi[fs]$/.test(head.toString('latin1', at, at + 4))) return true;
  }
  return false;
}

const isBmp = (head: Buffer): boolean =>
  head.length >= 18 &&
  head.toString('latin1', 0, 2) === 'BM' &&
  head.readUInt32LE(6) === 0 &&
  BMP_INFO_HEADER_SIZES.has(head.readUInt32LE(14));
