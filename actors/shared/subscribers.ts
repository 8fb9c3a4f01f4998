/** Reading who is subscribed, from the actors of several streams at once. */
import { type RealmId, streamId, streamKey } from '../../src/core/index.js';
import type { Suppliers } from '../../src/runtime/index.js';

/** Stream id → user ids, ascending. */
export type Subscribers = ReadonlyMap<number, readonly number[]>;

export async function readSubscribers(
  realm: RealmId,
  streams: readonly number[],
  suppliers: Suppliers,
): Promise<Subscribers> {
  const lists = await Promise.all(streams.map((id) => suppliers.ask(streamKey(realm, streamId(id)), 'members', {})));
  return new Map(streams.map((id, i) => [id, (lists[i] as { members: number[] }).members]));
}
