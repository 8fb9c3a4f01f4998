/** Files of the program itself, under `/static/`, that its answers name. */
import { emojiCodeNames } from '#domain/markdown';
import { LOGO, MARK } from './drawings.js';

export interface StaticFile {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** Side of an emoji's picture, pixels. */
const EMOJI_SIDE = 64;

const svg = (text: string) => async (): Promise<StaticFile> => ({ type: 'image/svg+xml', bytes: Buffer.from(text) });

/** Loaded when it is asked for: the server runs where the library has no build. */
async function mark(): Promise<StaticFile> {
  const { default: sharp } = await import('sharp');
  return { type: 'image/png', bytes: await sharp(Buffer.from(MARK)).resize(EMOJI_SIDE, EMOJI_SIDE).png().toBuffer() };
}

/** Names of each Unicode emoji by its code; the first one is the name that goes out. */
const emojiData = async (): Promise<StaticFile> => ({
  type: 'application/json',
  bytes: Buffer.from(JSON.stringify({ code_to_names: emojiCodeNames() })),
});

const FILES: Readonly<Record<string, () => Promise<StaticFile>>> = {
  'images/logo.svg': svg(LOGO),
  'emoji/emoji_api.json': emojiData,
  'emoji/conclave.png': mark,
  // Under the name that existing clients know.
  'generated/emoji/images/emoji/unicode/zulip.png': mark,
};

const made = new Map<string, Promise<StaticFile>>();

/** undefined: there is no such file. */
export function staticFile(path: string): Promise<StaticFile> | undefined {
  const make = Object.hasOwn(FILES, path) ? FILES[path] : undefined;
  let file = made.get(path);
  if (!file && make) {
    file = make();
    made.set(path, file);
    // Not to be remembered.
    file.catch(() => made.delete(path));
  }
  return file;
}
