/** Decides which users receive an event: by what was true at its commit, never by what is true now. */

import { computeStreamMessageCopyState } from '#domain/messages';
import { USER_ROLE } from '#domain/people';
import { didMemberReceiveMessageId, type StreamMembershipRecord, wasStreamMemberAtVersion } from '#domain/streams';
import { type EventAudience, type MovedMessageCopies, toUserId } from '#model';
import type { DirectoryUser, DirectoryView } from '#model/records';

/** Role of the account as of a realm version. */
function roleAtVersion(user: DirectoryUser, version: number): number {
  for (const [role, until] of user.pastRoles) if (version < until) return role;
  return user.role;
}

interface EventRecipient {
  readonly user: number;
  /** True if the queue's client registered with all_public_streams. */
  readonly allPublic: boolean;
}

/**
 * Streams whose memberships `isInEventAudience` needs to decide. @returns stream → membership version that must be
 * loaded
 */
export function membershipVersionsNeededForAudience({
  stream,
  mv,
  moved,
  lostByMove,
}: EventAudience): Map<number, number> {
  const streams = new Map<number, number>();
  const need = (of: number, version: number): void => void streams.set(of, Math.max(streams.get(of) ?? 0, version));
  if (stream !== undefined) need(stream, mv ?? 0);
  for (const message of [moved, lostByMove]) {
    if (!message) continue;
    need(message.home, 0);
    for (const { from, fromMv, to, toMv } of message.moves) {
      need(from, fromMv);
      need(to, toMv);
    }
  }
  return streams;
}

/**
 * True if the recipient is in the audience of an event. @param membersOf members of the streams that
 * `membershipVersionsNeededForAudience` returns
 */
export function isInEventAudience(
  to: EventAudience,
  recipient: EventRecipient,
  directory: DirectoryView,
  membersOf: (stream: number) => ReadonlyMap<number, StreamMembershipRecord> | undefined,
): boolean {
  const { user } = recipient;
  const members = to.stream === undefined ? undefined : membersOf(to.stream);
  if (to.except?.includes(user)) return false;
  if (to.users?.includes(user)) return true;
  if (to.mv !== undefined && wasStreamMemberAtVersion(members?.get(user), to.mv)) return true;
  if (to.copyOf !== undefined && didMemberReceiveMessageId(members?.get(user), to.copyOf)) return true;
  const hasCopy = (message: MovedMessageCopies): boolean =>
    computeStreamMessageCopyState(message, (stream) => membersOf(stream)?.get(user)).has;
  if (to.moved && hasCopy(to.moved)) return true;
  const lost = to.lostByMove;
  if (lost && !hasCopy(lost) && hasCopy({ ...lost, moves: lost.moves.slice(0, -1) })) return true;
  if (to.rv === undefined) return false;
  const account = directory.user(toUserId(user));
  if (!account) return false;
  const role = roleAtVersion(account, to.rv);
  if (to.role !== undefined && role <= to.role && role > (to.weakerThan ?? 0)) return true;
  return to.publicStream === true && recipient.allPublic && role < USER_ROLE.guest;
}
