/** Who may send what to whom (messages.md § POST /messages, checks 9 to 16); also what is scheduled is checked so. Pure. */

import { wildcardAllowed } from '#domain/people';
import { checkMayPost } from '#domain/streams';
import { userId } from '#model';
import { apiError } from '#model/errors';
import type { DirectoryStream, DirectoryUser, DirectoryView } from '#model/records';

/** More subscribers than this, and the organization decides who may wake them all. */
const WILDCARD_FREE = 15;
/** What clients send where people give no topic. */
const NO_TOPIC = '(no topic)';

/** @throws ApiError when the account can't send anything */
export function activeSender(directory: DirectoryView, id: number): DirectoryUser {
  const user = directory.user(userId(id));
  if (!user?.isActive) throw apiError('ACCOUNT_DEACTIVATED');
  return user;
}

/** Asked of the sender and, for bots, of the owner. */
export type IsSubscribed = (user: number) => boolean;

/** @throws ApiError when the sender may not post to the stream */
export function checkPosting(
  sender: DirectoryUser,
  stream: DirectoryStream,
  subscribed: IsSubscribed,
  directory: DirectoryView,
  now: number,
): void {
  const owner = sender.botOwner === null ? undefined : directory.user(sender.botOwner);
  checkMayPost(
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

/** @throws ApiError */
export function checkTopicPresent(topic: string, directory: DirectoryView): void {
  if (directory.settings.mandatory_topics && topic === NO_TOPIC) throw apiError('TOPICS_REQUIRED');
}

/** Comes last, after rendering. @throws ApiError */
export function checkWildcard(
  wildcard: boolean,
  subscribers: () => number,
  sender: DirectoryUser | undefined,
  { settings }: DirectoryView,
  now: number,
): void {
  if (!wildcard || subscribers() <= WILDCARD_FREE) return;
  const policy = settings.wildcard_mention_policy;
  if (!sender || !wildcardAllowed(policy, sender, settings, now)) throw apiError('WILDCARD_NOT_ALLOWED');
}

/** @param others everybody in the conversation but the sender. @throws ApiError */
export function checkDirect(
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

export const MAX_MESSAGE = 10_000;
const TRUNCATED = '\n[message truncated]';

/** Right blanks and leading newlines go; too long a text is cut, not refused. @throws ApiError */
export function checkContent(content: string): string {
  const text = content.trimEnd().replace(/^\n+/, '');
  if (text === '') throw apiError('MESSAGE_EMPTY');
  if (text.includes('\0')) throw apiError('MESSAGE_NULL_BYTES');
  if (text.length <= MAX_MESSAGE) return text;
  const chars = [...text];
  if (chars.length <= MAX_MESSAGE) return text;
  return chars.slice(0, MAX_MESSAGE - TRUNCATED.length).join('') + TRUNCATED;
}
