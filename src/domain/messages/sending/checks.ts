/**
 * Checks of a message to be sent or scheduled: permissions (messages.md § POST /messages, checks 9 to 16) and the text.
 * The functions have no side effects.
 */

import { isWildcardMentionAllowed } from '#domain/people';
import { requireMayPostToStream } from '#domain/streams';
import { toUserId } from '#model';
import { apiError } from '#model/errors';
import type { DirectoryStream, DirectoryUser, DirectoryView } from '#model/records';

/**
 * Maximum number of subscribers of a stream in which all senders may use wildcard mentions; above it, the
 * organization's `wildcard_mention_policy` decides.
 */
const MAX_SUBSCRIBERS_FOR_UNRESTRICTED_WILDCARD = 15;
/** The topic that clients send if the user gave none. */
const NO_TOPIC_PLACEHOLDER = '(no topic)';

/** The sender's account. @throws ApiError when the account can't send anything */
export function requireActiveSender(directory: DirectoryView, id: number): DirectoryUser {
  const user = directory.user(toUserId(id));
  if (!user?.isActive) throw apiError('ACCOUNT_DEACTIVATED');
  return user;
}

/** True if a user is subscribed to the stream. The user is the sender or, if the sender is a bot, its owner. */
type IsSenderOrOwnerSubscribed = (user: number) => boolean;

/** Checks the right to send to a stream. @throws ApiError when the sender may not post to the stream */
export function requireMaySendToStream(
  sender: DirectoryUser,
  stream: DirectoryStream,
  subscribed: IsSenderOrOwnerSubscribed,
  directory: DirectoryView,
  now: number,
): void {
  const owner = sender.botOwner === null ? undefined : directory.user(sender.botOwner);
  requireMayPostToStream(
    {
      user: sender,
      subscribed: subscribed(sender.id),
      ...(owner ? { owner: { user: owner, subscribed: subscribed(owner.id) } } : {}),
    },
    stream,
    directory.settings,
    now,
  );
}

/** Checks that a message has a topic. @throws ApiError when the organization demands topics and there is none */
export function requireTopicIfMandatory(topic: string, { settings }: Pick<DirectoryView, 'settings'>): void {
  if (settings.mandatory_topics && topic === NO_TOPIC_PLACEHOLDER) throw apiError('TOPICS_REQUIRED');
}

/**
 * Checks the right to a wildcard mention. This check comes last, because mentions are known only after rendering.
 *
 * @throws ApiError
 */
export function requireMayMentionAll(
  wildcard: boolean,
  subscribers: () => number,
  sender: DirectoryUser | undefined,
  { settings }: DirectoryView,
  now: number,
): void {
  if (!wildcard || subscribers() <= MAX_SUBSCRIBERS_FOR_UNRESTRICTED_WILDCARD) return;
  const policy = settings.wildcard_mention_policy;
  if (!sender || !isWildcardMentionAllowed(policy, sender, settings, now)) throw apiError('WILDCARD_NOT_ALLOWED');
}

/** Checks the right to send a direct message. @param others all participants except the sender. @throws ApiError */
export function requireMaySendDirectMessage(
  sender: DirectoryUser,
  others: readonly DirectoryUser[],
  { settings }: DirectoryView,
): void {
  const toOneBot = others.length === 1 && others[0]?.botType !== null;
  if (settings.private_message_policy === 2 && !toOneBot && sender.botType === null) {
    throw apiError('DIRECT_MESSAGES_DISABLED');
  }
  for (const user of others) if (!user.isActive) throw apiError('RECIPIENT_GONE', { email: user.email });
}

export const MAX_MESSAGE_CHARACTERS = 10_000;
const MESSAGE_TRUNCATION_NOTE = '\n[message truncated]';

/**
 * Strips trailing blanks and leading newlines, and cuts a text that is too long.
 * @throws ApiError if the text is empty or has null bytes
 */
export function toCheckedMessageContent(content: string): string {
  const text = content.trimEnd().replace(/^\n+/, '');
  if (text === '') throw apiError('MESSAGE_EMPTY');
  if (text.includes('\0')) throw apiError('MESSAGE_NULL_BYTES');
  return truncateMessageContent(text);
}

/** Cuts a text that is too long, and notes it at the end; returns any other text as it is. */
export function truncateMessageContent(text: string): string {
  if (text.length <= MAX_MESSAGE_CHARACTERS) return text;
  const chars = [...text];
  if (chars.length <= MAX_MESSAGE_CHARACTERS) return text;
  return chars.slice(0, MAX_MESSAGE_CHARACTERS - MESSAGE_TRUNCATION_NOTE.length).join('') + MESSAGE_TRUNCATION_NOTE;
}
