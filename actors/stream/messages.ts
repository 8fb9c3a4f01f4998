/** Changes of stored messages: newest version, record to write, and audience of the event. */

import { messageOwnerActorKey } from '#actors/shared';
import type { JsonObject } from '#base';
import { isInEventAudience } from '#delivery';
import {
  type MessageBody,
  type StoredMessage,
  storeNameOfStreamConversation,
  streamMovesOfMessage,
  toMessageRecord,
  toStoredMessage,
} from '#domain/messages';
import { didMemberReceiveAnyMessageId, isCurrentStreamMember, mayAccessStream } from '#domain/streams';
import { type EventAudience, parseActorKey, type RealmId, toStreamId, toUserId } from '#model';
import { type ActorCommandName, type ActorFieldsReply, makeRedirectCommand } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryView, MessageRecord } from '#model/records';
import type { CommandContext, CommandOutcome, MessageChange } from '#runtime';
import type { ActorInputSources } from '../services.js';
import { findStreamMembershipRecord, readStreamMemberships } from './commands/members.js';
import type { ConversationActorState, ConversationActorView } from './state.js';

/** Loads the record of the message that a command names; null: there is none. */
export async function loadMessageRecord(
  realm: RealmId,
  id: number,
  { store }: ActorInputSources,
): Promise<MessageRecord | null> {
  const [record] = await store.getMessages(realm, [id]);
  return record ?? null;
}

/** Newest version of a message; undefined: deleted or absent. */
export function newestVersionOfMessage(
  view: ConversationActorView,
  id: number,
  stored: MessageRecord | null,
): StoredMessage | undefined {
  const record = view.volatile.recentlyChangedMessages.pickNewerRecord(id, stored);
  return record ? toStoredMessage(record) : undefined;
}

/**
 * Redirects a command if the message has moved to another actor since the caller's actor looked; otherwise undefined.
 */
export function redirectIfOwnedElsewhere<A extends JsonObject>(
  message: StoredMessage,
  { key, realm }: CommandContext,
  command: ActorCommandName<'stream' | 'dm', A, ActorFieldsReply>,
  args: NoInfer<A>,
): CommandOutcome<ConversationActorState> | undefined {
  const owner = messageOwnerActorKey(realm, message);
  return owner === key ? undefined : { reply: { forward: makeRedirectCommand({ to: owner, command, args }) } };
}

/**
 * Checks that the caller may access the message's stream now. A copy alone suffices for reading, but former subscribers
 * of a private stream change nothing there. The stream's actor checks, because it knows the newest subscriptions.
 * @throws ApiError
 */
export function requireMayAccessStreamOfMessage(
  { parts }: ConversationActorView,
  { body }: StoredMessage,
  { directory, caller }: CommandContext,
): void {
  if (body.stream === 0) return;
  const user = directory.user(toUserId(caller));
  const stream = directory.stream(toStreamId(body.stream));
  const subscribed = isCurrentStreamMember(findStreamMembershipRecord(parts, caller));
  if (!user || !stream || !mayAccessStream(user, stream, subscribed)) throw apiError('INVALID_MESSAGES');
}

const conversationStoreNameOf = (message: StoredMessage, key: CommandContext['key']): string =>
  message.body.stream === 0
    ? `d${parseActorKey(key).idWithinRealm}`
    : storeNameOfStreamConversation(message.body.stream);

/**
 * Replaces fields of the message's body. The change is noted at once in `volatile.recent`, so call this only after the
 * last check that may throw.
 */
export function makeAndRecordMessageChange(
  view: ConversationActorView,
  message: StoredMessage,
  to: Partial<MessageBody>,
  { key, now }: CommandContext,
): MessageChange {
  const rev = message.body.rev + 1;
  const next: StoredMessage = { ...message, body: { ...message.body, ...to, rev } as MessageBody };
  const record = toMessageRecord(next, conversationStoreNameOf(next, key));
  view.volatile.recentlyChangedMessages.recordChangeAndForgetOld(message.id, rev, record, now);
  return { id: message.id, rev, record };
}

/**
 * Deletes the message. The deletion is noted at once in `volatile.recent`, so call this only after the last check that
 * may throw.
 */
export function makeAndRecordMessageDeletion(
  view: ConversationActorView,
  message: StoredMessage,
  { now }: CommandContext,
): MessageChange {
  const rev = message.body.rev + 1;
  view.volatile.recentlyChangedMessages.recordChangeAndForgetOld(message.id, rev, null, now);
  return { id: message.id, rev, record: null };
}

/**
 * Audience of changes of a message: holders of copies, and subscribers if the history is public (events.md §
 * Recipients).
 */
export function audienceOfMessageChanges(
  message: StoredMessage,
  { mv }: ConversationActorState,
  directory: DirectoryView,
): EventAudience {
  const { stream } = message.body;
  const shared = stream !== 0 && (directory.stream(toStreamId(stream))?.historyPublic ?? false);
  return { ...audienceOfMessageCopyHolders(message), ...(shared ? { mv } : {}) };
}

/** Audience of the users who have a copy of the message. */
export function audienceOfMessageCopyHolders({
  body,
  participants,
  id,
  originStream: home,
}: StoredMessage): EventAudience {
  if (body.stream === 0) return { users: participants };
  const own = body.copies ? { users: body.copies } : {};
  if (body.moves) return { stream: body.stream, moved: { id, home, moves: body.moves }, ...own };
  return { stream: body.stream, copyOf: id, ...own };
}

/**
 * Users who have a copy of some of the messages. Copies that came with an earlier move from another stream are left
 * out, because the memberships of that stream decide who has them.
 */
export function collectCopyHolders(
  { parts }: ConversationActorView,
  messages: readonly StoredMessage[],
): ReadonlySet<number> {
  const sentHere = messages.filter((one) => streamMovesOfMessage(one).length === 0).map(({ id }) => id);
  sentHere.sort((a, b) => a - b);
  const holders = new Set(messages.flatMap(({ body }) => body.copies ?? []));
  for (const [id, member] of readStreamMemberships(parts))
    if (didMemberReceiveAnyMessageId(member, sentHere)) holders.add(id);
  return holders;
}

/** Users outside `audience` who have a copy of some of the messages (`collectCopyHolders`). */
export function listCopyHoldersOutsideAudience(
  view: ConversationActorView,
  stream: number,
  audience: EventAudience,
  messages: readonly StoredMessage[],
  directory: DirectoryView,
): number[] {
  const members = readStreamMemberships(view.parts);
  const holders = collectCopyHolders(view, messages);
  const membersOf = (of: number) => (of === stream ? members : undefined);
  return [...holders].filter((user) => !isInEventAudience(audience, { user, allPublic: false }, directory, membersOf));
}
