/** Warns a bot's owner of a message without receivers (messages.md § POST /messages), at most once a minute. */

import { formatSilentMention, makeDirectNoticeCommand, makeSuccessReply, noticeTextsOfUser } from '#actors/shared';
import type { userActorCommands } from '#model/commands';
import { type UserCommandHandler, userIdOfUserActorKey } from '../../state.js';

const MIN_LOST_MESSAGE_WARNING_INTERVAL_MS = 60_000;

/**
 * Warns the bot's owner that a message reached no subscriber. Frontends and stream actors send this command, which is
 * never refused.
 */
export const warnBotOwnerOfLostMessageHandler: UserCommandHandler<typeof userActorCommands.lostMessage> = {
  handle({ state }, { stream, exists, origin }, _inputs, { now, realm, key, directory }) {
    const bot = directory.user(userIdOfUserActorKey(key));
    const owner = bot?.botOwner ? directory.user(bot.botOwner) : undefined;
    if (!bot || !owner?.isActive || now < (state.warned ?? 0) + MIN_LOST_MESSAGE_WARNING_INTERVAL_MS)
      return { reply: makeSuccessReply({}) };
    const texts = noticeTextsOfUser(directory, owner.id);
    const mention = formatSilentMention(bot);
    const content = exists
      ? texts.botMessageWithoutSubscribers(mention, `#**${stream}**`)
      : texts.botMessageWithoutStream(mention, `\`${stream.replaceAll('`', '')}\``);
    const notice = makeDirectNoticeCommand(realm, owner.id, { content, origin, after: directory.version });
    return { reply: makeSuccessReply({}), state: { ...state, warned: now }, commands: [[notice]] };
  },
};
