/** Files of the program itself, under `/static/`, that answers of the API refer to. */
import { emojiCodeNames } from '#domain/markdown';
import { LOGO, MARK } from './drawings.js';

export interface StaticFile {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** Width and height of an emoji picture, pixels. */
const EMOJI_SIDE = 64;
/** Width and height of the drawing, pixels. */
const DRAWN_SIDE = 64;

const svg = (text: string) => async (): Promise<StaticFile> => ({ type: 'image/svg+xml', bytes: Buffer.from(text) });

/**
 * The mark of the product as PNG. The library is loaded on first use: the server also runs where it has no build.
 *
 * @param side pixels
 */
export async function drawMark(side: number): Promise<Uint8Array> {
  const { default: sharp } = await import('sharp');
  // Drawings without a density of their own are read at 72 dots per inch, which is 64 pixels for the mark.
  const density = (72 * side) / DRAWN_SIDE;
  return sharp(Buffer.from(MARK), { density }).resize(side, side).png().toBuffer();
}

const mark = async (): Promise<StaticFile> => ({ type: 'image/png', bytes: await drawMark(EMOJI_SIDE) });

/** Names of each Unicode emoji by its code; the first name is the canonical one. */
const emojiData = async (): Promise<StaticFile> => ({
  type: 'application/json',
  bytes: Buffer.from(JSON.stringify({ code_to_names: emojiCodeNames() })),
});

const FILES: Readonly<Record<string, () => Promise<StaticFile>>> = {
  'images/logo.svg': svg(LOGO),
  'emoji/emoji_api.json': emojiData,
  'emoji/conclave.png': mark,
  // The path that existing clients know.
  'generated/emoji/images/emoji/unicode/zulip.png': mark,
};

const cache = new Map<string, Promise<StaticFile>>();

/** @returns undefined where there is no such file */
export function staticFile(path: string): Promise<StaticFile> | undefined {
  const make = Object.hasOwn(FILES, path) ? FILES[path] : undefined;
  let file = cache.get(path);
  if (!file && make) {
    file = make();
    cache.set(path, file);
    // A failure is not cached.
    file.catch(() => cache.delete(path));
  }
  return file;
}
