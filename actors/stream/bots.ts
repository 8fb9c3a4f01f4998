/** What a message means for bots: copies for those that it names, calls of those that are called. */

import { BOT_TYPE } from '#domain/people';
import type { RealmId, UserId } from '#model';
import { userId, userKey, webhookKey } from '#model';
import type { OutboxCommand } from '#model/commands';
import { outboxCommand, userCommands, webhookCommands } from '#model/commands';
import type { DirectoryStream, DirectoryUser, DirectoryView } from '#model/records';

/** Why an outgoing webhook is called, as it is told. */
export type Trigger = 'mention' | 'private_message';

/** Generic bots that the text names and that are not in the stream: they get copies all the same. */
export const mentionedBotsOutside = (
  mentioned: readonly number[],
  subscribed: (user: number) => boolean,
  directory: DirectoryView,
): number[] =>
  mentioned.filter((id) => {
    const user = directory.user(userId(id));
    return user?.isActive === true && user.botType === BOT_TYPE.generic && !subscribed(id);
  });

/** For the actors of those bots. */
export const giveCopies = (realm: RealmId, message: number, bots: readonly number[]): OutboxCommand[] =>
  bots.map((bot) =>
    outboxCommand({
      to: userKey(realm, userId(bot)),
      name: userCommands.giveCopy,
      args: { ids: [message] },
      caller: 0,
    }),
  );

/** Calls of those among these users that are outgoing webhooks; what bots say calls nobody. */
export function webhookCalls(
  users: readonly number[],
  said: { readonly sender: DirectoryUser; readonly id: number; readonly trigger: Trigger; readonly origin: string },
  realm: RealmId,
  directory: DirectoryView,
): OutboxCommand[] {
  if (said.sender.botType !== null) return [];
  return users
    .map((id): UserId => userId(id))
    .filter((id) => directory.user(id)?.isActive && directory.user(id)?.botType === BOT_TYPE.outgoingWebhook)
    .map((id) =>
      outboxCommand({
        to: webhookKey(realm, id),
        name: webhookCommands.triggered,
        args: { message: said.id, trigger: said.trigger, origin: said.origin },
        caller: 0,
        after: directory.version,
      }),
    );
}

/** Nobody is in the stream to which a bot says something. */
export const lostMessageNotice = (
  bot: DirectoryUser,
  { name }: DirectoryStream,
  origin: string,
  realm: RealmId,
): OutboxCommand[] => [
  outboxCommand({
    to: userKey(realm, bot.id),
    name: userCommands.lostMessage,
    args: { stream: name, exists: true, origin },
    caller: 0,
  }),
];
