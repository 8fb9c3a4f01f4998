/** Sections about messages: unread_msgs and starred_messages (register.md). */
import type { Json, JsonObject, RealmId } from '../../../src/core/index.js';
import type { Overview } from '../../../src/events/index.js';
import {
  asStored,
  DIRECT_HOME,
  MOST_UNREAD,
  OwnFlags,
  type StoredMessage,
  UnreadScan,
  unreadSummary,
} from '../../../src/messages/index.js';
import type { MessageReads } from '../../../src/store/index.js';
import { type Subscription, TOPIC_POLICY, topicKey, type UserTopic } from '../../../src/streams/index.js';
import type { InputSources } from '../../services.js';

/**
 * Messages that the snapshot has taken into account: their events must not come again, since a client would count them
 * twice. Of everything else an event will come.
 */
export interface ShownMessages extends JsonObject {
  /** Stream → everything up to this id. */
  readonly streams: { readonly [stream: string]: number };
  /** Direct messages: everything up to this id, and these. */
  readonly direct: { readonly upTo: number; readonly recent: readonly number[] };
}

/** An event that is still to come belongs to a message that is younger than this by far. */
const RECENT_MS = 300_000;
/** A registration shows so many at most. */
const MOST_STARRED = 10_000;

type Reading = readonly (readonly [string, Json])[];

export interface OwnReading {
  readonly subscriptions: readonly Subscription[];
  readonly topics: readonly UserTopic[];
  readonly reading: Reading;
}

/**
 * Where a registration looks at messages: in memory, unless what the user has read and marked names a message that the log has not
 * shown here. Call it after that was read.
 */
export async function messageReads(
  overview: Overview,
  reading: Reading,
  { store }: InputSources,
): Promise<MessageReads> {
  const reads = await overview.reads();
  return reads === store || (await overview.knows(new OwnFlags(0, new Map(reading)).named())) ? reads : store;
}

export interface Unread {
  readonly section: JsonObject;
  readonly shows: ShownMessages;
}

/** Call it after everything else was read whose version the snapshot names. */
export async function readUnread(
  realm: RealmId,
  user: number,
  { subscriptions, topics, reading }: OwnReading,
  reads: MessageReads,
  { services }: InputSources,
): Promise<Unread> {
  const flags = new OwnFlags(user, new Map(reading));
  const scan = new UnreadScan(reads, realm, user);
  const active = new Map(subscriptions.filter((own) => own.active).map((own) => [own.stream, own]));
  const since = (services.clock.now() - RECENT_MS) / 1000;
  const unread: StoredMessage[] = [];
  const streams: Record<string, number> = {};
  const recent: number[] = [];
  let missing = false;

  const homes = new Map([DIRECT_HOME, ...active.keys()].map((home) => [home, flags.reading(home)]));
  for (const [home, { mark }] of homes) streams[home] = mark;
  const seen = ({ id, body }: StoredMessage): void => {
    if (body.stream !== 0) streams[body.stream] = Math.max(streams[body.stream]!, id);
    else if (body.sent >= since) recent.push(id);
  };
  for await (const batch of scan.newestAbove(homes, seen)) {
    unread.push(...batch);
    missing = unread.length > MOST_UNREAD;
    if (missing) break;
  }
  // What was marked as unread by hand is mostly older than all of that.
  if (!missing) for (const reading of homes.values()) unread.push(...(await scan.excepted(reading)));
  const { [DIRECT_HOME]: upTo = 0, ...shown } = streams;

  const silent = new Set(
    topics
      .filter(({ policy }) => policy === TOPIC_POLICY.muted)
      .map(({ stream, name }) => `${stream} ${topicKey(name)}`),
  );
  const section = unreadSummary(unread, {
    user,
    subscribed: (stream) => active.has(stream),
    muted: (stream, topic) => (active.get(stream)?.muted ?? false) || silent.has(`${stream} ${topicKey(topic)}`),
    missing,
  });
  return { section, shows: { streams: shown, direct: { upTo, recent } } };
}

/** Ids of starred messages that are still there; the lowest first. */
export async function readStarred(
  realm: RealmId,
  user: number,
  { reading }: OwnReading,
  reads: MessageReads,
): Promise<number[]> {
  const { ids } = new OwnFlags(user, new Map(reading)).marked('starred');
  if (ids.length === 0) return [];
  const records = await reads.getMessages(realm, ids);
  const there = records.filter((record) => record !== null).map(asStored);
  const own = await new UnreadScan(reads, realm, user).owned(there, true);
  return own.slice(0, MOST_STARRED).map(({ id }) => id);
}

/** Is the message among those shown? */
export function shows({ streams, direct }: ShownMessages, stream: number, id: number): boolean {
  if (stream === 0) return id <= direct.upTo || direct.recent.includes(id);
  return id <= (streams[stream] ?? 0);
}
