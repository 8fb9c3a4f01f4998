/**
 * Notices: what the notification bot says in a stream or to a user, on behalf of whatever another actor did. Made with
 * `streamNotice` and `directNotice` (actors/shared/notices.ts); never refused.
 */

import { value } from '#actors/shared';
import type { Rendered } from '#domain/markdown';
import { apology } from '#domain/markdown';
import { flagsAtCreation } from '#domain/messages';
import { NOTIFICATION_BOT } from '#domain/people';
import { isMember } from '#domain/streams';
import { parseKey, streamId, userId } from '#model';
import type { directCommands, NoticeArgs, streamCommands } from '#model/commands';
import { PRODUCT } from '#model/errors';
import type { CommandContext } from '#runtime';
import type { StreamCommand } from '../command.js';
import { memberOf } from './members.js';
import type { Prepared, Spoken } from './sent.js';
import { prepare, sentDirectly, sentToStream } from './sent.js';

/** Client name of what the server says itself. */
const CLIENT = 'Internal';

function byBot(
  { content, read, bot = NOTIFICATION_BOT }: NoticeArgs,
  { id, rendered }: Prepared,
  { directory }: CommandContext,
  hasCopy: (user: number) => boolean,
): Spoken {
  const shown = rendered ?? UNRENDERED;
  return {
    id,
    sender: bot,
    client: CLIENT,
    rendered: shown,
    flags: flagsAtCreation({ sender: bot, content, mentions: shown.mentions, read, hasCopy }, directory),
    files: [],
  };
}

/** A notice quotes what people wrote, which may be beyond the renderer's limits. */
const NOBODY = { users: [], groups: [], wildcard: false };
const UNRENDERED: Rendered = {
  html: apology(PRODUCT),
  mentions: NOBODY,
  silent: NOBODY,
  hasLink: false,
  hasImage: false,
  hasAttachment: false,
  attachmentPaths: [],
};

export const notice: StreamCommand<typeof streamCommands.notice, Prepared> = {
  creates: true,
  inputs: prepare,
  handle({ state, parts }, args, prepared, context) {
    const stream = context.directory.stream(streamId(Number(parseKey(context.key).rest)));
    if (!stream) return { reply: value(null) };
    const spoken = byBot(args, prepared, context, (user) => isMember(memberOf(parts, user)));
    return sentToStream({ state, parts }, args, context, stream, spoken);
  },
};

export const directNotice: StreamCommand<typeof directCommands.directNotice, Prepared> = {
  creates: true,
  inputs: prepare,
  handle({ state }, args, prepared, context) {
    const participants = state.participants.length > 0 ? state.participants : args.participants;
    const other = participants.find((user) => user !== (args.bot ?? NOTIFICATION_BOT)) ?? 0;
    const receiver = context.directory.user(userId(other));
    if (!receiver) return { reply: value(null) };
    const spoken = byBot(args, prepared, context, (user) => participants.includes(user));
    return sentDirectly({ ...state, participants }, args, context, receiver.recipient, spoken);
  },
};
