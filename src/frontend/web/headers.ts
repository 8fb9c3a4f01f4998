/** Headers of the page and of its files. */

export type WebHeaders = readonly (readonly [name: string, value: string])[];

interface VariantFacts {
  readonly type: string;
  /** Value of the ETag header, with quotes. */
  readonly etag: string;
  readonly coding: string | undefined;
  /** Clients with another Accept-Encoding get another form. */
  readonly varies: boolean;
}

/** The page loads and calls this server only, has no script or style in its text, and stands in no frame. */
const POLICY = [
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

/** A file that is opened by itself, such as a picture with script in it, may do nothing. A worker needs its calls. */
const FILE_POLICY = "default-src 'none'; connect-src 'self'; frame-ancestors 'none'";

const A_YEAR_S = 31_536_000;

const variantHeaders = ({ type, etag, coding, varies }: VariantFacts): WebHeaders => [
  ['Content-Type', type],
  ['ETag', etag],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ...(coding === undefined ? [] : [['Content-Encoding', coding] as const]),
  ...(varies ? [['Vary', 'Accept-Encoding'] as const] : []),
];

export const pageHeaders = (variant: VariantFacts): WebHeaders => [
  ...variantHeaders(variant),
  // The page names the files of its version, so it is asked for each time; mostly the answer is 304.
  ['Cache-Control', 'no-cache'],
  ['Content-Security-Policy', POLICY],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
];

/** @param immutable the address changes with the content */
export const fileHeaders = ({ immutable, ...variant }: VariantFacts & { readonly immutable: boolean }): WebHeaders => [
  ...variantHeaders(variant),
  ['Cache-Control', immutable ? `public, max-age=${A_YEAR_S}, immutable` : 'no-cache'],
  ['Content-Security-Policy', FILE_POLICY],
];
