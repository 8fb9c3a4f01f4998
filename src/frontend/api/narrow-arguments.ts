/** The narrow of a request, checked and passed to the caller's actor. */
import { type NarrowDialect, parseDistinctNarrowTerms } from '#domain/messages';
import type { NarrowArgs } from '#model/commands';
import type { ApiCall } from './operation.js';

/** First level of the API whose narrows may use every operator of the current dialect. */
const FIRST_LEVEL_OF_CURRENT_DIALECT = 271;

/** Checks the form of a narrow at the level of the call. @returns arguments of the command @throws ApiError */
export function checkNarrowAndMakeArguments(
  { apiLevel }: Pick<ApiCall<unknown>, 'apiLevel'>,
  narrow: string,
): NarrowArgs {
  const dialect: NarrowDialect = apiLevel >= FIRST_LEVEL_OF_CURRENT_DIALECT ? 'current' : 'classic';
  parseDistinctNarrowTerms(narrow, dialect);
  return dialect === 'current' ? { narrow, narrow_dialect: dialect } : { narrow };
}
