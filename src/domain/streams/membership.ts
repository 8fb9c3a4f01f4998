/** Who was subscribed to a stream when. One part of the stream's actor per user; pure. */

import type { Json } from '#base';
import { type ActorKey, type RealmId, streamId, streamKey } from '#model';

export const MEMBER_PART = 'member/';

/**
 * One stay of a user in a stream: subscribed from membership version `from` until before `to`, and with a copy of the
 * messages with after < id ≤ until. `to` and `until` are 0 while it lasts. The first stay of a new account may begin with
 * messages that were sent before it.
 */
export interface Stay {
  readonly from: number;
  readonly to: number;
  readonly after: number;
  readonly until: number;
  /** Subscribed, but without copies: bots that are called instead (messages.md § Who receives). */
  readonly silent?: true;
}

export interface Member {
  readonly stays: readonly Stay[];
}

export const asMember = (value: Json | undefined): Member | undefined => value as unknown as Member | undefined;

export const isMember = (member: Member | undefined): boolean => member?.stays.at(-1)?.to === 0;

const isDuring = (stay: Stay, mv: number): boolean => stay.from <= mv && (stay.to === 0 || mv < stay.to);

/** Subscribed at this membership version? */
export const wasMember = (member: Member | undefined, mv: number): boolean =>
  member?.stays.some((stay) => isDuring(stay, mv)) ?? false;

/** Subscribed at this membership version, or before it? */
export const everMember = (member: Member | undefined, mv: number): boolean =>
  member?.stays.some((stay) => stay.from <= mv) ?? false;

/** The stay that gives a copy of the message with this id, were it sent here. */
export const stayWith = (member: Member | undefined, id: number): Stay | undefined =>
  member?.stays.find((stay) => !stay.silent && stay.after < id && (stay.to === 0 || id <= stay.until));

/** Has a copy of the message with this id, were it sent here? */
export const hasCopy = (member: Member | undefined, id: number): boolean => stayWith(member, id) !== undefined;

/** Had copies of what was in the stream at this membership version? */
export const hadCopies = (member: Member | undefined, mv: number): boolean =>
  member?.stays.some((stay) => !stay.silent && isDuring(stay, mv)) ?? false;

/** Where the Store keeps a user's membership. */
export const memberPart = (realm: RealmId, stream: number, user: number): { key: ActorKey; part: string } => ({
  key: streamKey(realm, streamId(stream)),
  part: `${MEMBER_PART}${user}`,
});
