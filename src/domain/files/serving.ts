/**
 * HTTP responses with stored files: ranges, caching, and headers that keep browsers from treating files as pages. The
 * functions have no side effects.
 */
import { extname } from 'node:path';
import { lookup } from 'mrmime';

/** Media types of files that browsers show in place. All others are sent as attachments. */
const INLINE_DISPLAY_CONTENT_TYPES: ReadonlySet<string> = new Set([
  'application/pdf',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
]);

const FILE_CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self'; object-src 'self'; plugin-types application/pdf;";

const ANY_BYTES_CONTENT_TYPE = 'application/octet-stream';

/**
 * Types that tell nothing about a file: that of a part without a type (RFC 7578 § 4.4), that of any bytes, and a
 * misspelling of image/jpeg.
 */
const UNTELLING_CONTENT_TYPES: ReadonlySet<string> = new Set([ANY_BYTES_CONTENT_TYPE, 'image/jpg', 'text/plain']);

/** The media type that the uploader named, if it can stand in a header; otherwise a type for any bytes. */
function toSafeContentType(announced: string): string {
  const type = announced.split(';', 1)[0]!.trim().toLowerCase();
  return type.length <= 100 && /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/.test(type)
    ? type
    : ANY_BYTES_CONTENT_TYPE;
}

/**
 * Media type with which a file is stored: the one that the uploader named, or the one of the name's extension where the
 * former tells nothing. It can stand in a header.
 */
export function contentTypeOfUploadedFile(announced: string, name: string): string {
  const type = toSafeContentType(announced);
  const typeOfName = lookup(extname(name)) ?? ANY_BYTES_CONTENT_TYPE;
  return UNTELLING_CONTENT_TYPES.has(type) && typeOfName !== ANY_BYTES_CONTENT_TYPE ? typeOfName : type;
}

/**
 * Cache policy. private: only the client may cache. public: access needs no log-in. changing: public, but the bytes at
 * the address may change.
 */
type FileCachePolicy = 'private' | 'public' | 'changing';

const CACHE_CONTROL_BY_POLICY: Readonly<Record<FileCachePolicy, string>> = {
  private: 'private, immutable',
  public: 'public, max-age=31536000, immutable',
  changing: 'public, no-cache',
};

export interface FileResponseProperties {
  readonly name: string;
  readonly type: string;
  /** ETag without quotes: it changes with the bytes of the file. */
  readonly tag: string;
  readonly download: boolean;
  readonly caching: FileCachePolicy;
}

export function makeFileResponseHeaders({
  name,
  type,
  tag,
  download,
  caching,
}: FileResponseProperties): Record<string, string> {
  const inline = !download && INLINE_DISPLAY_CONTENT_TYPES.has(type);
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const exact = encodeURIComponent(name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return {
    'Content-Type': type,
    'Content-Disposition': `${inline ? 'inline' : 'attachment'}; filename="${plain}"; filename*=UTF-8''${exact}`,
    'Content-Security-Policy': FILE_CONTENT_SECURITY_POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': CACHE_CONTROL_BY_POLICY[caching],
    'Accept-Ranges': 'bytes',
    ETag: `"${tag}"`,
  };
}

interface ByteRange {
  readonly start: number;
  /** Offset behind the last byte of the range. */
  readonly end: number;
}

/**
 * Parses the header Range. @returns undefined if the whole file must be sent: no range, several, or one in another form
 */
export function parseSatisfiableByteRange(header: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const found = /^bytes=(\d*)-(\d*)$/.exec(header.replaceAll(' ', ''));
  const [, first = '', last = ''] = found ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size };
  }
  const start = Number(first);
  const end = last === '' ? size : Math.min(Number(last) + 1, size);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? 'unsatisfiable' : { start, end };
}

/** Headers of a request that make its response conditional; '' = absent. */
interface ConditionalRequestHeaders {
  readonly range: string;
  readonly ifRange: string;
  readonly ifNoneMatch: string;
}

interface RangeResponsePlan extends ByteRange {
  readonly status: 200 | 206 | 304 | 416;
  readonly headers: Readonly<Record<string, string>>;
}

/** ETag of the compressed form of a file. */
export const unquotedEtagOfGzip = (tag: string): string => `${tag}-gzip`;

/** The range of bytes to send, the status, and headers besides `makeFileResponseHeaders`. */
export function planRangeResponse(
  size: number,
  tag: string,
  { range, ifRange, ifNoneMatch }: ConditionalRequestHeaders,
): RangeResponsePlan {
  const quoted = `"${tag}"`;
  const known = ifNoneMatch.split(',').map((one) => one.trim().replace(/^W\//, ''));
  const coded = `"${unquotedEtagOfGzip(tag)}"`;
  if (known.includes(coded)) return { status: 304, headers: { ETag: coded }, start: 0, end: 0 };
  if (known.includes(quoted) || known.includes('*')) return { status: 304, headers: {}, start: 0, end: 0 };
  const wanted = ifRange === '' || ifRange === quoted ? parseSatisfiableByteRange(range, size) : undefined;
  if (wanted === undefined) return { status: 200, headers: {}, start: 0, end: size };
  if (wanted === 'unsatisfiable') {
    return { status: 416, headers: { 'Content-Range': `bytes */${size}` }, start: 0, end: 0 };
  }
  const { start, end } = wanted;
  return { status: 206, headers: { 'Content-Range': `bytes ${start}-${end - 1}/${size}` }, start, end };
}
