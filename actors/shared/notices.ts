/** Commands to conversations: a system bot, mostly the notification bot, sends a notice. The text is Markdown. */

import { NOTIFICATION_BOT_ID } from '#domain/people';
import { directMessageKey, type RealmId, streamId, streamKey, userId } from '#model';
import { directCommands, type OutboxCommand, outboxCommand, streamCommands } from '#model/commands';

export interface Notice {
  readonly content: string;
  /** Base URL of the organization. */
  readonly origin: string;
  /** Users for whom the notice counts as read as soon as it is sent. */
  readonly read?: readonly number[];
  /** Realm version at which the names in the notice's text exist. */
  readonly after: number;
}

/** The command that sends a notice to a stream. */
export const streamNoticeCommand = (
  realm: RealmId,
  stream: number,
  topic: string,
  { after, ...notice }: Notice,
): OutboxCommand =>
  outboxCommand({
    to: streamKey(realm, streamId(stream)),
    name: streamCommands.notice,
    args: { read: [], ...notice, topic },
    caller: 0,
    after,
  });

/** The command that sends a notice to one user. @param bot sender */
export function directNoticeCommand(
  realm: RealmId,
  user: number,
  { after, ...notice }: Notice,
  bot = NOTIFICATION_BOT_ID,
): OutboxCommand {
  const participants = [bot, userId(user)].sort((a, b) => a - b);
  return outboxCommand({
    to: directMessageKey(realm, participants),
    name: directCommands.directNotice,
    args: { read: [], ...notice, topic: '', participants, bot },
    caller: 0,
    after,
  });
}

/** Markdown that mentions a user without notifying them. */
export const silentMention = ({ id, fullName }: { readonly id: number; readonly fullName: string }): string =>
  `@_**${fullName}|${id}**`;

/** Topic of notices about a stream itself, such as a change of its name. */
export const STREAM_EVENTS_TOPIC = 'stream events';

/** A stream's description in a quote block. */
export const quoteDescription = (description: string): string =>
  `\`\`\`\` quote\n${description === '' ? '*No description.*' : description}\n\`\`\`\``;
