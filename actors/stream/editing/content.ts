/** New text of a message: rendered body, and flags of the users who have a copy (messages.md § PATCH, effects). */

import type { MarkdownRenderResult } from '#domain/markdown';
import {
  computeMessageCopyState,
  type MessageBody,
  makeMentionAndAlertFlagsByUser,
  type StoredMessage,
  type StoredMessageEdit,
  streamIdsDecidingMessageCopies,
  toCheckedMessageContent,
} from '#domain/messages';
import { type StreamMembershipRecord, streamMemberPartAddress, toStreamMembershipRecord } from '#domain/streams';
import { type RealmId, toUserId } from '#model';
import type { OutboxCommand } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryView } from '#model/records';
import type { Store } from '#ports/store';

const EMPTY_MESSAGE_REPLACEMENT_TEXT = '(deleted)';

/** Checks a message's new text. @returns the text as it is stored. @throws ApiError */
export const toCheckedNewMessageText = (content: string): string =>
  content.trimEnd() === '' ? EMPTY_MESSAGE_REPLACEMENT_TEXT : toCheckedMessageContent(content);

/** Flags that follow from the text of a message; an edit keeps all others. */
export const FLAGS_DERIVED_FROM_TEXT = ['mentioned', 'wildcard_mentioned', 'has_alert_word'];

/** Memberships of users: stream → user → membership. */
export type MembershipsByStream = ReadonlyMap<number, ReadonlyMap<number, StreamMembershipRecord | undefined>>;

/**
 * Input of `makeBodyChangesForText` for a message that was moved here: memberships of the mentioned or alerted users in
 * the other streams that decide who has a copy.
 * @param own stream whose members are loaded with this actor
 */
export async function loadMentionedMembershipsForEdit(
  message: StoredMessage,
  content: string,
  rendered: MarkdownRenderResult,
  topicParticipants: readonly number[],
  own: number,
  realm: RealmId,
  directory: DirectoryView,
  store: Store,
): Promise<MembershipsByStream> {
  const streams = streamIdsDecidingMessageCopies(message).filter((stream) => stream !== own);
  const { mentions } = rendered;
  const users = [...makeMentionAndAlertFlagsByUser(content, mentions, topicParticipants, directory).keys()];
  if (streams.length === 0 || users.length === 0) return new Map();
  const wanted = streams.flatMap((stream) => users.map((user) => streamMemberPartAddress(realm, stream, user)));
  const parts = await store.getParts(wanted);
  return new Map(
    streams.map((stream, s) => [
      stream,
      new Map(users.map((user, u) => [user, toStreamMembershipRecord(parts[s * users.length + u]?.value)])),
    ]),
  );
}

/**
 * Applies a new text: the changes of the message's body. @param member membership in a stream that decides who has a
 * copy. @throws ApiError
 */
export function makeBodyChangesForText(
  message: StoredMessage,
  content: string,
  rendered: MarkdownRenderResult | null,
  topicParticipants: readonly number[],
  directory: DirectoryView,
  member: (stream: number, user: number) => StreamMembershipRecord | undefined,
): Partial<MessageBody> {
  if (rendered === null) throw apiError('CANNOT_RENDER');
  const flags: Record<string, readonly string[]> = {};
  for (const [user, before] of Object.entries(message.body.flags)) {
    const kept = before.filter((flag) => !FLAGS_DERIVED_FROM_TEXT.includes(flag));
    if (kept.length > 0) flags[user] = kept;
  }
  const { mentions } = rendered;
  for (const [user, added] of makeMentionAndAlertFlagsByUser(content, mentions, topicParticipants, directory)) {
    if (!directory.user(toUserId(user))?.isActive) continue;
    const hasCopy =
      message.body.copies?.includes(user) ||
      computeMessageCopyState(message, user, (stream) => member(stream, user)).has;
    if (hasCopy) flags[user] = [...(flags[user] ?? []), ...added];
  }
  return {
    content,
    html: rendered.html,
    flags,
    wildcard: mentions.wildcard,
    has: { link: rendered.hasLink, image: rendered.hasImage },
  };
}

/** Effect of a new text: changes of the body, entry of the edit history, commands. */
export interface NewMessageTextChanges {
  readonly body: Partial<MessageBody>;
  readonly edit: Pick<StoredMessageEdit, 'content'>;
  /** Commands to the owners of files that the text now links, or no longer links. */
  readonly commands: readonly OutboxCommand[];
}
