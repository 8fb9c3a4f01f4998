/** Warns a bot's owner of a message without receivers (messages.md § POST /messages), at most once a minute. */

import { directNoticeCommand, silentMention, successReply } from '#actors/shared';
import type { userCommands } from '#model/commands';
import { type UserCommand, userIdOfKey } from '../../state.js';

const WARN_MS = 60_000;

/**
 * Warns the bot's owner that a message reached no subscriber. Frontends and stream actors send this command, which is
 * never refused.
 */
export const warnOfLostMessageHandler: UserCommand<typeof userCommands.lostMessage> = {
  handle({ state }, { stream, exists, origin }, _inputs, { now, realm, key, directory }) {
    const bot = directory.user(userIdOfKey(key));
    const owner = bot?.botOwner ? directory.user(bot.botOwner) : undefined;
    if (!bot || !owner?.isActive || now < (state.warned ?? 0) + WARN_MS) return { reply: successReply({}) };
    const why = exists
      ? `sent a message to #**${stream}**, but nobody is subscribed to it.`
      : `could not send a message to the stream \`${stream.replaceAll('`', '')}\`, because there is none.`;
    const content = `${silentMention(bot)} ${why}`;
    const notice = directNoticeCommand(realm, owner.id, { content, origin, after: directory.version });
    return { reply: successReply({}), state: { ...state, warned: now }, commands: [[notice]] };
  },
};
