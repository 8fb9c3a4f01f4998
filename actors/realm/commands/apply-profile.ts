/** Values of custom profile fields, set by an administrator or by the account itself. */
import { apiError } from '../../../src/api/errors.js';
import type { JsonObject } from '../../../src/core/index.js';
import type { DirectoryUser } from '../../../src/directory/index.js';
import type { CommandContext } from '../../../src/runtime/index.js';
import type { Effect } from './account-changes.js';
import type { RealmView } from './subscribe.js';

export interface ProfileValue extends JsonObject {
  readonly id: number;
  /** null or empty: the field has no value any more. */
  readonly value: string | readonly number[] | null;
}

/** @throws ApiError; no organization has a field yet */
export function applyProfile(
  _user: DirectoryUser,
  values: readonly ProfileValue[],
  _view: RealmView,
  _context: CommandContext,
): Effect {
  for (const { id } of values) throw apiError('FIELD_NOT_FOUND', { id });
  return {};
}
