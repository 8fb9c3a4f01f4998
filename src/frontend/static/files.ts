/** Files of the program itself, under `/static/`, that answers of the API refer to. */
import { emojiNamesByCode } from '#domain/markdown';
import { LOGO_MARK_SVG, LOGO_SVG } from './drawings.js';

interface StaticFile {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** Width and height of an emoji picture, pixels. */
const EMOJI_SIDE = 64;
/** Width and height of the drawing, pixels. */
const DRAWN_SIDE = 64;

const svg = (text: string) => async (): Promise<StaticFile> => ({ type: 'image/svg+xml', bytes: Buffer.from(text) });

/**
 * Draws the logo mark as PNG. The image library is loaded on first use: the server also runs where the library has no
 * build.
 *
 * @param side width and height, pixels
 */
export async function drawLogoMarkPng(side: number): Promise<Uint8Array> {
  const { default: sharp } = await import('sharp');
  // Drawings without a density are read at 72 dots per inch, which makes the mark 64 pixels wide.
  const density = (72 * side) / DRAWN_SIDE;
  return sharp(Buffer.from(LOGO_MARK_SVG), { density }).resize(side, side).png().toBuffer();
}

const mark = async (): Promise<StaticFile> => ({ type: 'image/png', bytes: await drawLogoMarkPng(EMOJI_SIDE) });

/** Names of each Unicode emoji by its code; the first name is the canonical one. */
const emojiData = async (): Promise<StaticFile> => ({
  type: 'application/json',
  bytes: Buffer.from(JSON.stringify({ code_to_names: emojiNamesByCode() })),
});

const FILES: Readonly<Record<string, () => Promise<StaticFile>>> = {
  'images/logo.svg': svg(LOGO_SVG),
  'emoji/emoji_api.json': emojiData,
  'emoji/conclave.png': mark,
  // Existing clients know the picture under this path.
  'generated/emoji/images/emoji/unicode/zulip.png': mark,
};

const cache = new Map<string, Promise<StaticFile>>();

/** Returns a file of the program, made on first use; undefined where there is no such file. */
export function loadStaticFile(path: string): Promise<StaticFile> | undefined {
  const make = Object.hasOwn(FILES, path) ? FILES[path] : undefined;
  let file = cache.get(path);
  if (!file && make) {
    file = make();
    cache.set(path, file);
    // A failed attempt to make a file is not cached.
    file.catch(() => cache.delete(path));
  }
  return file;
}
