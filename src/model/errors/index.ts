/**
 * Refusals of the API: the catalogue of all error answers and the exceptions that carry them.
 *
 * Each situation in which a client is refused has one entry in `catalogue.ts` (code, status, message, data fields) and
 * a name. Operations and handlers throw `apiError('NAME', values)`; the type of the name demands exactly the values
 * that the entry needs. The reason in logs, metrics and tests is that name.
 *
 * An actor's refusal travels as an `ApiErrorReply`: the runtime makes it from the exception with `toReply()`. An
 * operation that asks an actor throws the reply again as `ActorRefusedError`. The frontend writes both in the same way.
 *
 * Values that break a schema, a length or a count are refused by `validationError`, `checkParameterTextLength` and
 * `checkParameterItemCount`: one code, and a message with the name of the parameter.
 *
 * Pure: imports JSON types from `#base` alone, so that everything above may import it.
 */
export type { ApiErrorName } from './catalogue.js';
export {
  ActorRefusedError,
  ApiError,
  type ApiErrorReply,
  apiError,
  checkParameterItemCount,
  checkParameterTextLength,
  PRODUCT_NAME,
  retryAfterSecondsOf,
  tooManyItemsError,
  validationError,
} from './errors.js';
