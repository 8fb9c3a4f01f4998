/** Outcome of removing messages: records, topics' newest messages, and events (events.md, delete_message). */

import { makeFilesOfDeletedMessagesCommands, makeMessagesReadEvents } from '#actors/shared';
import type { StoredMessage } from '#domain/messages';
import { didMemberReceiveMessageId, isCurrentStreamMember, toComparableTopicKey } from '#domain/streams';
import { type EventAudience, type LogItem, parseActorKey } from '#model';
import { userActorCommands } from '#model/commands';
import type { MessageRecord } from '#model/records';
import type { CommandContext, CommandOutcome } from '#runtime';
import { findStreamMembershipRecord, listStreamSubscriberIds } from './commands/members.js';
import { makeMessageDeleteEvents } from './editing/event.js';
import { makeAndRecordMessageDeletion } from './messages.js';
import { makePushRecheckCommands } from './pushes.js';
import type { ConversationActorState, ConversationActorView } from './state.js';
import { makeTopicChangesAfterRemovals } from './topics.js';

/**
 * First API level at which also a deleter who is not subscribed to the stream gets the event, because the client still
 * shows the message.
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
  // The stream's actor itself deletes expired messages, as the caller 0.
  const isDeleterOutside =
    stream !== 0 &&
    context.caller !== 0 &&
    !isCurrentStreamMember(findStreamMembershipRecord(view.parts, context.caller));
  const events: LogItem[] = [];
  const parts: Record<string, PartValue> = {};
  for (const [key, of] of groupMessagesByTopicKey(messages)) {
    const { topic, stream: place } = of[0]!.body;
    const to: EventAudience = stream === 0 ? { users: of[0]!.participants } : { stream, mv: view.state.mv };
    const removed = of.map(({ id }) => id);
    const from = stream === 0 ? null : { stream: place, topic };
    events.push(...makeMessageDeleteEvents(removed, from, to));
    if (isDeleterOutside) {
      const own = makeMessageDeleteEvents(removed, from, { users: [context.caller] });
      events.push(...own.map((item) => ({ ...item, sinceLevel: FIRST_LEVEL_INFORMING_DELETERS })));
    }
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
 * Users who have left the stream get no delete_message events. If their `read-stream` command is still pending, their
 * actors will not find the removed messages any more, and their clients would count these as unread for ever. So this
 * commit emits the events that mark the messages as read.
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
      : messages.map(({ id }) => id).filter((id) => didMemberReceiveMessageId(member, id));
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
