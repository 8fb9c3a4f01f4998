/** Refusals that name the fields of an object (errors.md): linkifiers and playgrounds. */

import type { JsonObject } from '#base';
import type { FieldErrors } from '#domain/markdown';
import { apiError } from '#model/errors';

/** @throws ApiError with the first of the messages, when there is one */
export function refuseFields(errors: FieldErrors): void {
  const [first] = Object.values(errors);
  if (first) throw apiError('INVALID_FIELDS', { message: first[0]!, errors: errors as JsonObject });
}
