/** The files of the web client, as `tools/build-web.mjs` lists them in `manifest.json`, read into memory once. */
import { readFile } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { fileHeaders, pageHeaders, type WebHeaders } from './headers.js';

/** Codings of files that were compressed at the build, best first. */
export const CODINGS = ['br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

/** An entry of the manifest. Files are named relative to its folder. */
interface ManifestEntry {
  readonly file: string;
  readonly type: string;
  readonly etag: string;
  /** The path changes with the content. */
  readonly immutable: boolean;
  readonly encodings?: { readonly [C in Coding]?: string };
}

/** One form of a file: plain, or under a coding. */
export interface WebVariant {
  readonly bytes: Uint8Array;
  /** With quotes; each form has its own. */
  readonly etag: string;
  readonly headers: WebHeaders;
}

export interface WebFile {
  readonly plain: WebVariant;
  readonly coded: { readonly [C in Coding]?: WebVariant };
}

const ETAG = /^[\w.+-]{1,128}$/;

function entryOf(path: string, value: unknown): ManifestEntry {
  const { file, type, etag, immutable, encodings = {} } = value as Partial<ManifestEntry>;
  const tag = typeof etag === 'string' ? etag.replace(/^"(.*)"$/, '$1') : '';
  const names = [file, ...Object.values(encodings)];
  const good =
    path.startsWith('/') &&
    names.every((name) => typeof name === 'string') &&
    typeof type === 'string' &&
    ETAG.test(tag);
  if (!good || file === undefined || type === undefined)
    throw new Error(`the manifest of the web client is broken: ${path}`);
  return { file, type, etag: tag, immutable: immutable === true, encodings };
}

async function readInside(folder: string, file: string): Promise<Uint8Array> {
  const path = resolve(folder, file);
  if (!path.startsWith(`${resolve(folder)}${sep}`))
    throw new Error(`a file of the web client is outside of its folder: ${file}`);
  return readFile(path);
}

async function load(folder: string, path: string, entry: ManifestEntry): Promise<WebFile> {
  const { file, type, etag, immutable, encodings = {} } = entry;
  const codings = CODINGS.filter((coding) => encodings[coding] !== undefined);
  const make = async (name: string, coding?: Coding): Promise<WebVariant> => {
    const tag = `"${coding === undefined ? etag : `${etag}-${coding}`}"`;
    const own = { type, etag: tag, coding, varies: codings.length > 0 };
    return {
      bytes: await readInside(folder, name),
      etag: tag,
      headers: path === '/' ? pageHeaders(own) : fileHeaders({ ...own, immutable }),
    };
  };
  const coded = await Promise.all(
    codings.map(async (coding) => [coding, await make(encodings[coding]!, coding)] as const),
  );
  return { plain: await make(file), coded: Object.fromEntries(coded) };
}

/**
 * Files by the path of their address.
 *
 * @returns undefined where the web client was not built
 * @throws Error for a manifest that names files wrongly
 */
export async function readWebFiles(folder: string): Promise<ReadonlyMap<string, WebFile> | undefined> {
  let text: string;
  try {
    text = await readFile(join(folder, 'manifest.json'), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const entries = Object.entries(JSON.parse(text) as Record<string, unknown>);
  const files = entries.map(async ([path, value]) => [path, await load(folder, path, entryOf(path, value))] as const);
  return new Map(await Promise.all(files));
}
