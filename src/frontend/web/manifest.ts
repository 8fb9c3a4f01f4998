/**
 * The files of the web client: `tools/build-web.mjs` lists them in `manifest.json`, and this module reads them into
 * memory once.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { makeWebFileHeaders, makeWebPageHeaders, type WebFileHeaders } from './headers.js';

/** Codings of files that were compressed at the build, best first, with the endings of their files. */
const FILE_ENDING_BY_CODING = { br: 'br', gzip: 'gz' } as const;
export type ContentCoding = keyof typeof FILE_ENDING_BY_CODING;
export const CONTENT_CODINGS_BEST_FIRST = Object.keys(FILE_ENDING_BY_CODING) as readonly ContentCoding[];

/** A row of the manifest: one file of the web client. */
interface ManifestRow {
  /** Name of the file, relative to the folder of the manifest. */
  readonly file: string;
  readonly type: string;
  readonly etag: string;
  /** Sizes in bytes of the compressed forms, which are stored beside the file, by coding. */
  readonly encodings?: Readonly<Record<string, number>>;
}

/** One form of a file: uncompressed, or compressed with one coding. */
export interface WebFileVariant {
  readonly bytes: Uint8Array;
  /** Value of the ETag header, with quotes; each form has its own. */
  readonly etag: string;
  readonly headers: WebFileHeaders;
}

export interface WebClientFile {
  readonly uncompressedVariant: WebFileVariant;
  readonly variantsByCoding: { readonly [C in ContentCoding]?: WebFileVariant };
}

/** Files of the web client by the path of their URL. */
export type WebClientFiles = ReadonlyMap<string, WebClientFile>;

/** Folder of files whose names change with their content, so that browsers may cache them for ever. */
const IMMUTABLE_FILES_URL_PREFIX = '/web/assets/';
const ETAG_PATTERN = /^"?([\w.+-]{1,128})"?$/;

function parseManifestRow(path: string, value: unknown): ManifestRow {
  const { file, type, etag, encodings } = value as Partial<ManifestRow>;
  const tag = ETAG_PATTERN.exec(String(etag))?.[1];
  if (!path.startsWith('/') || typeof file !== 'string' || typeof type !== 'string' || tag === undefined) {
    throw new Error(`the manifest of the web client is broken: ${path}`);
  }
  return { file, type, etag: tag, ...(encodings && { encodings }) };
}

function resolvePathInsideFolder(folder: string, file: string): string {
  const path = resolve(folder, file);
  if (path.startsWith(`${resolve(folder)}${sep}`)) return path;
  throw new Error(`a file of the web client is outside of its folder: ${file}`);
}

function readWebClientFileVariants(
  folder: string,
  address: string,
  { file, type, etag, encodings }: ManifestRow,
): WebClientFile {
  const path = resolvePathInsideFolder(folder, file);
  const codings = CONTENT_CODINGS_BEST_FIRST.filter(
    (coding) => encodings?.[FILE_ENDING_BY_CODING[coding]] !== undefined,
  );
  const make = (name: string, coding?: ContentCoding): WebFileVariant => {
    const tag = `"${coding === undefined ? etag : `${etag}-${coding}`}"`;
    const facts = { type, etag: tag, coding, varies: codings.length > 0 };
    const headers =
      address === '/'
        ? makeWebPageHeaders(facts)
        : makeWebFileHeaders({ ...facts, immutable: address.startsWith(IMMUTABLE_FILES_URL_PREFIX) });
    return { bytes: readFileSync(name), etag: tag, headers };
  };
  const coded = codings.map((coding) => [coding, make(`${path}.${FILE_ENDING_BY_CODING[coding]}`, coding)] as const);
  return { uncompressedVariant: make(path), variantsByCoding: Object.fromEntries(coded) };
}

/**
 * Reads all files of the web client into memory, before the server listens. It blocks the thread for some 10 ms for 200
 * files. Asynchronous reads take 20 to 35 ms, because each of them wakes another thread four times.
 * @returns undefined where the web client was not built
 * @throws Error for a manifest that names files wrongly
 */
export async function readWebClientFiles(folder: string): Promise<WebClientFiles | undefined> {
  let text: string;
  try {
    text = await readFile(join(folder, 'manifest.json'), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const rows = Object.entries(JSON.parse(text) as Record<string, unknown>);
  return new Map(
    rows.map(([address, row]) => [address, readWebClientFileVariants(folder, address, parseManifestRow(address, row))]),
  );
}
