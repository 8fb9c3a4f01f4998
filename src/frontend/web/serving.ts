/** Chooses the answer to a request for the page or one of its files. */
import { CODINGS, type Coding, type WebFile, type WebVariant } from './manifest.js';

/** The head of a request. */
export interface WebRequest {
  /** Upper case. */
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  /** @param name in lower case @returns '' when absent */
  header(name: string): string;
}

export interface WebAnswer {
  readonly status: 200 | 304;
  readonly variant: WebVariant;
}

/** Paths are compared as they were sent: an address with escapes or dots names no file. @returns undefined: no file */
export function webAnswer(files: ReadonlyMap<string, WebFile>, request: WebRequest): WebAnswer | undefined {
  const { method, path } = request;
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const file = files.get(path);
  if (!file) return undefined;
  const coding = acceptedCoding(request.header('accept-encoding'), file);
  const variant = (coding && file.coded[coding]) ?? file.plain;
  return { status: names(request.header('if-none-match'), variant.etag) ? 304 : 200, variant };
}

/** If-None-Match names this tag, compared weakly (RFC 9110 § 13.1.2). */
const names = (header: string, etag: string): boolean =>
  header !== '' && header.split(',').some((one) => ['*', etag, `W/${etag}`].includes(one.trim()));

const WEIGHT = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i;

/** The coding that the client likes best (RFC 9110 § 12.5.3); between equals the smaller one. */
function acceptedCoding(header: string, file: WebFile): Coding | undefined {
  if (header === '') return undefined;
  const weights = new Map<string, number>();
  for (const item of header.toLowerCase().split(',')) {
    const [coding = '', weight] = item.split(';').map((part) => part.trim());
    // A malformed weight counts as 0: the plain file is always safe.
    weights.set(coding, weight === undefined ? 1 : Number(WEIGHT.exec(weight)?.[1] ?? 0));
  }
  let best: Coding | undefined;
  let highest = weights.get('identity') ?? 0;
  for (const coding of CODINGS) {
    const weight = weights.get(coding) ?? weights.get('*') ?? 0;
    if (!file.coded[coding] || weight === 0) continue;
    if (best === undefined ? weight >= highest : weight > highest) [best, highest] = [coding, weight];
  }
  return best;
}
