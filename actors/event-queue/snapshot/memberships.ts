/** Reads a user's own state and the subscribers of streams so that both agree. */

import { sortedNumbersInclude } from '#base';
import type { RealmEventFeed, StreamSubscribersAtPosition } from '#delivery';
import type { Subscription } from '#domain/streams';
import { type ActorKey, type RealmId, toLogSeq, toStreamId, type UserId, userActorKey } from '#model';
import { apiError } from '#model/errors';
import type { ActorInputSources } from '../../services.js';

const SNAPSHOT_READ_RETRY_PAUSE_MS = 5;
const MAX_SNAPSHOT_READ_RETRIES = 400;

/**
 * A stream whose messages the snapshot counts must already show its first message id. The directory learns that id from
 * the log, so wait for it.
 *
 * @param counted stream → id up to which its messages are counted
 */
export async function awaitFirstMessageIdsInDirectory(
  realm: RealmId,
  counted: { readonly [stream: string]: number },
  sources: ActorInputSources,
): Promise<void> {
  const streams = Object.keys(counted).filter((id) => counted[id]! > 0);
  for (let attempt = 0; attempt < MAX_SNAPSHOT_READ_RETRIES; attempt++) {
    const directory = await sources.loadDirectory(realm);
    if (streams.every((id) => directory.stream(toStreamId(Number(id)))?.firstMessage !== null)) return;
    await waitBeforeRetry(sources);
  }
}

const waitBeforeRetry = ({ services }: ActorInputSources): Promise<void> =>
  new Promise((resolve) => void services.clock.setTimeout(resolve, SNAPSHOT_READ_RETRY_PAUSE_MS));

interface VersionedOwnSubscriptions {
  readonly version: number;
  readonly subscriptions: readonly Subscription[];
}

/**
 * A change of subscription is committed by the user's actor first and by the stream's actor after it, and the user gets
 * no event of the second commit. So a snapshot with one of the two must have the other: if they differ, both are read
 * again.
 *
 * @param withSubscribers the subscribers of all streams are wanted
 * @param versions gets the version of the user's actor
 */
export async function readOwnStateAndSubscribers<O extends VersionedOwnSubscriptions>(
  realm: RealmId,
  user: UserId,
  withSubscribers: boolean,
  readOwn: () => Promise<O> | O | undefined,
  feed: RealmEventFeed,
  sources: ActorInputSources,
  versions: Record<ActorKey, number>,
): Promise<{ readonly own: O | undefined; readonly subscribers: StreamSubscribersAtPosition }> {
  for (let attempt = 0; ; attempt++) {
    const own = await readOwn();
    if (own) versions[userActorKey(realm, user)] = own.version;
    const directory = await sources.loadDirectory(realm);
    // Streams drop deactivated users, who keep their own subscriptions, so the two lists would never agree again.
    if (own && directory.user(user)?.isActive === false) throw apiError('ACCOUNT_DEACTIVATED');
    if (!withSubscribers) return { own, subscribers: NO_SUBSCRIBERS_AT_ANY_POSITION };
    const joined = new Set((own?.subscriptions ?? []).filter((one) => one.active).map((one) => one.stream));
    const subscribers = await feed.readSubscribersAtPosition(() => {
      const live = [...directory.streams()].filter((stream) => !stream.archived).map((stream) => stream.id);
      // A stream may have been created and joined after `directory.streams()` was read.
      return [...new Set([...live, ...joined])];
    });
    const agree = [...subscribers.of].every(
      ([stream, members]) => sortedNumbersInclude(members, user) === joined.has(stream),
    );
    if (agree) return { own, subscribers };
    // The stream's actor is slow to apply the user's change. No later event would report the user's own subscription to
    // the user, so this function corrects the lists.
    if (attempt === MAX_SNAPSHOT_READ_RETRIES)
      return { own, subscribers: alignSubscribersWithOwn(subscribers, user, joined) };
    await waitBeforeRetry(sources);
  }
}

const NO_SUBSCRIBERS_AT_ANY_POSITION: StreamSubscribersAtPosition = { position: toLogSeq(0), of: new Map() };

/**
 * Adds the user to the lists of subscribers, or removes the user, so that the lists agree with the user's own
 * subscriptions.
 */
function alignSubscribersWithOwn(
  { position, of }: StreamSubscribersAtPosition,
  user: UserId,
  joined: ReadonlySet<number>,
): StreamSubscribersAtPosition {
  const own = [...of].map(([stream, members]): [number, readonly number[]] => {
    if (sortedNumbersInclude(members, user) === joined.has(stream)) return [stream, members];
    const others = members.filter((id) => id !== user);
    return [stream, joined.has(stream) ? [...others, user].sort((a, b) => a - b) : others];
  });
  return { position, of: new Map(own) };
}
