/**
 * Decides what follows a webhook call: a reply in the bot's name, another attempt, or a notice to the bot's owner. The
 * functions have no side effects.
 */

import { formatSilentMention, makeDirectNoticeCommand, noticeTextsOfUser } from '#actors/shared';
import { toCheckedMessageContent } from '#domain/messages';
import type { NoticeTexts } from '#domain/texts';
import { directMessageActorKey, streamActorKey, toStreamId, toUserId } from '#model';
import {
  directMessageActorCommands,
  makeOutboxCommand,
  type OutboxCommand,
  streamActorCommands,
  type WebhookCallOutcome,
} from '#model/commands';
import { ApiError } from '#model/errors';
import type { CommandContext } from '#runtime';
import { botIdOfWebhookActorKey } from './calls.js';
import type { WaitingWebhookCall } from './state.js';

/** Pauses before the second and third attempt to reach a webhook's server, ms. */
const WEBHOOK_RETRY_PAUSES_MS: readonly number[] = [1_000, 4_000];

type WebhookOutcomeContext = Pick<CommandContext, 'key' | 'realm' | 'directory' | 'now'>;

/** A notice of the notification bot to the owner, if the bot has one. @param compose gets a mention of the bot */
export function makeBotOwnerNoticeCommands(
  { key, realm, directory }: WebhookOutcomeContext,
  origin: string,
  compose: (texts: NoticeTexts, bot: string) => string,
): OutboxCommand[] {
  const bot = directory.user(botIdOfWebhookActorKey(key));
  const owner = bot?.botOwner ? directory.user(bot.botOwner) : undefined;
  if (!bot || !owner?.isActive) return [];
  const content = compose(noticeTextsOfUser(directory, owner.id), formatSilentMention(bot));
  return [makeDirectNoticeCommand(realm, owner.id, { content, origin, after: directory.version })];
}

/** The call as it waits for another attempt; undefined: this was the last. */
export function findNextAttempt(
  call: WaitingWebhookCall,
  outcome: WebhookCallOutcome,
  now: number,
): WaitingWebhookCall | undefined {
  const pause = outcome.is === 'later' ? WEBHOOK_RETRY_PAUSES_MS[call.tries] : undefined;
  const { running: _, ...waiting } = call;
  return pause === undefined ? undefined : { ...waiting, tries: call.tries + 1, next: now + pause };
}

export function makeCommandsAfterLastAttempt(
  outcome: WebhookCallOutcome,
  origin: string,
  context: WebhookOutcomeContext,
): OutboxCommand[] {
  if (outcome.is === 'done') return [];
  const { phrase } = outcome.place;
  if (outcome.is === 'reply') {
    try {
      return [makeBotReplyCommand({ ...outcome, say: toCheckedMessageContent(outcome.say) }, origin, context)];
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { message } = error;
      return makeBotOwnerNoticeCommands(context, origin, (texts, bot) =>
        texts.webhookReplyRefused(bot, phrase, message),
      );
    }
  }
  const { reason } = outcome;
  const text = outcome.is === 'unclear' ? 'webhookReplyUnclear' : 'webhookNotCalled';
  return makeBotOwnerNoticeCommands(context, origin, (texts, bot) => texts[text](bot, phrase, reason));
}

/** Sends the bot's reply like any message; if the message is refused, the bot's actor gets the reason. */
function makeBotReplyCommand(
  { place, say, widget }: Extract<WebhookCallOutcome, { is: 'reply' }>,
  origin: string,
  { key, realm, directory }: WebhookOutcomeContext,
): OutboxCommand {
  const common = {
    content: say,
    topic: place.topic,
    origin,
    human: false,
    queue_id: null,
    local_id: null,
    widget,
    place: place.phrase,
  };
  const more = { caller: botIdOfWebhookActorKey(key), after: directory.version };
  if (place.stream !== 0) {
    const to = streamActorKey(realm, toStreamId(place.stream));
    return makeOutboxCommand({ to, name: streamActorCommands.botReply, args: common, ...more });
  }
  const participants = place.participants.map(toUserId);
  const args = { ...common, participants };
  return makeOutboxCommand({
    to: directMessageActorKey(realm, participants),
    name: directMessageActorCommands.directBotReply,
    args,
    ...more,
  });
}
