/** Commands that have a system bot, mostly the notification bot, say something; the text is Markdown. Carried out by actors/stream. */

import type { JsonObject } from '#base';
import { NOTIFICATION_BOT } from '#domain/people';
import { dmKey, type RealmId, streamId, streamKey, userId } from '#model';
import type { OutboxCommand } from '#runtime';

export interface Notice {
  readonly content: string;
  /** Base URL of the organization. */
  readonly origin: string;
  /** Users for whom it is read from the beginning. */
  readonly read?: readonly number[];
  /** Realm version that knows the names in the text. */
  readonly after: number;
}

const command = (to: OutboxCommand['to'], { content, origin, read = [], after }: Notice, more: JsonObject) => ({
  to,
  name: 'notice',
  args: { content, origin, read, ...more },
  caller: 0,
  after,
});

/** In a stream. */
export const streamNotice = (realm: RealmId, stream: number, topic: string, notice: Notice): OutboxCommand =>
  command(streamKey(realm, streamId(stream)), notice, { topic });

/** To one user. @param bot who says it */
export function directNotice(realm: RealmId, user: number, notice: Notice, bot = NOTIFICATION_BOT): OutboxCommand {
  const participants = [bot, userId(user)].sort((a, b) => a - b);
  return command(dmKey(realm, participants), notice, { topic: '', participants, bot });
}

/** Names somebody without telling him. */
export const silentMention = ({ id, fullName }: { readonly id: number; readonly fullName: string }): string =>
  `@_**${fullName}|${id}**`;

/** Topic of notices about a stream itself. */
export const STREAM_EVENTS = 'stream events';

/** A stream's description in a quote block. */
export const quoted = (description: string): string =>
  `\`\`\`\` quote\n${description === '' ? '*No description.*' : description}\n\`\`\`\``;
