/** The `body` step of the pipeline: reads the form in a request's body. */
import { memoizeByObject } from '#base';
import { type ApiOperation, DEFAULT_MAX_REQUEST_BODY_MIB, type UploadedFile } from '#frontend/api';
import { apiError } from '#model/errors';
import { parseMultipartForm } from './form-multipart.js';
import { type FormFields, NO_FORM_FIELDS, parseUrlencodedBody } from './form-urlencoded.js';
import type { RoutedOperation } from './route.js';
import type { HttpExchange } from './server.js';

export interface ParsedForm {
  readonly fields: FormFields;
  readonly files: readonly UploadedFile[] | 'too large';
  /** The body, where the operation reads it itself. */
  readonly body?: Uint8Array;
}

export const EMPTY_FORM: ParsedForm = { fields: NO_FORM_FIELDS, files: [] };
const FORM_WITH_TOO_LARGE_FILES: ParsedForm = { fields: NO_FORM_FIELDS, files: 'too large' };

/** Maximum of bytes that boundaries, part heads and fields take in a form beside the file. */
const MAX_FORM_OVERHEAD_BYTES = 64 * 1024;
/** Maximum of bytes of a body with one file of `mib` MiB. */
export const maxBodyBytesWithFile = (mib: number): number => mib * 1_048_576 + MAX_FORM_OVERHEAD_BYTES;

export const isFormMediaType = (type: string): boolean =>
  type === 'application/x-www-form-urlencoded' || isMultipartMediaType(type);
export const isMultipartMediaType = (type: string): boolean => type === 'multipart/form-data';

interface FormReadOptions {
  /** Value of the Content-Type header, with its parameters. */
  readonly contentType: string;
  /** Media type in the Content-Type header, in lower case. */
  readonly mediaType: string;
  readonly maxBytes: number;
  /** True if files are kept; otherwise they are skipped. */
  readonly keepsFiles: boolean;
  /** True if the body is kept as it is, whatever its media type. */
  readonly keepsBody: boolean;
  /** Promise to await before the body is parsed; if it rejects, the body is not parsed. */
  readonly beforeParsing: Promise<unknown> | undefined;
  /** As for `HttpExchange.readBody`. */
  readonly onProgress: ((heldByteCount: number) => void) | undefined;
}

/**
 * Reads the body as `HttpExchange.readBody` does. A body that is too large is refused. With `files`, such a body
 * becomes a form whose files are 'too large', because the operation has its own error for that.
 *
 * @param take called with a function that returns the parsed form or throws; `take` must call it at once, while the
 * bytes are valid
 */
export function readRequestForm(
  exchange: HttpExchange,
  { contentType, mediaType, maxBytes, keepsFiles, keepsBody, beforeParsing, onProgress }: FormReadOptions,
  take: (read: () => ParsedForm | Promise<ParsedForm>) => void,
): void {
  const progress = {
    get abandoned(): boolean {
      return exchange.aborted || exchange.answered;
    },
  };
  const parse = (body: Uint8Array): ParsedForm | Promise<ParsedForm> => {
    if (keepsBody) return { ...EMPTY_FORM, body };
    if (isMultipartMediaType(mediaType)) return parseMultipartForm(body, contentType, keepsFiles, progress);
    return { fields: parseUrlencodedBody(body), files: [] };
  };
  const read = (body: Uint8Array | undefined): ParsedForm | Promise<ParsedForm> => {
    if (!body) {
      if (keepsFiles)
        return beforeParsing ? beforeParsing.then(() => FORM_WITH_TOO_LARGE_FILES) : FORM_WITH_TOO_LARGE_FILES;
      throw apiError('BODY_TOO_LARGE');
    }
    if (!beforeParsing && !keepsBody && !isMultipartMediaType(mediaType)) return parse(body);
    // Keep a copy: the body's bytes are valid during this call only.
    const copy = Buffer.from(body);
    return beforeParsing ? beforeParsing.then(() => parse(copy)) : parse(copy);
  };
  exchange.readBody((body) => take(() => read(body)), maxBytes, onProgress);
}

/** Limit on the memory of all uploads together: bodies with files are kept until their requests are answered. */
export class UploadMemoryBudget {
  #unreservedBytes: number;
  readonly #reservedBytesByAccount = new Map<string, number>();

  constructor(
    bytes: number,
    private readonly maxUploadBodyBytes: number,
  ) {
    this.#unreservedBytes = bytes;
  }

  /**
   * True if the account may reserve these bytes now. One upload may take all free memory; beyond that, at least as much
   * must stay free for others as the account has reserved.
   */
  hasRoom(account: string, bytes: number): boolean {
    const left = this.#unreservedBytes - bytes;
    const own = (this.#reservedBytesByAccount.get(account) ?? 0) + bytes;
    return left >= 0 && own <= Math.max(left, this.maxUploadBodyBytes);
  }

  /** Reserves memory for an account. @param bytes negative to release memory */
  reserve(account: string, bytes: number): void {
    this.#unreservedBytes -= bytes;
    const own = (this.#reservedBytesByAccount.get(account) ?? 0) + bytes;
    if (own === 0) this.#reservedBytesByAccount.delete(account);
    else this.#reservedBytesByAccount.set(account, own);
  }
}

/** The memory of one upload, reserved as its bytes arrive: an upload that stalls holds only what it has sent. */
export class UploadMemoryReservation {
  #bytes = 0;

  constructor(
    private readonly budget: UploadMemoryBudget,
    private readonly account: string,
  ) {}

  /** Returns true if the reservation could grow to this size now. */
  canGrowTo(bytes: number): boolean {
    return this.budget.hasRoom(this.account, bytes - this.#bytes);
  }

  /** Enlarges the reservation to this size. @returns false when too little memory is left */
  tryGrowTo(bytes: number): boolean {
    if (!this.canGrowTo(bytes)) return false;
    this.budget.reserve(this.account, bytes - this.#bytes);
    this.#bytes = bytes;
    return true;
  }

  release(): void {
    this.budget.reserve(this.account, -this.#bytes);
    this.#bytes = 0;
  }
}

/** Limits of a form whose operation is not known yet: the form of a POST may itself name the method. */
export interface RequestFormPolicy {
  /** True if the request may mean some operation of the path. */
  readonly hasOperation: boolean;
  /** True if every possible operation needs an account, apart from visitors of organizations with public access. */
  readonly needsAccount: boolean;
  /** True if some possible operation is open to visitors without an account. */
  readonly admitsVisitors: boolean;
  /** True if every possible operation takes an API key in the query. */
  readonly takesKeyInQuery: boolean;
  readonly takesFiles: boolean;
  /** True if every possible operation reads the body itself. */
  readonly takesBody: boolean;
  /** Maximum of bytes of a body without files. */
  readonly maxBytes: number;
}

type OperationsByMethod = ReadonlyMap<string, RoutedOperation>;

const makeFormPolicyForOperations = (operations: readonly ApiOperation[]): RequestFormPolicy => ({
  hasOperation: operations.length > 0,
  needsAccount: operations.every(({ guard, visitors }) => guard !== 'none' && !visitors),
  admitsVisitors: operations.some(({ anonymous }) => anonymous === true),
  takesKeyInQuery: operations.every(({ keyInQuery }) => keyInQuery === true),
  takesFiles: operations.some(({ takesFiles }) => takesFiles === true),
  takesBody: operations.every(({ takesBody }) => takesBody === true),
  maxBytes: Math.max(0, ...operations.map(({ maxBodyMib = DEFAULT_MAX_REQUEST_BODY_MIB }) => maxBodyMib)) * 1_048_576,
});

const formPoliciesByMethod = memoizeByObject(
  (methods: OperationsByMethod): ReadonlyMap<string, RequestFormPolicy> =>
    new Map([
      ...[...methods].map(([method, { operation }]) => [method, makeFormPolicyForOperations([operation])] as const),
      ['POST', makeFormPolicyForOperations([...methods.values()].map(({ operation }) => operation))] as const,
    ]),
);

const NO_OPERATION_FORM_POLICY = makeFormPolicyForOperations([]);

export const formPolicyOfMethod = (methods: OperationsByMethod, method: string): RequestFormPolicy =>
  formPoliciesByMethod(methods).get(method) ?? NO_OPERATION_FORM_POLICY;
