/** Changes of stored messages: newest version, record to write, and audience of the event. */

import { owningActorKey } from '#actors/shared';
import type { JsonObject } from '#base';
import {
  type MessageBody,
  type StoredMessage,
  streamConversationName,
  toMessageRecord,
  toStoredMessage,
} from '#domain/messages';
import { type EventAudience, parseActorKey, type RealmId, streamId } from '#model';
import { type Command, type FieldsReply, redirectCommand } from '#model/commands';
import type { DirectoryView, MessageRecord } from '#model/records';
import type { CommandContext, MessageChange, Outcome } from '#runtime';
import type { InputSources } from '../services.js';
import type { StreamState, StreamView } from './state.js';

/** Loads the record of the message that a command names; null: there is none. */
export async function loadMessageRecord(
  realm: RealmId,
  id: number,
  { store }: InputSources,
): Promise<MessageRecord | null> {
  const [record] = await store.getMessages(realm, [id]);
  return record ?? null;
}

/** Newest version of a message; undefined: deleted or absent. */
export function latestMessage(view: StreamView, id: number, stored: MessageRecord | null): StoredMessage | undefined {
  const record = view.volatile.recent.latest(id, stored);
  return record ? toStoredMessage(record) : undefined;
}

/**
 * Redirects a command if the message has moved to another actor since the caller's actor looked; otherwise undefined.
 */
export function redirectToOwner<A extends JsonObject>(
  message: StoredMessage,
  { key, realm }: CommandContext,
  command: Command<'stream' | 'dm', A, FieldsReply>,
  args: NoInfer<A>,
): Outcome<StreamState> | undefined {
  const owner = owningActorKey(realm, message);
  return owner === key ? undefined : { reply: { forward: redirectCommand({ to: owner, command, args }) } };
}

const conversationOf = (message: StoredMessage, key: CommandContext['key']): string =>
  message.body.stream === 0 ? `d${parseActorKey(key).rest}` : streamConversationName(message.body.stream);

/**
 * Replaces fields of the message's body. The change is noted at once in `volatile.recent`, so call this only after the
 * last check that may throw.
 */
export function changeMessageBody(
  view: StreamView,
  message: StoredMessage,
  to: Partial<MessageBody>,
  { key, now }: CommandContext,
): MessageChange {
  const rev = message.body.rev + 1;
  const next: StoredMessage = { ...message, body: { ...message.body, ...to, rev } as MessageBody };
  const record = toMessageRecord(next, conversationOf(next, key));
  view.volatile.recent.note(message.id, rev, record, now);
  return { id: message.id, rev, record };
}

/**
 * Deletes the message. The deletion is noted at once in `volatile.recent`, so call this only after the last check that
 * may throw.
 */
export function removeMessage(view: StreamView, message: StoredMessage, { now }: CommandContext): MessageChange {
  const rev = message.body.rev + 1;
  view.volatile.recent.note(message.id, rev, null, now);
  return { id: message.id, rev, record: null };
}

/**
 * Audience of changes of a message: holders of copies, and subscribers if the history is public (events.md §
 * Recipients).
 */
export function audienceOfChanges(
  message: StoredMessage,
  { mv }: StreamState,
  directory: DirectoryView,
): EventAudience {
  const { stream } = message.body;
  const shared = stream !== 0 && (directory.stream(streamId(stream))?.historyPublic ?? false);
  return { ...audienceOfCopies(message), ...(shared ? { mv } : {}) };
}

/** Audience of the users who have a copy of the message. */
export function audienceOfCopies({ body, participants, id, originStream: home }: StoredMessage): EventAudience {
  if (body.stream === 0) return { users: participants };
  const own = body.copies ? { users: body.copies } : {};
  if (body.moves) return { stream: body.stream, moved: { id, home, moves: body.moves }, ...own };
  return { stream: body.stream, copyOf: id, ...own };
}
