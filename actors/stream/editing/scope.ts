/** Inputs of edits and moves: the other messages of the topic, and messages and subscribers of the target. */

import type { JsonObject } from '#base';
import type { MarkdownRenderResult } from '#domain/markdown';
import {
  makeViewerWithoutFlags,
  NEWEST_ANCHOR_MESSAGE_ID,
  RESOLVED_TOPIC_PREFIX,
  type StoredMessage,
  storeNameOfStreamConversation,
  toStoredMessage,
  UserMessageReader,
} from '#domain/messages';
import {
  isCurrentStreamMember,
  mayReadStreamHistory,
  type StreamMembershipRecord,
  toComparableTopicKey,
} from '#domain/streams';
import { streamActorKey, toStreamId, toUserId } from '#model';
import {
  type ActorCommandName,
  type ActorValueReply,
  type EditMessageArgs,
  streamActorCommands,
} from '#model/commands';
import type { DirectoryStream, DirectoryUser, DirectoryView, MessageRecord } from '#model/records';
import type { CommandInputContext } from '#runtime';
import type { ActorInputSources } from '../../services.js';
import { findStreamMembershipRecord } from '../commands/members.js';
import type { ConversationActorState, ConversationMemoryState } from '../state.js';
import { readNewestMessagesOfTopic } from '../topics.js';
import type { MembershipsByStream } from './content.js';

interface TargetStreamMembers {
  /** Ids of the subscribers at membership version `mv`. */
  readonly members: readonly number[];
  readonly mv: number;
}

interface MoveScopeInputs {
  /** Messages of the old topic, newest first: all of them, or just enough to find one that the move leaves behind. */
  readonly oldTopicRecords: readonly MessageRecord[];
  /** Ids of those messages in `topic` that the caller may access. */
  readonly accessibleMessageIds: ReadonlySet<number>;
  /** Messages of the old topic, newest first; one of them is the newest that stays, if any stays. */
  readonly newestOldTopicRecords: readonly MessageRecord[];
  /** Subscribers of the stream to which messages move; undefined: the stream stays the same. */
  readonly targetStreamMembers: TargetStreamMembers | undefined;
  /** Watchers of the new topic in another stream. */
  readonly newTopicWatcherIds: readonly number[];
  /** Messages in the new topic, newest first: one, or all if the move resolves or unresolves the topic. */
  readonly newTopicRecords: readonly MessageRecord[];
}

const TOPIC_PAGE_MESSAGES = 1_000;

type MoveInputContext = CommandInputContext<ConversationActorState, ConversationMemoryState>;

/** Messages of a topic, newest first. @param seen gets each page; true ends the read */
async function readTopicMessagesByPages(
  stream: number,
  key: string,
  { realm }: MoveInputContext,
  { store }: ActorInputSources,
  seen: (page: readonly MessageRecord[]) => Promise<boolean>,
  first = TOPIC_PAGE_MESSAGES,
): Promise<MessageRecord[]> {
  const index = { by: 'topic', conversation: storeNameOfStreamConversation(stream), topicKey: key } as const;
  const all: MessageRecord[] = [];
  let from = NEWEST_ANCHOR_MESSAGE_ID;
  for (let limit = first; ; limit = TOPIC_PAGE_MESSAGES) {
    const page = await store.scanMessages({ realm, index, from, direction: 'older', limit });
    all.push(...page);
    if ((await seen(page)) || page.length < limit) return all;
    from = page.at(-1)!.id;
  }
}

/** Makes a function that finds the messages of the stream that the caller may access. */
function makeAccessibleMessageFilter(
  stream: DirectoryStream,
  user: DirectoryUser,
  directory: DirectoryView,
  context: MoveInputContext,
  { store }: ActorInputSources,
) {
  const subscribed = (id: number): boolean =>
    id === stream.id && isCurrentStreamMember(findStreamMembershipRecord(context.view.parts, user.id));
  const shared = stream.historyPublic && mayReadStreamHistory(user, stream, subscribed(stream.id));
  const reader = new UserMessageReader(
    store,
    makeViewerWithoutFlags({ realm: context.realm, user, directory, subscribed }),
  );
  return async (records: readonly MessageRecord[]): Promise<number[]> => {
    if (shared) return records.map(({ id }) => id);
    return (await reader.filterReadableWithHistory(records.map(toStoredMessage), 'none')).map(
      ({ message }) => message.id,
    );
  };
}

export async function readMoveScopeInputs(
  args: EditMessageArgs,
  message: StoredMessage,
  context: MoveInputContext,
  sources: ActorInputSources,
): Promise<MoveScopeInputs | undefined> {
  const { realm, caller } = context;
  const directory = await sources.loadDirectory(realm);
  const user = directory.user(toUserId(caller));
  const stream = directory.stream(toStreamId(message.body.stream));
  if (!user || !stream) return undefined;
  const accessibleOf = makeAccessibleMessageFilter(stream, user, directory, context, sources);
  const accessible = new Set<number>();
  const alone = args.propagate_mode === 'change_one';
  const key = toComparableTopicKey(message.body.topic);
  const add = async (page: readonly MessageRecord[]): Promise<boolean> => {
    const ids = await accessibleOf(page);
    for (const id of ids) accessible.add(id);
    // If a single message moves, the read ends as soon as it finds a message that stays behind.
    return alone && ids.some((id) => id !== message.id);
  };
  const elsewhere = args.stream_id !== null && args.stream_id !== stream.id ? args.stream_id : undefined;
  const newTopic = (args.topic ?? message.body.topic).trim();
  const toggles = newTopic.startsWith(RESOLVED_TOPIC_PREFIX) !== message.body.topic.startsWith(RESOLVED_TOPIC_PREFIX);
  const other = elsewhere === undefined ? undefined : directory.stream(toStreamId(elsewhere));
  const askTarget = async <A extends JsonObject, T>(
    command: ActorCommandName<'stream', A, ActorValueReply<T>>,
    of: A,
  ) => other && sources.askActor(streamActorKey(realm, other.id), command, of);
  const [topic, newest, target, watchers, inTarget] = await Promise.all([
    readTopicMessagesByPages(stream.id, key, context, sources, add, alone ? 2 : TOPIC_PAGE_MESSAGES),
    alone ? readNewestMessagesOfTopic(sources.store, realm, stream.id, key) : undefined,
    askTarget(streamActorCommands.members, {}),
    askTarget(streamActorCommands.topicWatchers, { topic: newTopic }),
    readTopicMessagesByPages(
      elsewhere ?? stream.id,
      toComparableTopicKey(newTopic),
      context,
      sources,
      async () => !toggles,
      toggles ? TOPIC_PAGE_MESSAGES : 1,
    ),
  ]);
  return {
    oldTopicRecords: topic,
    accessibleMessageIds: accessible,
    newestOldTopicRecords: newest ?? topic,
    targetStreamMembers: target,
    newTopicWatcherIds: watchers ?? [],
    newTopicRecords: inTarget,
  };
}

export interface MessageEditInputs {
  readonly storedRecord: MessageRecord | null;
  /** The rendered new text; null: it can't be rendered. Undefined: no new text, or one that will be refused. */
  readonly rendered: MarkdownRenderResult | null | undefined;
  /** Uploaded files that only the new text links and that the sender may claim. */
  readonly files: readonly string[];
  readonly memberships: MembershipsByStream;
  /** Ids of the users who take part in the topic; [] unless the new text mentions it. */
  readonly topicParticipantIds: readonly number[];
  /** Messages that a move concerns; undefined for other edits. */
  readonly moveScope: MoveScopeInputs | undefined;
  /** Memberships in the target stream of the mover and, for a bot, of its owner. */
  readonly targetStreamMemberships: ReadonlyMap<number, StreamMembershipRecord | undefined>;
}
