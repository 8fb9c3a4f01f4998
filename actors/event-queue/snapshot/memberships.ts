/** The caller's own state and the subscribers of streams, as one consistent whole. */
import { apiError } from '../../../src/api/errors.js';
import { type ActorKey, type RealmId, streamId, streamKey, type UserId, userKey } from '../../../src/core/index.js';
import type { Suppliers } from '../../../src/runtime/index.js';
import type { Subscription } from '../../../src/streams/index.js';
import { readMembership } from '../../shared/subscribers.js';

const RETRY_MS = 5;
const MOST_RETRIES = 400;

/** Whose messages a snapshot counts, their first one's id it must show, which comes to the directory from the log. */
export async function untilFirstsAreShown(
  realm: RealmId,
  counted: { readonly [stream: string]: number },
  suppliers: Suppliers,
): Promise<void> {
  const streams = Object.keys(counted).filter((id) => counted[id]! > 0);
  for (let attempt = 0; attempt < MOST_RETRIES; attempt++) {
    const directory = await suppliers.directory(realm);
    if (streams.every((id) => directory.stream(streamId(Number(id)))?.firstMessage !== null)) return;
    await pause(suppliers);
  }
}

const pause = ({ services }: Suppliers): Promise<void> =>
  new Promise((resolve) => void services.clock.setTimeout(resolve, RETRY_MS));

interface Own {
  readonly version: number;
  readonly subscriptions: readonly Subscription[];
}

/**
 * Joining and leaving are committed to the user first and to the stream after that, and whom it is about hears nothing
 * of the second: a snapshot that has one of the two must have the other. Where they differ, both are read again.
 *
 * @param streams whose subscribers are wanted; null = of none
 * @param covers gets the versions of what was read
 */
export async function readWithSubscribers<O extends Own>(
  realm: RealmId,
  user: UserId,
  streams: readonly number[] | null,
  readOwn: () => Promise<O> | O | undefined,
  suppliers: Suppliers,
  covers: Record<ActorKey, number>,
): Promise<{ readonly own: O | undefined; readonly subscribers: ReadonlyMap<number, readonly number[]> }> {
  const subscribers = new Map<number, readonly number[]>();
  let wanted = streams ?? [];
  // Who came back is in the lists of streams before this host may have heard of it.
  let known = 0;
  for (let attempt = 0; ; attempt++) {
    const own = await readOwn();
    if (own) covers[userKey(realm, user)] = own.version;
    const directory = await suppliers.directory(realm);
    // Lists of streams are without deactivated accounts, whose own subscriptions stay: the two never agree again.
    if (own && directory.user(user)?.isActive === false) throw apiError('ACCOUNT_DEACTIVATED');
    const lists = await Promise.all(wanted.map((id) => readMembership(realm, id, suppliers)));
    // Who covers a stream's first message must show its id, which comes to the directory from the log.
    const behind = new Set<number>();
    wanted.forEach((id, i) => {
      const { members, version, last, realm: seen } = lists[i]!;
      known = Math.max(known, seen);
      if (last > 0 && directory.stream(streamId(id))?.firstMessage === null) behind.add(id);
      subscribers.set(id, members);
      covers[streamKey(realm, streamId(id))] = version;
    });
    const joined = new Set((own?.subscriptions ?? []).filter((one) => one.active).map((one) => one.stream));
    // Also a stream that was made and joined since the streams were listed.
    const all = streams === null ? [] : new Set([...streams, ...joined]);
    wanted = [...all].filter(
      (id) => behind.has(id) || (subscribers.get(id)?.includes(user) ?? false) !== joined.has(id),
    );
    const level = wanted.length === 0 && directory.version >= known;
    if (level || attempt === MOST_RETRIES) {
      // A stream that takes so long to hear of it: no event will tell the user of himself.
      for (const id of wanted) subscribers.set(id, asOwn(subscribers.get(id) ?? [], user, joined.has(id)));
      return { own, subscribers };
    }
    await pause(suppliers);
  }
}

/** The list with or without the user, as his own side says. */
const asOwn = (members: readonly number[], user: UserId, joined: boolean): readonly number[] => {
  if (members.includes(user) === joined) return members;
  return joined ? [...members, user].sort((a, b) => a - b) : members.filter((id) => id !== user);
};
