/**
 * Notices: messages of a system bot about an action of another actor, which makes them with `streamNotice` or
 * `directNotice` (actors/shared/notices.ts). Never refused.
 */

import { value } from '#actors/shared';
import { type RenderResult, renderFailureNote } from '#domain/markdown';
import { flagsAtCreation } from '#domain/messages';
import { NOTIFICATION_BOT } from '#domain/people';
import { isMember } from '#domain/streams';
import { parseKey, streamId, userId } from '#model';
import type { directCommands, NoticeArgs, streamCommands } from '#model/commands';
import { PRODUCT } from '#model/errors';
import type { CommandContext } from '#runtime';
import type { StreamCommand } from '../state.js';
import { type ComposedMessage, type ComposeInputs, composeInputs, postDirectly, postToStream } from './compose.js';
import { memberOf } from './members.js';

/** Client name of the server's own messages. */
const CLIENT = 'Internal';

function composeByBot(
  { content, read, bot = NOTIFICATION_BOT }: NoticeArgs,
  { id, rendered }: ComposeInputs,
  { directory }: CommandContext,
  hasCopy: (user: number) => boolean,
): ComposedMessage {
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

/** Fallback: a notice quotes texts of users, which may exceed the renderer's limits. */
const NOBODY = { users: [], groups: [], wildcard: false };
const UNRENDERED: RenderResult = {
  html: renderFailureNote(PRODUCT),
  mentions: NOBODY,
  silent: NOBODY,
  hasLink: false,
  hasImage: false,
  hasAttachment: false,
  attachmentPaths: [],
};

export const notice: StreamCommand<typeof streamCommands.notice, ComposeInputs> = {
  creates: true,
  inputs: composeInputs,
  handle({ state, parts }, args, prepared, context) {
    const stream = context.directory.stream(streamId(Number(parseKey(context.key).rest)));
    if (!stream) return { reply: value(null) };
    const composed = composeByBot(args, prepared, context, (user) => isMember(memberOf(parts, user)));
    return postToStream({ state, parts }, args, context, stream, composed);
  },
};

export const directNotice: StreamCommand<typeof directCommands.directNotice, ComposeInputs> = {
  creates: true,
  inputs: composeInputs,
  handle({ state }, args, prepared, context) {
    const participants = state.participants.length > 0 ? state.participants : args.participants;
    const other = participants.find((user) => user !== (args.bot ?? NOTIFICATION_BOT)) ?? 0;
    const receiver = context.directory.user(userId(other));
    if (!receiver) return { reply: value(null) };
    const composed = composeByBot(args, prepared, context, (user) => participants.includes(user));
    return postDirectly({ ...state, participants }, args, context, receiver.recipient, composed);
  },
};
