/**
 * Notices: messages of a system bot about an action of another actor, which makes them with `streamNoticeCommand` or
 * `directNoticeCommand` (actors/shared/notices.ts). Commands with notices are never refused.
 */

import { valueReply } from '#actors/shared';
import { type RenderResult, renderFailureNote } from '#domain/markdown';
import { flagsAtCreation } from '#domain/messages';
import { NOTIFICATION_BOT_ID } from '#domain/people';
import { isCurrentMember } from '#domain/streams';
import { parseActorKey, streamId, userId } from '#model';
import type { directCommands, NoticeArgs, streamCommands } from '#model/commands';
import { PRODUCT_NAME } from '#model/errors';
import type { CommandContext } from '#runtime';
import type { StreamCommand } from '../state.js';
import {
  type ComposedMessage,
  type ComposeInputs,
  directMessageOutcome,
  loadComposeInputs,
  streamMessageOutcome,
} from './compose.js';
import { storedMember } from './members.js';

/** Client name of the server's own messages. */
const CLIENT = 'Internal';

function composeByBot(
  { content, read, bot = NOTIFICATION_BOT_ID }: NoticeArgs,
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

/**
 * A notice that can't be rendered mentions no users. Notices quote texts of users, which may exceed the renderer's
 * limits.
 */
const NOBODY = { users: [], groups: [], wildcard: false };
const UNRENDERED: RenderResult = {
  html: renderFailureNote(PRODUCT_NAME),
  mentions: NOBODY,
  silent: NOBODY,
  hasLink: false,
  hasImage: false,
  hasAttachment: false,
  attachmentPaths: [],
};

export const postNoticeHandler: StreamCommand<typeof streamCommands.notice, ComposeInputs> = {
  creates: true,
  inputs: loadComposeInputs,
  handle(view, args, prepared, context) {
    const stream = context.directory.stream(streamId(Number(parseActorKey(context.key).rest)));
    if (!stream) return { reply: valueReply(null) };
    const composed = composeByBot(args, prepared, context, (user) => isCurrentMember(storedMember(view.parts, user)));
    return streamMessageOutcome(view, args, context, stream, composed);
  },
};

export const postDirectNoticeHandler: StreamCommand<typeof directCommands.directNotice, ComposeInputs> = {
  creates: true,
  inputs: loadComposeInputs,
  handle(view, args, prepared, context) {
    const { state } = view;
    const participants = state.participants.length > 0 ? state.participants : args.participants;
    const other = participants.find((user) => user !== (args.bot ?? NOTIFICATION_BOT_ID)) ?? 0;
    const receiver = context.directory.user(userId(other));
    if (!receiver) return { reply: valueReply(null) };
    const composed = composeByBot(args, prepared, context, (user) => participants.includes(user));
    return directMessageOutcome(
      { ...view, state: { ...state, participants } },
      args,
      context,
      receiver.recipient,
      composed,
    );
  },
};
