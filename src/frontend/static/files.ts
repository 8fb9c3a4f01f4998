/** Files of the program itself, under `/static/`, that answers of the API refer to. */
import { canonicalEmojiNamesByCode } from '#domain/markdown';
import { LOGO_MARK_SVG, LOGO_SVG } from './drawings.js';

interface StaticFile {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** Width and height of an emoji picture, pixels. */
const EMOJI_SIDE_PIXELS = 64;
/** Width and height of the drawing, pixels. */
const LOGO_MARK_SIDE_PIXELS = 64;

const makeSvgFileMaker = (text: string) => async (): Promise<StaticFile> => ({
  type: 'image/svg+xml',
  bytes: Buffer.from(text),
});

/**
 * Draws the logo mark as PNG. The image library is loaded on first use: the server also runs where the library has no
 * build.
 *
 * @param side width and height, pixels
 */
export async function drawLogoMarkPng(side: number): Promise<Uint8Array> {
  const { default: sharp } = await import('sharp');
  // Drawings without a density are read at 72 dots per inch, which makes the mark 64 pixels wide.
  const density = (72 * side) / LOGO_MARK_SIDE_PIXELS;
  return sharp(Buffer.from(LOGO_MARK_SVG), { density }).resize(side, side).png().toBuffer();
}

const makeLogoMarkEmojiFile = async (): Promise<StaticFile> => ({
  type: 'image/png',
  bytes: await drawLogoMarkPng(EMOJI_SIDE_PIXELS),
});

/** Names of each Unicode emoji by its code; the first name is the canonical one. */
const makeEmojiNamesFile = async (): Promise<StaticFile> => ({
  type: 'application/json',
  bytes: Buffer.from(JSON.stringify({ code_to_names: canonicalEmojiNamesByCode() })),
});

const STATIC_FILE_MAKERS_BY_PATH: Readonly<Record<string, () => Promise<StaticFile>>> = {
  'images/logo.svg': makeSvgFileMaker(LOGO_SVG),
  'emoji/emoji_api.json': makeEmojiNamesFile,
  'emoji/conclave.png': makeLogoMarkEmojiFile,
  // Existing clients know the picture under this path.
  'generated/emoji/images/emoji/unicode/zulip.png': makeLogoMarkEmojiFile,
};

const madeStaticFilesByPath = new Map<string, Promise<StaticFile>>();

/** Returns a file of the program, made on first use; undefined where there is no such file. */
export function getOrMakeStaticFile(path: string): Promise<StaticFile> | undefined {
  const make = Object.hasOwn(STATIC_FILE_MAKERS_BY_PATH, path) ? STATIC_FILE_MAKERS_BY_PATH[path] : undefined;
  let file = madeStaticFilesByPath.get(path);
  if (!file && make) {
    file = make();
    madeStaticFilesByPath.set(path, file);
    // A failed attempt to make a file is not cached.
    file.catch(() => madeStaticFilesByPath.delete(path));
  }
  return file;
}
