/** Outcome of removing messages: records, topics' newest messages, and events (events.md, delete_message). */

import { makeFilesOfDeletedMessagesCommands, makeMessagesReadEvents } from '#actors/shared';
import { type StoredMessage, streamMovesOfMessage } from '#domain/messages';
import { didMemberReceiveMessageId, isCurrentStreamMember, toComparableTopicKey } from '#domain/streams';
import { type EventAudience, type LogItem, parseActorKey } from '#model';
import { userActorCommands } from '#model/commands';
import type { MessageRecord } from '#model/records';
import type { CommandContext, CommandOutcome } from '#runtime';
import { findStreamMembershipRecord, listStreamSubscriberIds } from './commands/members.js';
import { makeBulkMessageDeleteEvents, makeMessageDeleteEvents, makeSingleMessageDeleteEvent } from './editing/event.js';
import {
  audienceOfMessageCopyHolders,
  listCopyHoldersOutsideAudience,
  makeAndRecordMessageDeletion,
} from './messages.js';
import { makePushRecheckCommands } from './pushes.js';
import type { ConversationActorState, ConversationActorView } from './state.js';
import { makeTopicChangesAfterRemovals } from './topics.js';

/**
 * First API level at which also a deleter who is not subscribed to the stream and has no copy gets the event, because
 * the client still shows the message.
 */
const FIRST_LEVEL_INFORMING_DELETERS = 274;

/**
 * Outcome of removing messages.
 * @param messages messages of this conversation, in the order in which the events list them
 * @param newest the newest messages of their topics (`readNewestMessagesOfTopic`); removed ones may be among them
 */
export function makeMessageRemovalOutcome(
  view: ConversationActorView,
  messages: readonly StoredMessage[],
  newest: readonly MessageRecord[],
  context: CommandContext,
): Pick<CommandOutcome<ConversationActorState>, 'messages' | 'parts' | 'events' | 'commands' | 'replyAfterCommands'> {
  const { kind, idWithinRealm } = parseActorKey(context.key);
  const stream = kind === 'stream' ? Number(idWithinRealm) : 0;
  const ids = new Set(messages.map(({ id }) => id));
  const events: LogItem[] = [];
  const parts: Record<string, PartValue> = {};
  for (const [key, of] of groupMessagesByTopicKey(messages)) {
    const { topic, stream: place } = of[0]!.body;
    events.push(...makeEventsOfRemoval(view, stream === 0 ? null : { stream: place, topic }, of, context));
    if (stream !== 0)
      Object.assign(
        parts,
        makeTopicChangesAfterRemovals(view, stream, key, newest, (id) => ids.has(id)),
      );
  }
  if (stream !== 0) events.push(...makeMarkReadEventsForLeavers(view, messages, context));
  const files = makeFilesOfDeletedMessagesCommands(context.realm, messages);
  const receivers = () => (stream === 0 ? (messages[0]?.participants ?? []) : listStreamSubscriberIds(view.parts));
  const pushed = makePushRecheckCommands(receivers, messages, context.directory, context.realm);
  return {
    messages: messages.map((message) => makeAndRecordMessageDeletion(view, message, context)),
    parts,
    events,
    ...(files.length + pushed.length > 0 ? { commands: [[...files, ...pushed]] } : {}),
    ...(files.length > 0 ? { replyAfterCommands: true } : {}),
  };
}

/**
 * delete_message events for subscribers and holders of copies. Clients that take one id in each event hear of their own
 * copies; others hear of all of the messages if they have some.
 *
 * @param place null: direct messages
 */
function makeEventsOfRemoval(
  view: ConversationActorView,
  place: { readonly stream: number; readonly topic: string } | null,
  messages: readonly StoredMessage[],
  { caller, directory }: CommandContext,
): LogItem[] {
  const audienceOf = (one: StoredMessage): EventAudience => ({
    ...audienceOfMessageCopyHolders(one),
    ...(place ? { mv: view.state.mv } : {}),
  });
  const ids = messages.map(({ id }) => id);
  const to = audienceOf(messages[0]!);
  const events: LogItem[] = makeBulkMessageDeleteEvents(ids, place, to);
  // The audience of one message has all holders of its copies.
  const others =
    place && messages.length > 1 ? listCopyHoldersOutsideAudience(view, place.stream, to, messages, directory) : [];
  if (others.length > 0) events.push(...makeBulkMessageDeleteEvents(ids, place, { users: others }));
  events.push(...messages.map((one) => makeSingleMessageDeleteEvent(one.id, place, audienceOf(one))));
  // The stream's actor itself deletes expired messages, as the caller 0.
  if (!place || caller === 0) return events;
  const unheld = messages.filter((one) => !isSubscribedOrHasCopy(view, one, caller)).map(({ id }) => id);
  const own = unheld.length > 0 ? makeMessageDeleteEvents(unheld, place, { users: [caller] }) : [];
  return [...events, ...own.map((item) => ({ ...item, sinceLevel: FIRST_LEVEL_INFORMING_DELETERS }))];
}

/** True if the user is subscribed, or has a copy that no move between streams concerns. */
function isSubscribedOrHasCopy({ parts }: ConversationActorView, message: StoredMessage, user: number): boolean {
  const member = findStreamMembershipRecord(parts, user);
  if (isCurrentStreamMember(member) || message.body.copies?.includes(user)) return true;
  return streamMovesOfMessage(message).length === 0 && didMemberReceiveMessageId(member, message.id);
}

/**
 * Users who have left the stream may get no delete_message event of a message that was moved here. If their
 * `read-stream` command is still pending, their actors will not find the message any more, and their clients would
 * count it as unread for ever. So this commit emits the events that mark such messages as read.
 */
function makeMarkReadEventsForLeavers(
  { parts }: ConversationActorView,
  messages: readonly StoredMessage[],
  context: CommandContext,
): LogItem[] {
  const users = new Set(
    context.findPendingCommands(userActorCommands.readStream).map(({ to }) => Number(parseActorKey(to).idWithinRealm)),
  );
  return [...users].flatMap((user) => {
    const member = findStreamMembershipRecord(parts, user);
    const ids = isCurrentStreamMember(member)
      ? []
      : messages
          .filter((one) => streamMovesOfMessage(one).length > 0)
          .map(({ id }) => id)
          .filter((id) => didMemberReceiveMessageId(member, id));
    return makeMessagesReadEvents(user, ids);
  });
}

type PartValue = NonNullable<CommandOutcome<ConversationActorState>['parts']>[string];

function groupMessagesByTopicKey(messages: readonly StoredMessage[]): Map<string, StoredMessage[]> {
  const topics = new Map<string, StoredMessage[]>();
  for (const message of messages) {
    const key = toComparableTopicKey(message.body.topic);
    const of = topics.get(key);
    if (of) of.push(message);
    else topics.set(key, [message]);
  }
  return topics;
}
