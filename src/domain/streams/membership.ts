/** Subscriptions to a stream over time: one part of the stream's actor per user. The functions have no side effects. */

import { findLowerBoundIndex, type Json } from '#base';
import { type ActorKey, type RealmId, streamActorKey, toStreamId } from '#model';

export const STREAM_MEMBER_PART_PREFIX = 'member/';

/**
 * One stay of a user in a stream: subscribed from membership version `from` until before `to`, with a copy of the
 * messages with after < id ≤ until. `to` and `until` are 0 while the stay lasts. The first stay of a new account may
 * include messages that were sent before it.
 */
export interface StreamMembershipStay {
  readonly from: number;
  readonly to: number;
  readonly after: number;
  readonly until: number;
  /** True for a subscription without copies, as bots have that the server calls (messages.md § Who receives). */
  readonly silent?: true;
  /**
   * True if the stay ended with the deactivation of the account. Moves between streams take copies from such an account
   * as from a subscriber, because it joins again when it is reactivated.
   */
  readonly suspended?: true;
}

export interface StreamMembershipRecord {
  readonly stays: readonly StreamMembershipStay[];
}

export const toStreamMembershipRecord = (value: Json | undefined): StreamMembershipRecord | undefined =>
  value as unknown as StreamMembershipRecord | undefined;

export const isCurrentStreamMember = (member: StreamMembershipRecord | undefined): boolean =>
  member?.stays.at(-1)?.to === 0;

const isMembershipVersionDuringStay = (stay: StreamMembershipStay, mv: number): boolean =>
  stay.from <= mv && (stay.to === 0 || mv < stay.to);

/** True if the user was subscribed at this membership version. */
export const wasStreamMemberAtVersion = (member: StreamMembershipRecord | undefined, mv: number): boolean =>
  member?.stays.some((stay) => isMembershipVersionDuringStay(stay, mv)) ?? false;

/** The stay in which the user received a message with this id, if it was sent to this stream. */
export const findReceivingStayOfMessageId = (
  member: StreamMembershipRecord | undefined,
  id: number,
): StreamMembershipStay | undefined =>
  member?.stays.find((stay) => !stay.silent && stay.after < id && (stay.to === 0 || id <= stay.until));

/** True if the user received a message with this id, if it was sent to this stream. */
export const didMemberReceiveMessageId = (member: StreamMembershipRecord | undefined, id: number): boolean =>
  findReceivingStayOfMessageId(member, id) !== undefined;

/**
 * True if the user received some of the messages with these ids, if they were sent to this stream. @param ids ascending
 */
export const didMemberReceiveAnyMessageId = (
  member: StreamMembershipRecord | undefined,
  ids: readonly number[],
): boolean =>
  member?.stays.some((stay) => {
    const first = stay.silent ? undefined : ids[findLowerBoundIndex(ids, stay.after + 1)];
    return first !== undefined && (stay.to === 0 || first <= stay.until);
  }) ?? false;

/** True if the user received messages at this membership version. */
export const wasReceivingMessagesAtVersion = (member: StreamMembershipRecord | undefined, mv: number): boolean =>
  member?.stays.some((stay) => !stay.silent && isMembershipVersionDuringStay(stay, mv)) ?? false;

/**
 * True if the user was subscribed with copies at this membership version, or would have been but for the deactivation
 * of the account.
 */
export const wasReceivingOrSuspendedAtVersion = (member: StreamMembershipRecord | undefined, mv: number): boolean => {
  const stay = member?.stays.findLast(({ from }) => from <= mv);
  return stay !== undefined && !stay.silent && (stay.suspended === true || isMembershipVersionDuringStay(stay, mv));
};

/**
 * Maximum number of stays of one user in a stream; with as many, the user is not subscribed to it again. Each check of
 * access walks the stays.
 */
export const MAX_STAYS_PER_STREAM_AND_USER = 1_000;

/** Key and part of a user's membership in the Store. */
export const streamMemberPartAddress = (
  realm: RealmId,
  stream: number,
  user: number,
): { key: ActorKey; part: string } => ({
  key: streamActorKey(realm, toStreamId(stream)),
  part: `${STREAM_MEMBER_PART_PREFIX}${user}`,
});
