/** Pictures to upload, and checks of the served ones. */
import { createHash } from 'node:crypto';
import sharp from 'sharp';
import type { Refusal } from './client.js';
import type { RawAnswer } from './http.js';
import type { Person } from './organization.js';
import type { Answer } from './types.js';

/** One colour. */
export const picture = (background: string, width = 20, height = 20): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 4, background } })
    .png()
    .toBuffer();

/** A GIF of equal pages: the page is encoded once. */
export async function animation(pages: number, width: number, height: number): Promise<Buffer> {
  const single = await sharp({ create: { width, height, channels: 3, background: 'red' } })
    .gif({ effort: 1 })
    .toBuffer();
  const [screen, isTable, tableSize] = [13, 0x80, 0x07];
  const flags = single[10]!;
  const head = screen + (flags & isTable ? 3 * 2 ** ((flags & tableSize) + 1) : 0);
  const page = single.subarray(head, -1);
  return Buffer.concat([single.subarray(0, head), ...Array.from({ length: pages }, () => page), single.subarray(-1)]);
}

/** Of a PNG with one colour. */
export async function shown(
  bytes: Uint8Array,
): Promise<{ format: string; width: number; height: number; colour: string }> {
  const { format, width, height } = await sharp(bytes).metadata();
  const { data } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { format, width, height, colour: `#${data.subarray(0, 3).toString('hex')}` };
}

const image = (msg: string): Refusal => ({ code: 'BAD_IMAGE', msg });
export const UNDECODABLE = image('Could not decode image; did you upload an image file?');
export const TOO_MANY_PIXELS = image('Image size exceeds limit.');

type HostilePicture = readonly [title: string, bytes: string | Uint8Array, refusal: Refusal];
let hostile: Promise<readonly HostilePicture[]> | undefined;

/**
 * Files that look like pictures and are none, or are too large. They are made once, because 64 million pixels take a
 * second.
 */
export function hostilePictures(): Promise<readonly HostilePicture[]> {
  hostile ??= makeHostilePictures();
  return hostile;
}

async function makeHostilePictures(): Promise<readonly HostilePicture[]> {
  const png = await picture('green');
  const jpeg = await sharp(png).jpeg().toBuffer();
  const bombRaw = { width: 8_000, height: 8_000, channels: 1 } as const;
  const bomb = await sharp(Buffer.alloc(bombRaw.width * bombRaw.height), { raw: bombRaw })
    .png({ compressionLevel: 1 })
    .toBuffer();
  const wide = Buffer.from(png);
  // Width and height of the first chunk are so large that their product overflows.
  wide.writeUInt32BE(0x7fffffff, 16);
  wide.writeUInt32BE(0x7fffffff, 20);
  return [
    ['a text', 'hello', UNDECODABLE],
    ['nothing', '', UNDECODABLE],
    [
      'an SVG',
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>',
      UNDECODABLE,
    ],
    ['a PDF', '%PDF-1.4', UNDECODABLE],
    ['a page', '<html><script>alert(1)</script></html>', UNDECODABLE],
    ['the head of a PNG', png.subarray(0, 40), UNDECODABLE],
    ['half a JPEG', jpeg.subarray(0, jpeg.length / 2), UNDECODABLE],
    ['the first bytes of a GIF', Buffer.from('GIF89a'), UNDECODABLE],
    ['a WebP with nothing in it', Buffer.from('RIFF\0\0\0\0WEBP'), UNDECODABLE],
    ['64 million pixels in few bytes', bomb, TOO_MANY_PIXELS],
    ['a PNG that lies about its size', wide, UNDECODABLE],
  ];
}

/** Fetches an address below the organization's. */
export const lookAt = (nobody: { raw: Person['api']['raw'] }, url: string, headers = {}): Promise<RawAnswer> =>
  nobody.raw({ method: 'GET', path: url, headers });

/** Target of a redirect. */
export const leadsTo = ({ status, headers }: Answer): [number, unknown] => [status, headers.location];

/** @param size as named in the address */
export const gravatar = (text: string, version: number, size = ''): string =>
  `https://secure.gravatar.com/avatar/${createHash('md5').update(text.toLowerCase()).digest('hex')}?d=identicon${size}&version=${version}`;
