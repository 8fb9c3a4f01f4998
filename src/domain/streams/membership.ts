/** Subscriptions to a stream over time: one part of the stream's actor per user. The functions have no side effects. */

import { findLowerBoundIndex, type Json } from '#base';
import { type ActorKey, type RealmId, streamActorKey, toStreamId } from '#model';
import {
  countPackedStays,
  findPackedStayAtVersion,
  findPackedStayOfMessageId,
  listPackedStays,
  type PackedStays,
  packStays,
  type UnpackedStay,
} from './packed-stays.js';

export const STREAM_MEMBER_PART_PREFIX = 'member/';

export interface StreamMembershipStay extends UnpackedStay {
  /**
   * Earlier stays of the user, packed; only in the first stay of a record. Programs of the version before don't read
   * them, but keep them, because they copy this object whole.
   */
  readonly earlier?: PackedStays;
}

export interface StreamMembershipRecord {
  readonly stays: readonly StreamMembershipStay[];
}

export const toStreamMembershipRecord = (value: Json | undefined): StreamMembershipRecord | undefined =>
  value as unknown as StreamMembershipRecord | undefined;

export const isCurrentStreamMember = (member: StreamMembershipRecord | undefined): boolean =>
  member?.stays.at(-1)?.to === 0;

const packedStaysOf = (member: StreamMembershipRecord | undefined): PackedStays | undefined =>
  member?.stays[0]?.earlier;

const isMembershipVersionDuringStay = (stay: StreamMembershipStay, mv: number): boolean =>
  stay.from <= mv && (stay.to === 0 || mv < stay.to);

/** The last stay that had begun at this membership version. */
function findLastStayBegunAtVersion(
  member: StreamMembershipRecord | undefined,
  mv: number,
): StreamMembershipStay | undefined {
  const stay = member?.stays.findLast(({ from }) => from <= mv);
  if (stay) return stay;
  const earlier = packedStaysOf(member);
  return earlier && findPackedStayAtVersion(earlier, mv);
}

function findStayAtVersion(member: StreamMembershipRecord | undefined, mv: number): StreamMembershipStay | undefined {
  const stay = findLastStayBegunAtVersion(member, mv);
  return stay && isMembershipVersionDuringStay(stay, mv) ? stay : undefined;
}

/** True if the user was subscribed at this membership version. */
export const wasStreamMemberAtVersion = (member: StreamMembershipRecord | undefined, mv: number): boolean =>
  findStayAtVersion(member, mv) !== undefined;

/** The stay in which the user received a message with this id, if it was sent to this stream. */
export function findReceivingStayOfMessageId(
  member: StreamMembershipRecord | undefined,
  id: number,
): StreamMembershipStay | undefined {
  const stay = member?.stays.find((one) => !one.silent && one.after < id && (one.to === 0 || id <= one.until));
  if (stay) return stay;
  const earlier = packedStaysOf(member);
  const packed = earlier && findPackedStayOfMessageId(earlier, id);
  return packed?.silent ? undefined : packed;
}

/** True if the user received a message with this id, if it was sent to this stream. */
export const didMemberReceiveMessageId = (member: StreamMembershipRecord | undefined, id: number): boolean =>
  findReceivingStayOfMessageId(member, id) !== undefined;

/**
 * True if the user received some of the messages with these ids, if they were sent to this stream. @param ids ascending
 */
export function didMemberReceiveAnyMessageId(
  member: StreamMembershipRecord | undefined,
  ids: readonly number[],
): boolean {
  if (packedStaysOf(member)) return ids.some((id) => didMemberReceiveMessageId(member, id));
  const isReceiving = (stay: StreamMembershipStay) => {
    const first = stay.silent ? undefined : ids[findLowerBoundIndex(ids, stay.after + 1)];
    return first !== undefined && (stay.to === 0 || first <= stay.until);
  };
  return member?.stays.some(isReceiving) ?? false;
}

/** True if the user received messages at this membership version. */
export function wasReceivingMessagesAtVersion(member: StreamMembershipRecord | undefined, mv: number): boolean {
  const stay = findStayAtVersion(member, mv);
  return stay !== undefined && !stay.silent;
}

/**
 * True if the user was subscribed with copies at this membership version, or would have been but for the deactivation
 * of the account.
 */
export function wasReceivingOrSuspendedAtVersion(member: StreamMembershipRecord | undefined, mv: number): boolean {
  const stay = findLastStayBegunAtVersion(member, mv);
  return stay !== undefined && !stay.silent && (stay.suspended === true || isMembershipVersionDuringStay(stay, mv));
}

/** All stays of the user, the packed ones included. */
export function listStays(member: StreamMembershipRecord): readonly StreamMembershipStay[] {
  const earlier = packedStaysOf(member);
  return earlier ? [...listPackedStays(earlier), ...member.stays] : member.stays;
}

/** Number of stays of the user. */
export function countStays(member: StreamMembershipRecord): number {
  const earlier = packedStaysOf(member);
  return member.stays.length + (earlier ? countPackedStays(earlier) : 0);
}

/** Largest message id before the first stay. */
export function messageIdBeforeFirstStay(member: StreamMembershipRecord): number | undefined {
  const earlier = packedStaysOf(member);
  return earlier ? listPackedStays(earlier, 1)[0]?.after : member.stays[0]?.after;
}

/** Number of stays above which the oldest are packed, and number of the stays that remain. */
const MAX_PLAIN_STAYS = 200;
const PLAIN_STAYS_AFTER_PACKING = 100;

/**
 * Adds a stay to the membership of a user who joins. @param resumed true: the account was deactivated, with which its
 * last stay ended
 */
export function withStayBegun(
  member: StreamMembershipRecord | undefined,
  begun: StreamMembershipStay,
  resumed = false,
): StreamMembershipRecord {
  const before = member?.stays ?? [];
  const last = before.at(-1);
  const stays = [...(last && resumed ? before.with(-1, { ...last, suspended: true }) : before), begun];
  if (stays.length <= MAX_PLAIN_STAYS || !isInOrder(stays)) return { stays };
  const [first, ...rest] = stays.slice(-PLAIN_STAYS_AFTER_PACKING);
  const packed = listStays({ stays: stays.slice(0, -PLAIN_STAYS_AFTER_PACKING) });
  return { stays: [{ ...first!, earlier: packStays(packed) }, ...rest] };
}

/** True if each stay begins at or above the end of the one before. Only such stays can be packed. */
const isInOrder = (stays: readonly StreamMembershipStay[]): boolean =>
  stays.every(({ from, to, after, until }, i) => {
    const next = stays[i + 1];
    return next === undefined || (from <= to && after <= until && to <= next.from && until <= next.after);
  });

/** Ends the membership of a user who leaves. */
export const withStayEnded = (
  member: StreamMembershipRecord | undefined,
  end: Pick<StreamMembershipStay, 'to' | 'until' | 'suspended'>,
): StreamMembershipRecord => ({
  stays: (member?.stays ?? []).map((stay) => (stay.to === 0 ? { ...stay, ...end } : stay)),
});

/**
 * Maximum number of stays of one user in a stream; with as many, the user is not subscribed to it again. They take 5 to
 * 10 bytes each, which are read and written with the record.
 */
export const MAX_STAYS_PER_STREAM_AND_USER = 100_000;

/** Key and part of a user's membership in the Store. */
export const streamMemberPartAddress = (
  realm: RealmId,
  stream: number,
  user: number,
): { key: ActorKey; part: string } => ({
  key: streamActorKey(realm, toStreamId(stream)),
  part: `${STREAM_MEMBER_PART_PREFIX}${user}`,
});
