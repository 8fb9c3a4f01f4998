/**
 * Effects of a message on bots: copies for mentioned bots, calls of outgoing webhooks, and a warning to the owner of a
 * bot that sent to a stream without subscribers.
 */

import { BOT_TYPE } from '#domain/people';
import { type RealmId, toUserId, type UserId, userActorKey, webhookActorKey } from '#model';
import { makeOutboxCommand, type OutboxCommand, userActorCommands, webhookActorCommands } from '#model/commands';
import type { DirectoryStream, DirectoryUser, DirectoryView } from '#model/records';

/** Reason of a webhook call, as the call's body names it. */
type WebhookTrigger = 'mention' | 'private_message';

/** Bots of type generic that a message mentions although they are not subscribed; they get copies nevertheless. */
export const findMentionedUnsubscribedGenericBotIds = (
  mentioned: readonly number[],
  subscribed: (user: number) => boolean,
  directory: DirectoryView,
): number[] =>
  mentioned.filter((id) => {
    const user = directory.user(toUserId(id));
    return user?.isActive === true && user.botType === BOT_TYPE.generic && !subscribed(id);
  });

/** Commands that give copies of a message to the actors of these bots. */
export const makeGiveBotCopyCommands = (realm: RealmId, message: number, bots: readonly number[]): OutboxCommand[] =>
  bots.map((bot) =>
    makeOutboxCommand({
      to: userActorKey(realm, toUserId(bot)),
      name: userActorCommands.giveCopy,
      args: { ids: [message] },
      caller: 0,
    }),
  );

/** Commands that call the outgoing webhooks among these users. Messages of bots call no webhook. */
export function makeWebhookCallCommands(
  users: readonly number[],
  input: {
    readonly sender: DirectoryUser;
    readonly id: number;
    /** Stream of the message; 0: it is a direct message. */
    readonly stream: number;
    readonly trigger: WebhookTrigger;
    readonly origin: string;
  },
  realm: RealmId,
  directory: DirectoryView,
): OutboxCommand[] {
  if (input.sender.botType !== null) return [];
  return users
    .map((id): UserId => toUserId(id))
    .filter((id) => directory.user(id)?.isActive && directory.user(id)?.botType === BOT_TYPE.outgoingWebhook)
    .map((id) =>
      makeOutboxCommand({
        to: webhookActorKey(realm, id),
        name: webhookActorCommands.triggered,
        args: { message: input.id, stream: input.stream, trigger: input.trigger, origin: input.origin },
        caller: 0,
        after: directory.version,
      }),
    );
}

/** The command that makes a bot's actor warn the bot's owner that the bot sent to a stream without subscribers. */
export const makeWarnBotOwnerCommands = (
  bot: DirectoryUser,
  { name }: DirectoryStream,
  origin: string,
  realm: RealmId,
): OutboxCommand[] => [
  makeOutboxCommand({
    to: userActorKey(realm, bot.id),
    name: userActorCommands.lostMessage,
    args: { stream: name, exists: true, origin },
    caller: 0,
  }),
];
