/** Outcome of removing messages: records, topics' newest messages, and events (events.md, delete_message). */

import { filesUnlinkedCommands, readIdsEvents } from '#actors/shared';
import type { StoredMessage } from '#domain/messages';
import { hasReceivedMessage, isCurrentMember, toTopicKey } from '#domain/streams';
import { type EventAudience, type LogItem, parseActorKey } from '#model';
import { userCommands } from '#model/commands';
import type { MessageRecord } from '#model/records';
import type { CommandContext, Outcome } from '#runtime';
import { storedMember } from './commands/members.js';
import { deleteEvents } from './editing/event.js';
import { removeMessage } from './messages.js';
import { pushedGoneCommands } from './pushes.js';
import type { StreamState, StreamView } from './state.js';
import { removeMessagesFromTopic } from './topics.js';

/**
 * Outcome of removing messages.
 * @param messages messages of this conversation, in the order in which the events list them
 * @param newest the newest messages of their topics (`readNewestOfTopic`); removed ones may be among them
 */
export function removalOutcome(
  view: StreamView,
  messages: readonly StoredMessage[],
  newest: readonly MessageRecord[],
  context: CommandContext,
): Pick<Outcome<StreamState>, 'messages' | 'parts' | 'events' | 'commands' | 'replyAfterCommands'> {
  const { kind, rest } = parseActorKey(context.key);
  const stream = kind === 'stream' ? Number(rest) : 0;
  const ids = new Set(messages.map(({ id }) => id));
  const events: LogItem[] = [];
  const parts: Record<string, JsonPart> = {};
  for (const [key, of] of byTopic(messages)) {
    const { topic, stream: place } = of[0]!.body;
    const to: EventAudience = stream === 0 ? { users: of[0]!.participants } : { stream, mv: view.state.mv };
    events.push(
      ...deleteEvents(
        of.map(({ id }) => id),
        stream === 0 ? null : { stream: place, topic },
        to,
      ),
    );
    if (stream !== 0)
      Object.assign(
        parts,
        removeMessagesFromTopic(view, stream, key, newest, (id) => ids.has(id)),
      );
  }
  if (stream !== 0) events.push(...readEventsForLeavers(view, messages, context));
  const files = messages.flatMap(({ id, body }) => filesUnlinkedCommands(context.realm, body.files ?? [], id, true));
  const pushed = pushedGoneCommands(view.parts, messages, context.directory, context.realm);
  return {
    messages: messages.map((message) => removeMessage(view, message, context)),
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
function readEventsForLeavers(
  { parts }: StreamView,
  messages: readonly StoredMessage[],
  context: CommandContext,
): LogItem[] {
  const users = new Set(
    context.pendingCommands(userCommands.readStream).map(({ to }) => Number(parseActorKey(to).rest)),
  );
  return [...users].flatMap((user) => {
    const member = storedMember(parts, user);
    const ids = isCurrentMember(member)
      ? []
      : messages.map(({ id }) => id).filter((id) => hasReceivedMessage(member, id));
    return readIdsEvents(user, ids);
  });
}

type JsonPart = NonNullable<Outcome<StreamState>['parts']>[string];

function byTopic(messages: readonly StoredMessage[]): Map<string, StoredMessage[]> {
  const topics = new Map<string, StoredMessage[]>();
  for (const message of messages) {
    const key = toTopicKey(message.body.topic);
    const of = topics.get(key);
    if (of) of.push(message);
    else topics.set(key, [message]);
  }
  return topics;
}
