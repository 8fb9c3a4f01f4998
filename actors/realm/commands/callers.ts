/** Checks of the caller: the account on whose behalf a command runs, and its rights over accounts and streams. */

import { isAdminOrOwner, isOwner } from '#domain/people';
import type { StreamSubscribersReply } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryStream, DirectoryUser } from '#model/records';
import { type ActorParts, findStreamRecord, findUserRecord, listUserRecords } from '../state.js';

/** The caller's account, which must be active. @throws ApiError */
export function getActingUserOrThrow(parts: ActorParts, caller: number): DirectoryUser {
  const user = findUserRecord(parts, caller);
  if (!user?.isActive) throw apiError('ACCOUNT_DEACTIVATED');
  return user;
}

/** The calling administrator; undefined = the system, which has all rights. @throws ApiError for other callers */
export function getActingAdminOrSystemOrThrow(parts: ActorParts, caller: number): DirectoryUser | undefined {
  if (caller === 0) return undefined;
  const acting = findUserRecord(parts, caller);
  if (!acting || !isAdminOrOwner(acting)) throw apiError('INSUFFICIENT_PERMISSION');
  return acting;
}

/** Checks that the caller may change owners: only owners and the system (undefined) may. @throws ApiError */
export function checkMayChangeOwners(acting: DirectoryUser | undefined): void {
  if (acting && !isOwner(acting)) throw apiError('OWNER_REQUIRED');
}

/** True if the user is the only active human owner; an organization must keep one. */
export function isLastActiveOwner(parts: ActorParts, user: DirectoryUser): boolean {
  const owns = (one: DirectoryUser): boolean => isOwner(one) && one.isActive && one.botType === null;
  if (!owns(user)) return false;
  for (const other of listUserRecords(parts)) if (other.id !== user.id && owns(other)) return false;
  return true;
}

/** An administrator, the stream to change, and whether the administrator is subscribed to it. */
export interface StreamAdministrationContext {
  readonly acting: DirectoryUser;
  readonly stream: DirectoryStream;
  readonly subscribed: boolean;
}

/**
 * The stream and the caller, if the caller may change it (streams.md § PATCH /streams/{stream_id}): administrators may
 * change every stream, private and archived ones too. @throws ApiError
 */
export function getAdministeredStreamOrThrow(
  parts: ActorParts,
  caller: number,
  id: number,
  membership: StreamSubscribersReply | undefined,
): StreamAdministrationContext {
  const acting = findUserRecord(parts, caller);
  const stream = findStreamRecord(parts, id);
  if (!acting || !stream) throw apiError('INVALID_STREAM_ID');
  const subscribed = membership?.members.includes(caller) ?? false;
  if (!isAdminOrOwner(acting))
    throw apiError(stream.inviteOnly && !subscribed ? 'INVALID_STREAM_ID' : 'ADMIN_REQUIRED');
  return { acting, stream, subscribed };
}
