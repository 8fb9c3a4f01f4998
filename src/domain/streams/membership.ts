/** Subscriptions to a stream over time: one part of the stream's actor per user. Pure. */

import type { Json } from '#base';
import { type ActorKey, type RealmId, streamId, streamKey } from '#model';

export const MEMBER_PART = 'member/';

/**
 * One stay of a user in a stream: subscribed from membership version `from` until before `to`, with a copy of the
 * messages with after < id ≤ until. `to` and `until` are 0 while the stay lasts. The first stay of a new account may
 * include messages that were sent before it.
 */
export interface Stay {
  readonly from: number;
  readonly to: number;
  readonly after: number;
  readonly until: number;
  /** Subscribed without copies, as bots are that the server calls (messages.md § Who receives). */
  readonly silent?: true;
}

export interface Member {
  readonly stays: readonly Stay[];
}

export const asMember = (value: Json | undefined): Member | undefined => value as unknown as Member | undefined;

export const isMember = (member: Member | undefined): boolean => member?.stays.at(-1)?.to === 0;

const isDuring = (stay: Stay, mv: number): boolean => stay.from <= mv && (stay.to === 0 || mv < stay.to);

/** True if the user was subscribed at this membership version. */
export const wasMember = (member: Member | undefined, mv: number): boolean =>
  member?.stays.some((stay) => isDuring(stay, mv)) ?? false;

/** True if the user was subscribed at this membership version or before it. */
export const everMember = (member: Member | undefined, mv: number): boolean =>
  member?.stays.some((stay) => stay.from <= mv) ?? false;

/** The stay in which the user received a message with this id, if it was sent to this stream. */
export const stayWith = (member: Member | undefined, id: number): Stay | undefined =>
  member?.stays.find((stay) => !stay.silent && stay.after < id && (stay.to === 0 || id <= stay.until));

/** True if the user received a message with this id, if it was sent to this stream. */
export const hasCopy = (member: Member | undefined, id: number): boolean => stayWith(member, id) !== undefined;

/** True if the user received messages at this membership version. */
export const hadCopies = (member: Member | undefined, mv: number): boolean =>
  member?.stays.some((stay) => !stay.silent && isDuring(stay, mv)) ?? false;

/** Key and part of a user's membership in the Store. */
export const memberPart = (realm: RealmId, stream: number, user: number): { key: ActorKey; part: string } => ({
  key: streamKey(realm, streamId(stream)),
  part: `${MEMBER_PART}${user}`,
});
