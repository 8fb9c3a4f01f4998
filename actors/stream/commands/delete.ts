/** Deletion of a single message, or of a topic batch by batch. */

import { partialReply, successReply } from '#actors/shared';
import {
  MessageReader,
  type StoredMessage,
  streamConversationName,
  toStoredMessage,
  viewerWithoutFlags,
} from '#domain/messages';
import { isAdmin, isAllowedByPolicy } from '#domain/people';
import { canReadStreamHistory, isCurrentMember, toTopicKey } from '#domain/streams';
import { parseActorKey, streamId, streamKey, userId } from '#model';
import { conversationCommands, type DeleteTopicArgs, redirectCommand, streamCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { MessageRecord } from '#model/records';
import type { CommandContext, InputContext, Outcome } from '#runtime';
import type { InputSources } from '../../services.js';
import { latestMessage, loadMessageRecord, redirectToOwner } from '../messages.js';
import { removalOutcome } from '../removing.js';
import type { StreamCommand, StreamState, StreamVolatile } from '../state.js';
import { keepCurrentInTopic, MAX_NEWEST_READ, readNewestOfTopic } from '../topics.js';
import { storedMember } from './members.js';

type Context = InputContext<StreamState, StreamVolatile>;

interface DeleteInputs {
  readonly stored: MessageRecord | null;
  /** Newest messages of the topic that contains the message to delete. */
  readonly newest: readonly MessageRecord[];
}

/** Checks the right to delete a message. @throws ApiError */
function checkDelete(message: StoredMessage, { directory, caller, now }: CommandContext): void {
  const user = directory.user(userId(caller));
  if (!user?.isActive) throw apiError('ACCOUNT_DEACTIVATED');
  if (isAdmin(user)) return;
  const { settings } = directory;
  const own = message.sender === caller;
  if (!own || !isAllowedByPolicy(settings.delete_own_message_policy, user, settings, now)) {
    throw apiError('DELETE_NOT_ALLOWED');
  }
  const limit = settings.message_content_delete_limit_seconds;
  if (typeof limit === 'number' && now > (message.body.sent + limit) * 1000) throw apiError('DELETE_TOO_LATE');
}

/** DELETE /messages/{message_id}: deletes one message. */
export const deleteMessageHandler: StreamCommand<typeof conversationCommands.deleteMessage, DeleteInputs> = {
  async inputs({ message_id }, { realm }, sources) {
    const stored = await loadMessageRecord(realm, message_id, sources);
    const { stream, topic } = stored ? toStoredMessage(stored).body : { stream: 0, topic: '' };
    const newest = stream === 0 ? [] : await readNewestOfTopic(sources.store, realm, stream, toTopicKey(topic));
    return { stored, newest };
  },
  handle(view, args, { stored, newest }, context) {
    const message = latestMessage(view, args.message_id, stored);
    // The caller's user actor has just seen the message, so it was deleted a moment ago.
    if (!message) throw apiError('ALREADY_DELETED');
    const follow = redirectToOwner(message, context, conversationCommands.deleteMessage, args);
    if (follow) return follow;
    checkDelete(message, context);
    return { reply: successReply(), ...removalOutcome(view, [message], newest, context) };
  },
};

interface Page {
  /** Messages of the topic to delete next, newest first. */
  readonly records: readonly MessageRecord[];
  /** The messages of `records` and the next older ones: input of `removeMessagesFromTopic`. */
  readonly newest: readonly MessageRecord[];
  readonly full: boolean;
  /** Ids of the records that the caller may delete. */
  readonly accessible: ReadonlySet<number>;
}

/** Maximum number of messages deleted per commit. */
const BATCH = 500;

async function topicPage(
  { topic, before }: DeleteTopicArgs,
  { realm, caller, key, view }: Context,
  sources: InputSources,
): Promise<Page> {
  const id = Number(parseActorKey(key).rest);
  const directory = await sources.directory(realm);
  const [stream, user] = [directory.stream(streamId(id)), directory.user(userId(caller))];
  if (!stream || !user) return { records: [], newest: [], full: false, accessible: new Set() };
  const newest = await sources.store.scanMessages({
    realm,
    index: { by: 'topic', conversation: streamConversationName(id), topicKey: toTopicKey(topic) },
    from: before === 0 ? Number.MAX_SAFE_INTEGER : before,
    direction: 'older',
    limit: BATCH + MAX_NEWEST_READ,
  });
  const records = newest.slice(0, BATCH);
  const full = records.length === BATCH;
  const subscribed = isCurrentMember(storedMember(view.parts, caller));
  if (stream.historyPublic && canReadStreamHistory(user, stream, subscribed)) {
    return { records, newest, full, accessible: new Set(records.map((record) => record.id)) };
  }
  const viewer = viewerWithoutFlags({ realm, user, directory, subscribed: (of) => of === id && subscribed });
  const reader = new MessageReader(sources.store, viewer);
  const own = await reader.readable(records.map(toStoredMessage), 'none');
  return { records, newest, full, accessible: new Set(own.map(({ message }) => message.id)) };
}

/** POST /streams/{stream_id}/delete_topic: deletes a batch, newest first, and redirects to itself until all is done. */
export const deleteTopicBatchHandler: StreamCommand<typeof streamCommands.deleteTopic, Page> = {
  // In this lane the command waits for a move that is still writing its messages.
  lane: 'moves',
  creates: true,
  inputs: topicPage,
  handle(view, args, { records, newest, full, accessible }, context): Outcome<StreamState> {
    const key = toTopicKey(args.topic);
    const stream = Number(parseActorKey(context.key).rest);
    const there = keepCurrentInTopic(view, records, stream, key);
    const gone = there.filter(({ id }) => accessible.has(id));
    const reply = !full
      ? successReply()
      : context.now >= args.until
        ? partialReply()
        : {
            forward: redirectCommand({
              to: streamKey(context.realm, streamId(stream)),
              command: streamCommands.deleteTopic,
              args: { ...args, before: records.at(-1)!.id },
            }),
          };
    return gone.length === 0 ? { reply } : { reply, ...removalOutcome(view, gone, newest, context) };
  },
};
