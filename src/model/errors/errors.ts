/**
 * Refusals as exceptions, thrown by operations, by the frontend and by actors. The functions have no side effects, so
 * that actors may use them.
 */
import type { Json, JsonObject, RateLimitStatus } from '#base';
import { API_ERROR_CATALOGUE, type ApiErrorName, type ErrorCatalogueEntry } from './catalogue.js';

/** Name of the product in error messages and pages. */
export const PRODUCT_NAME = 'Conclave';

type MessagePlaceholderName<M extends string> = M extends `${string}{${infer Name}}${infer Rest}`
  ? Exclude<Name, 'product'> | MessagePlaceholderName<Rest>
  : never;
type ErrorDataFieldName<E> = E extends { readonly data: readonly (infer D extends string)[] } ? D : never;
/** Values needed to make the error: one per placeholder of its message and per data field. */
type ApiErrorValues<N extends ApiErrorName> = {
  readonly [K in
    | MessagePlaceholderName<(typeof API_ERROR_CATALOGUE)[N]['msg']>
    | ErrorDataFieldName<(typeof API_ERROR_CATALOGUE)[N]>]: Json;
};

/** The error in an actor's reply. Without `code` the response has none. */
export interface ApiErrorReply {
  readonly code?: string;
  readonly status: number;
  readonly msg: string;
  /** Fields of the response beside `msg`. */
  readonly extra?: JsonObject;
  /** True if the response is a page that consists of `msg` alone. */
  readonly html?: true;
  /** State of the rate limit that refused the call, or that counts refusals like this one. */
  readonly rate?: RateLimitStatus;
}

/** Whole seconds after which a refused client may try again; undefined if the refusal doesn't say. */
export function retryAfterSecondsOf({ extra }: ApiErrorReply): number | undefined {
  const after = extra?.['retry-after'];
  return typeof after === 'number' ? Math.ceil(after) : undefined;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string | undefined;
  readonly extra: JsonObject | undefined;
  #rateLimitStatus: RateLimitStatus | undefined;

  constructor(
    /** Name of the error in the catalogue, for logs and tests. */
    readonly reason: ApiErrorName,
    values: JsonObject,
  ) {
    const entry: ErrorCatalogueEntry = API_ERROR_CATALOGUE[reason];
    // No stack is recorded: that costs more than the rest of a refused request, and a refusal is not a bug.
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(fillInPlaceholders(entry.msg, values));
    Error.stackTraceLimit = limit;
    this.status = entry.status;
    this.code = entry.code;
    this.extra = entry.data ? Object.fromEntries(entry.data.map((name) => [name, values[name] ?? null])) : undefined;
  }

  get retryable(): boolean {
    return (API_ERROR_CATALOGUE[this.reason] as ErrorCatalogueEntry).retryable === true;
  }

  setRateLimitStatus(rate: RateLimitStatus): this {
    this.#rateLimitStatus = rate;
    return this;
  }

  toReply(): ApiErrorReply {
    return {
      ...(this.code === undefined ? {} : { code: this.code }),
      status: this.status,
      msg: this.message,
      ...(this.extra === undefined ? {} : { extra: this.extra }),
      ...((API_ERROR_CATALOGUE[this.reason] as ErrorCatalogueEntry).html ? { html: true } : {}),
      ...(this.#rateLimitStatus === undefined ? {} : { rate: this.#rateLimitStatus }),
    };
  }
}

/** Refusal by an actor, passed on unchanged by the operation that sent the command. */
export class ActorRefusedError extends Error {
  override readonly name = 'ActorRefusedError';
  constructor(readonly reply: ApiErrorReply) {
    super(reply.msg);
  }
}

/** Fills in the placeholders in one pass, so that braces inside a value (chosen by a user) stay as they are. */
function fillInPlaceholders(template: string, values: JsonObject): string {
  if (!template.includes('{')) return template;
  return template.replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    if (name === 'product') return PRODUCT_NAME;
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  });
}

type ApiErrorValuesArgument<N extends ApiErrorName> = keyof ApiErrorValues<N> extends never
  ? []
  : [values: ApiErrorValues<N>];

/** Makes the error with this name in the catalogue. The type demands a value for each placeholder and data field. */
export function apiError<N extends ApiErrorName>(name: N, ...[values]: ApiErrorValuesArgument<N>): ApiError {
  return new ApiError(name, (values ?? {}) as JsonObject);
}

/** Makes the refusal of an invalid value: BAD_REQUEST with a message from the schema or the handler. */
export const validationError = (message: string): ApiError => apiError('VALIDATION_FAILED', { message });

// Checks of the length of lists and texts, with the messages of the API's validators (docs/limits.md § Lists and
// dictionaries).

export const tooManyItemsError = (name: string, max: number): ApiError =>
  validationError(`${name} has too many items (limit: ${max})`);

/** Refuses a list in parameter `name` with more than `max` items. @throws ApiError */
export function checkParameterItemCount(name: string, count: number, max: number): void {
  if (count > max) throw tooManyItemsError(name, max);
}

/**
 * Refuses a text in parameter `name` that is longer than `max`.
 * @param length in the unit of `max`; the message calls the unit characters.
 * @throws ApiError
 */
export function checkParameterTextLength(name: string, length: number, max: number): void {
  if (length > max) throw validationError(`${name} is too long (limit: ${max} characters)`);
}
