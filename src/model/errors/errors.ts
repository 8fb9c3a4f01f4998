/**
 * Refusals as exceptions. Thrown by operations, by the frontend and by actors; pure, so that actors may import it.
 */
import type { Json, JsonObject, RateStanding } from '#base';
import { type CatalogueEntry, catalogue, type ErrorName } from './catalogue/index.js';

export const PRODUCT = 'Conclave';

type Placeholder<M extends string> = M extends `${string}{${infer Name}}${infer Rest}`
  ? Exclude<Name, 'product'> | Placeholder<Rest>
  : never;
type DataOf<E> = E extends { readonly data: readonly (infer D extends string)[] } ? D : never;
/** What must be given to make the error: the placeholders of its message and its data fields. */
export type ErrorValues<N extends ErrorName> = {
  readonly [K in Placeholder<(typeof catalogue)[N]['msg']> | DataOf<(typeof catalogue)[N]>]: Json;
};

/** The error part of a reply. Without `code` the answer has none. */
export interface ErrorReply {
  readonly code?: string;
  readonly status: number;
  readonly msg: string;
  /** Fields beside `msg`. */
  readonly extra?: JsonObject;
  /** The answer is this page: `msg`, alone. */
  readonly html?: true;
  /** Of the limit that refused, or that counts refusals like this. */
  readonly rate?: RateStanding;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string | undefined;
  readonly extra: JsonObject | undefined;
  #rate: RateStanding | undefined;

  constructor(
    /** Name in the catalogue; for logs and tests. */
    readonly reason: ErrorName,
    values: JsonObject,
  ) {
    const entry: CatalogueEntry = catalogue[reason];
    // A stack costs more than the rest of a refused request, and a refusal is no defect.
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(fill(entry.msg, values));
    Error.stackTraceLimit = limit;
    this.status = entry.status;
    this.code = entry.code;
    this.extra = entry.data ? Object.fromEntries(entry.data.map((name) => [name, values[name] ?? null])) : undefined;
  }

  get retryable(): boolean {
    return (catalogue[this.reason] as CatalogueEntry).retryable === true;
  }

  withRate(rate: RateStanding): this {
    this.#rate = rate;
    return this;
  }

  toReply(): ErrorReply {
    return {
      ...(this.code === undefined ? {} : { code: this.code }),
      status: this.status,
      msg: this.message,
      ...(this.extra === undefined ? {} : { extra: this.extra }),
      ...((catalogue[this.reason] as CatalogueEntry).html ? { html: true } : {}),
      ...(this.#rate === undefined ? {} : { rate: this.#rate }),
    };
  }
}

/** What an actor refused, on its way through an operation. */
export class ActorRefused extends Error {
  override readonly name = 'ActorRefused';
  constructor(readonly reply: ErrorReply) {
    super(reply.msg);
  }
}

/** One pass, so that braces in a value that a user chose are left alone. */
function fill(template: string, values: JsonObject): string {
  if (!template.includes('{')) return template;
  return template.replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    if (name === 'product') return PRODUCT;
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  });
}

type Given<N extends ErrorName> = keyof ErrorValues<N> extends never ? [] : [values: ErrorValues<N>];

/** The error of that name. Values for placeholders and data fields are demanded by the type. */
export function apiError<N extends ErrorName>(name: N, ...given: Given<N>): ApiError {
  return new ApiError(name, (given[0] ?? {}) as JsonObject);
}

/** A validator's refusal: BAD_REQUEST with a message made from the schema or by the handler. */
export const validationError = (message: string): ApiError => apiError('VALIDATION_FAILED', { message });
