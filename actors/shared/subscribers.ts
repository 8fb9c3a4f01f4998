/** Reading who is subscribed, from the actors of several streams at once. */

import type { RealmId } from '#model';
import { streamId, streamKey, userId } from '#model';
import type { DirectoryView } from '#model/records';
import type { InputSources } from '../services.js';

/** What a stream's actor answers to `members`. */
export interface Membership {
  /** Ascending. */
  readonly members: readonly number[];
  /** Membership version. */
  readonly mv: number;
  /** Of the stream's actor. */
  readonly version: number;
  /** Id of the newest message; 0 = none. */
  readonly last: number;
  /** Realm version that the stream's actor knew: whoever is in the list was active there. */
  readonly realm: number;
}

export const readMembership = async (realm: RealmId, stream: number, sources: InputSources): Promise<Membership> =>
  (await sources.ask(streamKey(realm, streamId(stream)), 'members', {})) as unknown as Membership;

/** Stream id → user ids, ascending. */
export type Subscribers = ReadonlyMap<number, readonly number[]>;

export async function readSubscribers(
  realm: RealmId,
  streams: readonly number[],
  sources: InputSources,
): Promise<Subscribers> {
  const lists = await Promise.all(streams.map((id) => readMembership(realm, id, sources)));
  return new Map(streams.map((id, i) => [id, lists[i]!.members]));
}

/** Subscribers as clients see them: accounts that were deactivated stay subscribed, but are never listed. */
export const activeSubscribers = (members: readonly number[], directory: Pick<DirectoryView, 'user'>): number[] =>
  members.filter((id) => directory.user(userId(id))?.isActive);
