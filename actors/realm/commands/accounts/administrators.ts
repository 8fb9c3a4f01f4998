/** Who may change accounts, and what an organization keeps whoever does: its last owner. */

import { isAdmin, isOwner } from '#domain/people';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import { type Parts, userOf, usersOf } from '../../state.js';

/** undefined = the system, which may do everything. @throws ApiError when the caller is no administrator */
export function actingAdmin(parts: Parts, caller: number): DirectoryUser | undefined {
  if (caller === 0) return undefined;
  const acting = userOf(parts, caller);
  if (!acting || !isAdmin(acting)) throw apiError('INSUFFICIENT_PERMISSION');
  return acting;
}

/** Owners are changed by owners only. @throws ApiError */
export function checkOwner(acting: DirectoryUser | undefined): void {
  if (acting && !isOwner(acting)) throw apiError('OWNER_REQUIRED');
}

/** The only active human who is an owner. An organization must not lose him in any way. */
export function isLastOwner(parts: Parts, user: DirectoryUser): boolean {
  const owns = (one: DirectoryUser): boolean => isOwner(one) && one.isActive && one.botType === null;
  if (!owns(user)) return false;
  for (const other of usersOf(parts)) if (other.id !== user.id && owns(other)) return false;
  return true;
}
