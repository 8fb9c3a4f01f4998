/** The caller's own state and the subscribers of streams, as one consistent whole. */

import type { RealmFeed, Subscribers } from '#delivery';
import type { Subscription } from '#domain/streams';
import { type ActorKey, type RealmId, seq, streamId, type UserId, userKey } from '#model';
import { apiError } from '#model/errors';
import { lowerBound } from '#ports/store';
import type { Suppliers } from '#runtime';

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
 * @param listed subscribers of all streams are wanted
 * @param covers gets the version of what was read of the user
 */
export async function readWithSubscribers<O extends Own>(
  realm: RealmId,
  user: UserId,
  listed: boolean,
  readOwn: () => Promise<O> | O | undefined,
  feed: RealmFeed,
  suppliers: Suppliers,
  covers: Record<ActorKey, number>,
): Promise<{ readonly own: O | undefined; readonly subscribers: Subscribers }> {
  for (let attempt = 0; ; attempt++) {
    const own = await readOwn();
    if (own) covers[userKey(realm, user)] = own.version;
    const directory = await suppliers.directory(realm);
    // Lists of streams are without deactivated accounts, whose own subscriptions stay: the two never agree again.
    if (own && directory.user(user)?.isActive === false) throw apiError('ACCOUNT_DEACTIVATED');
    if (!listed) return { own, subscribers: NONE };
    const joined = new Set((own?.subscriptions ?? []).filter((one) => one.active).map((one) => one.stream));
    const subscribers = await feed.subscribers(() => {
      const live = [...directory.streams()].filter((stream) => !stream.archived).map((stream) => stream.id);
      // Also a stream that was made and joined since they were listed here.
      return [...new Set([...live, ...joined])];
    });
    const level = [...subscribers.of].every(([stream, members]) => has(members, user) === joined.has(stream));
    if (level) return { own, subscribers };
    // A stream that takes so long to hear of it: no event will tell the user of himself.
    if (attempt === MOST_RETRIES) return { own, subscribers: asOwn(subscribers, user, joined) };
    await pause(suppliers);
  }
}

const NONE: Subscribers = { position: seq(0), of: new Map() };

const has = (members: readonly number[], user: number): boolean => members[lowerBound(members, user)] === user;

/** The lists with or without the user, as his own side says. */
function asOwn({ position, of }: Subscribers, user: UserId, joined: ReadonlySet<number>): Subscribers {
  const own = [...of].map(([stream, members]): [number, readonly number[]] => {
    if (has(members, user) === joined.has(stream)) return [stream, members];
    const others = members.filter((id) => id !== user);
    return [stream, joined.has(stream) ? [...others, user].sort((a, b) => a - b) : others];
  });
  return { position, of: new Map(own) };
}
