/** Refusals that name the fields of an object (errors.md): linkifiers and playgrounds. */
import { apiError } from '../../../../src/api/errors.js';
import type { JsonObject } from '../../../../src/core/index.js';
import type { FieldErrors } from '../../../../src/markdown/index.js';

/** @throws ApiError with the first of the messages, when there is one */
export function refuseFields(errors: FieldErrors): void {
  const [first] = Object.values(errors);
  if (first) throw apiError('INVALID_FIELDS', { message: first[0]!, errors: errors as JsonObject });
}
