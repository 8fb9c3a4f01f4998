/** Changing stored messages: the newest version of each, what to write, and who hears of it. */

import { ownerOf } from '#actors/shared';
import type { JsonObject } from '#base';
import type { MessageBody, StoredMessage } from '#domain/messages';
import { asStored, recordOf, streamConversation } from '#domain/messages';
import type { Audience, RealmId } from '#model';
import { parseKey, streamId } from '#model';
import type { Command, Fields } from '#model/commands';
import { redirect } from '#model/commands';
import type { DirectoryView, MessageRecord } from '#model/records';
import type { CommandContext, MessageChange, Outcome } from '#runtime';
import type { InputSources } from '../services.js';
import type { StreamState, StreamView } from './state.js';

/** Input of commands on one message. */
export async function storedRecord(realm: RealmId, id: number, { store }: InputSources): Promise<MessageRecord | null> {
  const [record] = await store.getMessages(realm, [id]);
  return record ?? null;
}

/** The message as it is now; undefined when it is deleted. */
export function latest(view: StreamView, id: number, stored: MessageRecord | null): StoredMessage | undefined {
  const record = view.volatile.recent.latest(id, stored);
  return record ? asStored(record) : undefined;
}

/** The message has moved on since the caller's actor looked: the command follows it. */
export function redirectToOwner<A extends JsonObject>(
  message: StoredMessage,
  { key, realm }: CommandContext,
  command: Command<'stream' | 'dm', A, Fields>,
  args: NoInfer<A>,
): Outcome<StreamState> | undefined {
  const owner = ownerOf(realm, message);
  return owner === key ? undefined : { reply: { forward: redirect({ to: owner, command, args }) } };
}

const conversationOf = (message: StoredMessage, key: CommandContext['key']): string =>
  message.body.stream === 0 ? `d${parseKey(key).rest}` : streamConversation(message.body.stream);

/** A message with parts of its body replaced. Call it when nothing can refuse the command any more. */
export function change(
  view: StreamView,
  message: StoredMessage,
  to: Partial<MessageBody>,
  { key, now }: CommandContext,
): MessageChange {
  const rev = message.body.rev + 1;
  const next: StoredMessage = { ...message, body: { ...message.body, ...to, rev } as MessageBody };
  const record = recordOf(next, conversationOf(next, key));
  view.volatile.recent.note(message.id, rev, record, now);
  return { id: message.id, rev, record };
}

/** As `change`: the message is gone. */
export function removal(view: StreamView, message: StoredMessage, { now }: CommandContext): MessageChange {
  const rev = message.body.rev + 1;
  view.volatile.recent.note(message.id, rev, null, now);
  return { id: message.id, rev, record: null };
}

/** Who has a copy, and who may read the conversation's history: those who hear of changes (events.md § Recipients). */
export function holders(message: StoredMessage, { mv }: StreamState, directory: DirectoryView): Audience {
  const { stream } = message.body;
  const shared = stream !== 0 && (directory.stream(streamId(stream))?.historyPublic ?? false);
  return { ...copyHolders(message), ...(shared ? { mv } : {}) };
}

/** Who has a copy. */
export function copyHolders({ body, participants, id, home }: StoredMessage): Audience {
  if (body.stream === 0) return { users: participants };
  const own = body.copies ? { users: body.copies } : {};
  if (body.moves) return { stream: body.stream, moved: { id, home, moves: body.moves }, ...own };
  return { stream: body.stream, copyOf: id, ...own };
}
