/** Bounds of lists and texts by what they mean, in the words of the API's validators (docs/limits.md § Lists and dictionaries). */
import { apiError } from './errors.js';

/** @throws ApiError */
export function checkCount(name: string, count: number, most: number): void {
  if (count > most) throw apiError('VALIDATION_FAILED', { message: `${name} has too many items (limit: ${most})` });
}

/** @param length as its weight is measured @throws ApiError */
export function checkLength(name: string, length: number, most: number): void {
  if (length > most) {
    throw apiError('VALIDATION_FAILED', { message: `${name} is too long (limit: ${most} characters)` });
  }
}
