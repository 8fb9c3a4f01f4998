/** Sections about messages: unread_msgs and starred_messages (register.md). */
import type { Json, JsonObject } from '#base';
import type { RecentMessageIndex } from '#delivery';
import {
  DIRECT_MESSAGES_ORIGIN,
  MAX_LISTED_UNREAD_MESSAGES,
  makeUnreadMessagesSummary,
  type StoredMessage,
  toStoredMessage,
  UnreadMessageScan,
  UserMessageFlagsView,
} from '#domain/messages';
import {
  type Subscription,
  TOPIC_VISIBILITY_POLICY,
  toComparableTopicKey,
  type UserTopicPolicy,
} from '#domain/streams';
import type { RealmId } from '#model';
import type { MessageReadStore } from '#ports/store';
import type { ActorInputSources } from '../../services.js';
import type { SnapshotCountedMessages } from '../state.js';

/** Age above which the event of a message cannot still be on its way, ms: far more than any delay of the log. */
const MAX_MESSAGE_EVENT_DELAY_MS = 300_000;
const MAX_STARRED_MESSAGE_IDS = 10_000;

type UserReadStateParts = readonly (readonly [string, Json])[];

interface OwnReadState {
  readonly subscriptions: readonly Subscription[];
  readonly topics: readonly UserTopicPolicy[];
  readonly reading: UserReadStateParts;
}

/**
 * Picks the source from which a registration reads messages: memory, unless the user's reading state names a message
 * that the log has not shown here. Call it after the reading state was read.
 */
export async function chooseSnapshotMessageSource(
  index: RecentMessageIndex,
  reading: UserReadStateParts,
  { store }: ActorInputSources,
): Promise<MessageReadStore> {
  const reads = await index.catchUpAndSelectReadStore();
  return reads === store ||
    (await index.hasEveryStoredMessage(new UserMessageFlagsView(0, new Map(reading)).individuallyMarkedIds()))
    ? reads
    : store;
}

interface UnreadSectionAndCountedMessages {
  readonly section: JsonObject;
  readonly countedMessages: SnapshotCountedMessages;
}

/** Reads the data of the section unread_msgs. Call it after everything whose version the snapshot notes was read. */
export async function readUnreadSnapshotSection(
  realm: RealmId,
  user: number,
  { subscriptions, topics, reading }: OwnReadState,
  reads: MessageReadStore,
  { services }: ActorInputSources,
): Promise<UnreadSectionAndCountedMessages> {
  const flags = new UserMessageFlagsView(user, new Map(reading));
  const scan = new UnreadMessageScan(reads, realm, user);
  const active = new Map(subscriptions.filter((own) => own.active).map((own) => [own.stream, own]));
  const since = (services.clock.now() - MAX_MESSAGE_EVENT_DELAY_MS) / 1000;
  const unread: StoredMessage[] = [];
  const streams: Record<string, number> = {};
  const recent: number[] = [];
  let missing = false;

  const readStates = new Map(
    [DIRECT_MESSAGES_ORIGIN, ...active.keys()].map((origin) => [origin, flags.readStateOf(origin)]),
  );
  for (const [origin, { mark }] of readStates) streams[origin] = mark;
  // A message that moved to another stream stays unread there when the user leaves the stream that it came from.
  const left = new Map(
    subscriptions.filter((own) => !own.active).map(({ stream }) => [stream, flags.readStateOf(stream)] as const),
  );
  const seen = ({ id, body }: StoredMessage): void => {
    if (body.stream !== 0) streams[body.stream] = Math.max(streams[body.stream]!, id);
    else if (body.sent >= since) recent.push(id);
  };
  for await (const batch of scan.scanUnreadAboveMarksNewestFirst(readStates, left, seen)) {
    unread.push(...batch);
    missing = unread.length > MAX_LISTED_UNREAD_MESSAGES;
    if (missing) break;
  }
  // The messages read above are recent ones; those that the user marked as unread are mostly older. Their origin may be
  // a stream that the user never saw: they moved here, and the user starred them or reacted to them.
  if (!missing)
    unread.push(
      ...(await scan.loadMessagesUnreadBelowReadMark(flags.allUnreadExceptionIds(), flags.makePersonalCopyLookup())),
    );
  const { [DIRECT_MESSAGES_ORIGIN]: upTo = 0, ...countedStreams } = streams;

  const silent = new Set(
    topics
      .filter(({ policy }) => policy === TOPIC_VISIBILITY_POLICY.muted)
      .map(({ stream, name }) => `${stream} ${toComparableTopicKey(name)}`),
  );
  const section = makeUnreadMessagesSummary(unread, {
    user,
    subscribed: (stream) => active.has(stream),
    muted: (stream, topic) =>
      (active.get(stream)?.muted ?? false) ||
      (silent.size > 0 && silent.has(`${stream} ${toComparableTopicKey(topic)}`)),
    missing,
  });
  return { section, countedMessages: { streams: countedStreams, direct: { upTo, recent } } };
}

/** Ids of starred messages that still exist, ascending; at most 10,000. */
export async function readStarredMessageIds(
  realm: RealmId,
  user: number,
  { reading }: OwnReadState,
  reads: MessageReadStore,
): Promise<number[]> {
  const flags = new UserMessageFlagsView(user, new Map(reading));
  const { ids } = flags.markedIds('starred');
  if (ids.length === 0) return [];
  const records = await reads.getMessages(realm, ids);
  const there = records.filter((record) => record !== null).map(toStoredMessage);
  const own = await new UnreadMessageScan(reads, realm, user).filterMessagesWithCopies(
    there,
    flags.makePersonalCopyLookup(),
  );
  return own.slice(0, MAX_STARRED_MESSAGE_IDS).map(({ id }) => id);
}
