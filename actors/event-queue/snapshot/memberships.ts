/** The caller's subscriptions and the subscribers of all streams, as one consistent whole. */
import { type ActorKey, type RealmId, streamId, streamKey, type UserId, userKey } from '../../../src/core/index.js';
import type { Suppliers } from '../../../src/runtime/index.js';
import type { Subscription } from '../../../src/streams/index.js';
import { type Membership, readMembership } from '../../shared/subscribers.js';

export interface OwnSubscriptions {
  readonly version: number;
  readonly subscriptions: readonly Subscription[];
}

export interface Memberships {
  readonly own: OwnSubscriptions;
  /** By stream. */
  readonly of: ReadonlyMap<number, Membership>;
}

const RETRY_MS = 5;
const MOST_RETRIES = 400;

export const ownSubscriptions = async (realm: RealmId, user: UserId, suppliers: Suppliers): Promise<OwnSubscriptions> =>
  (await suppliers.ask(userKey(realm, user), 'subscription-state', {})) as unknown as OwnSubscriptions;

/**
 * Joining and leaving are committed to the user first and to the stream after that, and whom it is about hears nothing
 * of the second: a snapshot that has one of the two must have the other. Where they differ, both are read again.
 */
export async function readMemberships(
  realm: RealmId,
  user: UserId,
  streams: readonly number[],
  suppliers: Suppliers,
): Promise<Memberships> {
  const of = new Map<number, Membership>();
  let wanted = streams;
  for (let attempt = 0; ; attempt++) {
    const own = await ownSubscriptions(realm, user, suppliers);
    const lists = await Promise.all(wanted.map((id) => readMembership(realm, id, suppliers)));
    wanted.forEach((id, i) => {
      of.set(id, lists[i]!);
    });
    const joined = new Set(own.subscriptions.filter((one) => one.active).map((one) => one.stream));
    wanted = streams.filter((id) => of.get(id)!.members.includes(user) !== joined.has(id));
    if (wanted.length === 0 || attempt === MOST_RETRIES) return { own, of };
    await new Promise<void>((resolve) => void suppliers.services.clock.setTimeout(resolve, RETRY_MS));
  }
}

/** What the memberships show, by actor and version. */
export function coveredBy({ own, of }: Memberships, realm: RealmId, user: UserId): Record<ActorKey, number> {
  const covers: Record<ActorKey, number> = { [userKey(realm, user)]: own.version };
  for (const [id, { version }] of of) covers[streamKey(realm, streamId(id))] = version;
  return covers;
}
