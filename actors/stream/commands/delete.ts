/** Deletion of a single message, or of a topic batch by batch. */

import { makePartialSuccessReply, makeSuccessReply } from '#actors/shared';
import {
  makeViewerWithoutFlags,
  type StoredMessage,
  storeNameOfStreamConversation,
  toStoredMessage,
  UserMessageReader,
} from '#domain/messages';
import { isAdminOrOwner, isAllowedByPolicy } from '#domain/people';
import { isCurrentStreamMember, mayAccessStream, mayReadStreamHistory, toComparableTopicKey } from '#domain/streams';
import { parseActorKey, streamActorKey, toStreamId, toUserId } from '#model';
import {
  conversationActorCommands,
  type DeleteTopicArgs,
  makeRedirectCommand,
  streamActorCommands,
} from '#model/commands';
import { apiError } from '#model/errors';
import type { MessageRecord } from '#model/records';
import type { CommandContext, CommandInputContext, CommandOutcome } from '#runtime';
import type { ActorInputSources } from '../../services.js';
import {
  loadMessageRecord,
  newestVersionOfMessage,
  redirectIfOwnedElsewhere,
  requireMayAccessStreamOfMessage,
} from '../messages.js';
import { makeMessageRemovalOutcome } from '../removing.js';
import type {
  ConversationActorState,
  ConversationActorView,
  ConversationCommandHandler,
  ConversationMemoryState,
} from '../state.js';
import { filterMessagesStillInTopic, MAX_NEWEST_TOPIC_MESSAGES_READ, readNewestMessagesOfTopic } from '../topics.js';
import { findStreamMembershipRecord } from './members.js';

type DeleteInputContext = CommandInputContext<ConversationActorState, ConversationMemoryState>;

interface DeleteMessageInputs {
  readonly storedRecord: MessageRecord | null;
  /** Newest messages of the topic that contains the message to delete. */
  readonly newestTopicRecords: readonly MessageRecord[];
}

/** Checks the right to delete a message. @throws ApiError */
function checkMayDeleteMessage(message: StoredMessage, { directory, caller, now }: CommandContext): void {
  const user = directory.user(toUserId(caller));
  if (!user?.isActive) throw apiError('ACCOUNT_DEACTIVATED');
  if (isAdminOrOwner(user)) return;
  const { settings } = directory;
  const own = message.sender === caller;
  if (!own || !isAllowedByPolicy(settings.delete_own_message_policy, user, settings, now)) {
    throw apiError('DELETE_NOT_ALLOWED');
  }
  const limit = settings.message_content_delete_limit_seconds;
  if (typeof limit === 'number' && now > (message.body.sent + limit) * 1000) throw apiError('DELETE_TOO_LATE');
}

/** DELETE /messages/{message_id}: deletes one message. */
export const deleteMessageHandler: ConversationCommandHandler<
  typeof conversationActorCommands.deleteMessage,
  DeleteMessageInputs
> = {
  async inputs({ message_id }, { realm }, sources) {
    const stored = await loadMessageRecord(realm, message_id, sources);
    const { stream, topic } = stored ? toStoredMessage(stored).body : { stream: 0, topic: '' };
    const newest =
      stream === 0 ? [] : await readNewestMessagesOfTopic(sources.store, realm, stream, toComparableTopicKey(topic));
    return { storedRecord: stored, newestTopicRecords: newest };
  },
  handle(view, args, { storedRecord, newestTopicRecords }, context) {
    const message = newestVersionOfMessage(view, args.message_id, storedRecord);
    // The caller's user actor has just seen the message, so it was deleted a moment ago.
    if (!message) throw apiError('ALREADY_DELETED');
    const follow = redirectIfOwnedElsewhere(message, context, conversationActorCommands.deleteMessage, args);
    if (follow) return follow;
    // An archived stream is accessible to no user, but holders of a copy still read the message.
    if (!context.directory.stream(toStreamId(message.body.stream))?.archived)
      requireMayAccessStreamOfMessage(view, message, context);
    checkMayDeleteMessage(message, context);
    return { reply: makeSuccessReply(), ...makeMessageRemovalOutcome(view, [message], newestTopicRecords, context) };
  },
};

interface TopicDeletionBatchInputs {
  /** Messages of the topic to delete next, newest first. */
  readonly candidateRecords: readonly MessageRecord[];
  /** The messages of `records` and the next older ones: input of `makeTopicChangesAfterRemovals`. */
  readonly candidateAndNextOlderRecords: readonly MessageRecord[];
  readonly isFullBatch: boolean;
  /** Ids of the records that the caller may delete. */
  readonly deletableMessageIds: ReadonlySet<number>;
}

/** Maximum number of messages deleted per commit. */
const MAX_DELETIONS_PER_COMMIT = 500;

async function loadTopicDeletionBatch(
  { topic, before }: DeleteTopicArgs,
  { realm, caller, key, view }: DeleteInputContext,
  sources: ActorInputSources,
): Promise<TopicDeletionBatchInputs> {
  const id = Number(parseActorKey(key).idWithinRealm);
  const directory = await sources.loadDirectory(realm);
  const [stream, user] = [directory.stream(toStreamId(id)), directory.user(toUserId(caller))];
  if (!stream || !user)
    return {
      candidateRecords: [],
      candidateAndNextOlderRecords: [],
      isFullBatch: false,
      deletableMessageIds: new Set(),
    };
  const newest = await sources.store.scanMessages({
    realm,
    index: { by: 'topic', conversation: storeNameOfStreamConversation(id), topicKey: toComparableTopicKey(topic) },
    from: before === 0 ? Number.MAX_SAFE_INTEGER : before,
    direction: 'older',
    limit: MAX_DELETIONS_PER_COMMIT + MAX_NEWEST_TOPIC_MESSAGES_READ,
  });
  const records = newest.slice(0, MAX_DELETIONS_PER_COMMIT);
  const full = records.length === MAX_DELETIONS_PER_COMMIT;
  const subscribed = isCurrentStreamMember(findStreamMembershipRecord(view.parts, caller));
  if (stream.historyPublic && mayReadStreamHistory(user, stream, subscribed)) {
    return {
      candidateRecords: records,
      candidateAndNextOlderRecords: newest,
      isFullBatch: full,
      deletableMessageIds: new Set(records.map((record) => record.id)),
    };
  }
  const viewer = makeViewerWithoutFlags({ realm, user, directory, subscribed: (of) => of === id && subscribed });
  const reader = new UserMessageReader(sources.store, viewer);
  const own = await reader.filterReadableWithHistory(records.map(toStoredMessage), 'none');
  return {
    candidateRecords: records,
    candidateAndNextOlderRecords: newest,
    isFullBatch: full,
    deletableMessageIds: new Set(own.map(({ message }) => message.id)),
  };
}

/**
 * Checks before each batch that the caller may delete topics of the stream: deleting all of a topic takes up to 50 s,
 * in which the caller may be removed from the stream or lose the role. @throws ApiError
 */
function requireMayDeleteTopic(
  { parts }: ConversationActorView,
  id: number,
  { directory, caller }: CommandContext,
): void {
  const [stream, user] = [directory.stream(toStreamId(id)), directory.user(toUserId(caller))];
  if (!user?.isActive) throw apiError('ACCOUNT_DEACTIVATED');
  if (!isAdminOrOwner(user)) throw apiError('ADMIN_REQUIRED');
  const subscribed = isCurrentStreamMember(findStreamMembershipRecord(parts, caller));
  if (!stream || !mayAccessStream(user, stream, subscribed)) throw apiError('INVALID_STREAM_ID');
}

/** POST /streams/{stream_id}/delete_topic: deletes a batch, newest first, and redirects to itself until all is done. */
export const deleteTopicBatchHandler: ConversationCommandHandler<
  typeof streamActorCommands.deleteTopic,
  TopicDeletionBatchInputs
> = {
  // In this lane the command waits for a move that is still writing its messages.
  lane: 'moves',
  creates: true,
  inputs: loadTopicDeletionBatch,
  handle(
    view,
    args,
    { candidateRecords, candidateAndNextOlderRecords, isFullBatch, deletableMessageIds },
    context,
  ): CommandOutcome<ConversationActorState> {
    const key = toComparableTopicKey(args.topic);
    const stream = Number(parseActorKey(context.key).idWithinRealm);
    requireMayDeleteTopic(view, stream, context);
    const there = filterMessagesStillInTopic(view, candidateRecords, stream, key);
    const gone = there.filter(({ id }) => deletableMessageIds.has(id));
    const reply = !isFullBatch
      ? makeSuccessReply()
      : context.now >= args.until
        ? makePartialSuccessReply()
        : {
            forward: makeRedirectCommand({
              to: streamActorKey(context.realm, toStreamId(stream)),
              command: streamActorCommands.deleteTopic,
              args: { ...args, before: candidateRecords.at(-1)!.id },
            }),
          };
    return gone.length === 0
      ? { reply }
      : { reply, ...makeMessageRemovalOutcome(view, gone, candidateAndNextOlderRecords, context) };
  },
};
