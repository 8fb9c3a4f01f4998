/** Bounds of lists and texts, in the words of the API's validators (docs/limits.md § Lists and dictionaries). */
import { type ApiError, validationError } from './errors.js';

export const tooMany = (name: string, most: number): ApiError =>
  validationError(`${name} has too many items (limit: ${most})`);

/** @throws ApiError */
export function checkCount(name: string, count: number, most: number): void {
  if (count > most) throw tooMany(name, most);
}

/** @param length as its weight is measured @throws ApiError */
export function checkLength(name: string, length: number, most: number): void {
  if (length > most) throw validationError(`${name} is too long (limit: ${most} characters)`);
}
