/** The form in a request's body. */

import type { UploadedFile } from '#frontend/api';
import { apiError } from '#model/errors';
import { type Fields, NO_FIELDS, parseFormBody } from './params-form.js';
import { parseMultipart } from './params-multipart.js';
import type { HttpExchange } from './server.js';

export interface Form {
  readonly fields: Fields;
  readonly files: readonly UploadedFile[] | 'too large';
}

export const NO_FORM: Form = { fields: NO_FIELDS, files: [] };
const TOO_LARGE: Form = { fields: NO_FIELDS, files: 'too large' };

/** Boundaries, heads and other fields beside the file. */
const BESIDE_FILE = 64 * 1024;
/** Largest body with one file of that many MiB. */
export const bodyWithFile = (mib: number): number => mib * 1_048_576 + BESIDE_FILE;

export const isForm = (type: string): boolean => type === 'application/x-www-form-urlencoded' || isMultipart(type);
export const isMultipart = (type: string): boolean => type === 'multipart/form-data';

export interface FormOptions {
  /** The whole Content-Type header. */
  readonly contentType: string;
  /** Its first part. */
  readonly type: string;
  /** Most bytes. */
  readonly most: number;
  /** Files are kept; else they are skipped. */
  readonly files: boolean;
  /** Nothing is parsed before it has resolved. */
  readonly after: Promise<unknown> | undefined;
}

/**
 * @param take gets the form, or throws what the reading of it throws. A body that is too large is refused, but with
 * files it is left to the operation, which has a message of its own.
 */
export function readForm(
  exchange: HttpExchange,
  { contentType, type, most, files, after }: FormOptions,
  take: (read: () => Form | Promise<Form>) => void,
): void {
  const left = {
    get up(): boolean {
      return exchange.aborted || exchange.answered;
    },
  };
  const parse = (body: Uint8Array): Form | Promise<Form> => {
    if (isMultipart(type)) return parseMultipart(body, contentType, files, left);
    return { fields: parseFormBody(body), files: [] };
  };
  const read = (body: Uint8Array | undefined): Form | Promise<Form> => {
    if (!body) {
      if (files) return after ? after.then(() => TOO_LARGE) : TOO_LARGE;
      throw apiError('BODY_TOO_LARGE');
    }
    if (!after && !isMultipart(type)) return parse(body);
    // The bytes are valid during this call only.
    const kept = Buffer.from(body);
    return after ? after.then(() => parse(kept)) : parse(kept);
  };
  exchange.readBody((body) => take(() => read(body)), most);
}

/** Memory for uploads under way: bodies with files are held until they are answered. */
export class UploadRoom {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Gives back what was taken; undefined when there is no room. */
  take(bytes: number): (() => void) | undefined {
    if (bytes > this.#left) return undefined;
    this.#left -= bytes;
    return () => {
      this.#left += bytes;
    };
  }
}
