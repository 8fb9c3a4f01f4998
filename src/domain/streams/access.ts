/**
 * Rights to see, read and post to a stream (streams.md § Who may see a stream, messages.md § Posting policy), also
 * without an account (conventions.md § Authentication). The functions have no side effects.
 */

import { isAdminOrOwner, isFullMemberOrAbove, isGuest, USER_ROLE } from '#domain/people';
import type { RealmSettings } from '#model';
import { apiError } from '#model/errors';
import type { DirectoryStream, DirectoryUser, DirectoryView } from '#model/records';

/** True if the user may know of the stream and read the messages that its history rules allow. */
export function mayAccessStream(user: DirectoryUser, stream: DirectoryStream, subscribed: boolean): boolean {
  if (stream.archived) return false;
  return subscribed || stream.webPublic || (!stream.inviteOnly && !isGuest(user));
}

/**
 * True if the user may know of the stream. Administrators may know of private and archived streams without a
 * subscription, but not read them.
 */
export function maySeeStreamMetadata(user: DirectoryUser, stream: DirectoryStream, subscribed: boolean): boolean {
  return mayAccessStream(user, stream, subscribed) || isAdminOrOwner(user);
}

/** True if the user may read messages that were sent before, or without, their subscription. */
export function mayReadStreamHistory(user: DirectoryUser, stream: DirectoryStream, subscribed: boolean): boolean {
  if (stream.archived) return false;
  if (stream.webPublic) return true;
  if (!stream.inviteOnly && !isGuest(user)) return true;
  return subscribed && stream.historyPublic;
}

/** Weakest role that sees a stream and its subscribers without a subscription. */
export function weakestRoleSeeingUnsubscribed(
  stream: { readonly inviteOnly: boolean; readonly webPublic: boolean } | undefined,
): number {
  if (!stream || stream.inviteOnly) return USER_ROLE.admin;
  return stream.webPublic ? USER_ROLE.guest : USER_ROLE.member;
}

interface StreamPosterContext {
  readonly user: DirectoryUser;
  readonly subscribed: boolean;
  /** Owner of the posting bot. A bot may post wherever its owner may. */
  readonly owner?: { readonly user: DirectoryUser; readonly subscribed: boolean };
}

function findPostPolicyRefusal(user: DirectoryUser, stream: DirectoryStream, settings: RealmSettings, now: number) {
  if (isAdminOrOwner(user)) return undefined;
  if (stream.postPolicy === 2) return 'ONLY_ADMINS_SEND' as const;
  if (stream.postPolicy === 4 && user.role > USER_ROLE.moderator) return 'ONLY_MODERATORS_SEND' as const;
  if (stream.postPolicy !== 1 && isGuest(user)) return 'NO_GUESTS_SEND' as const;
  if (stream.postPolicy === 3 && !isFullMemberOrAbove(user, settings, now)) return 'NO_NEW_MEMBERS_SEND' as const;
  return undefined;
}

/** Checks the right to post to a stream. @throws ApiError when the poster may not send to the stream */
export function requireMayPostToStream(
  poster: StreamPosterContext,
  stream: DirectoryStream,
  settings: RealmSettings,
  now: number,
): void {
  const refusal = findPostPolicyRefusal(poster.user, stream, settings, now);
  if (refusal && (!poster.owner || findPostPolicyRefusal(poster.owner.user, stream, settings, now)))
    throw apiError(refusal);
  if (poster.subscribed || poster.owner?.subscribed) return;
  if (!stream.archived && (stream.webPublic || (!stream.inviteOnly && !isGuest(poster.user)))) return;
  throw apiError('NOT_AUTHORIZED_TO_SEND', { stream: stream.name });
}

/**
 * True if streams may be web-public in this organization.
 *
 * @param server true if the configuration allows web-public streams
 */
export const areWebPublicStreamsEnabled = (server: boolean, settings: RealmSettings): boolean =>
  server && settings.enable_spectator_access;

/** True if callers without credentials may read the web-public streams of the organization. */
export function mayReadAnyStreamAnonymously(server: boolean, directory: DirectoryView): boolean {
  if (directory.deactivated || !areWebPublicStreamsEnabled(server, directory.settings)) return false;
  for (const stream of directory.streams()) if (stream.webPublic && !stream.archived) return true;
  return false;
}
