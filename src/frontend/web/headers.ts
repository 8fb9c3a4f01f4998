/** Headers of the page and of its files. */

export type WebFileHeaders = readonly (readonly [name: string, value: string])[];

interface WebFileVariantFacts {
  readonly type: string;
  /** Value of the ETag header, with quotes. */
  readonly etag: string;
  readonly coding: string | undefined;
  /** True if the file depends on Accept-Encoding, so that the answer needs the header Vary. */
  readonly varies: boolean;
}

/**
 * Content-Security-Policy of the page: it loads from and calls this server only, has no inline script or style, and
 * can't be framed.
 */
const PAGE_CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "media-src 'self' blob:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types conclave dompurify',
].join('; ');

/**
 * Content-Security-Policy of a file that is opened by itself, such as a picture with script in it: the file may do
 * nothing but calls to this server, which a worker needs.
 */
const FILE_CONTENT_SECURITY_POLICY = "default-src 'none'; connect-src 'self'; frame-ancestors 'none'";

const YEAR_SECONDS = 31_536_000;

const makeVariantHeaders = ({ type, etag, coding, varies }: WebFileVariantFacts): WebFileHeaders => [
  ['Content-Type', type],
  ['ETag', etag],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ...(coding === undefined ? [] : [['Content-Encoding', coding] as const]),
  ...(varies ? [['Vary', 'Accept-Encoding'] as const] : []),
];

export const makeWebPageHeaders = (variant: WebFileVariantFacts): WebFileHeaders => [
  ...makeVariantHeaders(variant),
  // Browsers revalidate the page each time, because it names the files of the current version; mostly the answer is
  // 304.
  ['Cache-Control', 'no-cache'],
  ['Content-Security-Policy', PAGE_CONTENT_SECURITY_POLICY],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
];

/** Returns the headers of a file. @param immutable true if the URL changes with the file's content */
export const makeWebFileHeaders = ({
  immutable,
  ...variant
}: WebFileVariantFacts & { readonly immutable: boolean }): WebFileHeaders => [
  ...makeVariantHeaders(variant),
  ['Cache-Control', immutable ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache'],
  ['Content-Security-Policy', FILE_CONTENT_SECURITY_POLICY],
];
