/** Warns a bot's owner of a message without receivers (messages.md § POST /messages), at most once a minute. */

import { directNotice, silentMention, success } from '#actors/shared';
import type { userCommands } from '#model/commands';
import { selfOf, type UserCommand } from '../../state.js';

const WARN_MS = 60_000;

/** Sent by frontends and by stream actors: never refuses. */
export const lostMessage: UserCommand<typeof userCommands.lostMessage> = {
  handle({ state }, { stream, exists, origin }, _inputs, { now, realm, key, directory }) {
    const bot = directory.user(selfOf(key));
    const owner = bot?.botOwner ? directory.user(bot.botOwner) : undefined;
    if (!bot || !owner?.isActive || now < (state.warned ?? 0) + WARN_MS) return { reply: success({}) };
    const why = exists
      ? `sent a message to #**${stream}**, but nobody is subscribed to it.`
      : `could not send a message to the stream \`${stream.replaceAll('`', '')}\`, because there is none.`;
    const content = `${silentMention(bot)} ${why}`;
    const notice = directNotice(realm, owner.id, { content, origin, after: directory.version });
    return { reply: success({}), state: { ...state, warned: now }, commands: [[notice]] };
  },
};
