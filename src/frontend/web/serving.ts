/** Chooses the answer to a request for the page or one of its files. */
import {
  CONTENT_CODINGS_BEST_FIRST,
  type ContentCoding,
  type WebClientFile,
  type WebClientFiles,
  type WebFileVariant,
} from './manifest.js';
import { getOrMakeServerMadeWebFile } from './own-files.js';

/** The head of a request. */
export interface WebFileRequest {
  /** HTTP method in upper case. */
  readonly method: string;
  /** Path of the URL as sent, percent-encoded, without the query. */
  readonly path: string;
  /** Returns the value of a request header; '' when absent. @param name in lower case */
  header(name: string): string;
}

export interface WebFileAnswer {
  readonly status: 200 | 304;
  readonly variant: WebFileVariant;
}

/**
 * Answers a request for a file of the web client: the file in the best coding that the client accepts, or 304. Paths
 * are compared as they were sent: a path with escapes or dots names no file.
 *
 * @returns undefined where there is no such file
 */
export function findWebFileAnswer(
  files: WebClientFiles,
  request: WebFileRequest,
): WebFileAnswer | Promise<WebFileAnswer> | undefined {
  const { method, path } = request;
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const file = files.get(path) ?? getOrMakeServerMadeWebFile(path);
  if (!file) return undefined;
  const accepted = request.header('accept-encoding');
  const known = request.header('if-none-match');
  return file instanceof Promise
    ? file.then((found) => chooseWebFileAnswer(found, accepted, known))
    : chooseWebFileAnswer(file, accepted, known);
}

function chooseWebFileAnswer(file: WebClientFile, accepted: string, known: string): WebFileAnswer {
  const coding = choosePreferredCoding(accepted, file);
  const variant = (coding && file.variantsByCoding[coding]) ?? file.uncompressedVariant;
  return { status: doesHeaderNameEtag(known, variant.etag) ? 304 : 200, variant };
}

/** True if If-None-Match names this ETag, compared weakly (RFC 9110 § 13.1.2). */
const doesHeaderNameEtag = (header: string, etag: string): boolean =>
  header !== '' && header.split(',').some((one) => ['*', etag, `W/${etag}`].includes(one.trim()));

const CODING_WEIGHT_PATTERN = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i;

/**
 * Returns the coding that the client prefers (RFC 9110 § 12.5.3); of equals, br before gzip before the uncompressed
 * file.
 */
function choosePreferredCoding(header: string, file: WebClientFile): ContentCoding | undefined {
  if (header === '') return undefined;
  const weights = new Map<string, number>();
  for (const item of header.toLowerCase().split(',')) {
    const [coding = '', weight] = item.split(';').map((part) => part.trim());
    // A malformed weight counts as 0: the plain file is always safe.
    weights.set(coding, weight === undefined ? 1 : Number(CODING_WEIGHT_PATTERN.exec(weight)?.[1] ?? 0));
  }
  let best: ContentCoding | undefined;
  let highest = weights.get('identity') ?? 0;
  for (const coding of CONTENT_CODINGS_BEST_FIRST) {
    const weight = weights.get(coding) ?? weights.get('*') ?? 0;
    if (!file.variantsByCoding[coding] || weight === 0) continue;
    if (best === undefined ? weight >= highest : weight > highest) [best, highest] = [coding, weight];
  }
  return best;
}
