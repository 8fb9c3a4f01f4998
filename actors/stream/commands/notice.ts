/**
 * Notices: messages of a system bot about an action of another actor, which makes them with `makeStreamNoticeCommand`
 * or `makeDirectNoticeCommand` (actors/shared/notices.ts). Commands with notices are never refused.
 */

import { makeValueReply } from '#actors/shared';
import { type MarkdownRenderResult, makeRenderFailureHtml } from '#domain/markdown';
import { computeFlagsAtMessageCreation } from '#domain/messages';
import { NOTIFICATION_BOT_ID } from '#domain/people';
import { isCurrentStreamMember } from '#domain/streams';
import { parseActorKey, toStreamId, toUserId } from '#model';
import type { directMessageActorCommands, PostBotNoticeArgs, streamActorCommands } from '#model/commands';
import { PRODUCT_NAME } from '#model/errors';
import type { CommandContext } from '#runtime';
import type { ConversationCommandHandler } from '../state.js';
import {
  type ComposedMessage,
  loadMessageComposeInputs,
  type MessageComposeInputs,
  makeSentDirectMessageOutcome,
  makeSentStreamMessageOutcome,
} from './compose.js';
import { findStreamMembershipRecord } from './members.js';

/** Client name of the server's own messages. */
const INTERNAL_CLIENT_NAME = 'Internal';

function composeNoticeOfBot(
  { content, read, bot = NOTIFICATION_BOT_ID, quiet = false }: PostBotNoticeArgs,
  { id, rendered }: MessageComposeInputs,
  { directory }: CommandContext,
  hasCopy: (user: number) => boolean,
): ComposedMessage {
  const shown = rendered ?? UNRENDERABLE_NOTICE_RESULT;
  return {
    id,
    senderId: bot,
    clientName: INTERNAL_CLIENT_NAME,
    renderResult: shown,
    flagsByUserId: computeFlagsAtMessageCreation(
      { sender: bot, content, mentions: shown.mentions, read, hasCopy },
      directory,
    ),
    claimedFilePaths: [],
    quiet,
  };
}

/**
 * A notice that can't be rendered mentions no users. Notices quote texts of users, which may exceed the renderer's
 * limits.
 */
const NO_MENTIONS = { users: [], groups: [], wildcard: false };
const UNRENDERABLE_NOTICE_RESULT: MarkdownRenderResult = {
  html: makeRenderFailureHtml(PRODUCT_NAME),
  mentions: NO_MENTIONS,
  silent: NO_MENTIONS,
  hasLink: false,
  hasImage: false,
  hasAttachment: false,
  attachmentPaths: [],
};

export const postStreamNoticeHandler: ConversationCommandHandler<
  typeof streamActorCommands.notice,
  MessageComposeInputs
> = {
  creates: true,
  inputs: loadMessageComposeInputs,
  handle(view, args, prepared, context) {
    const stream = context.directory.stream(toStreamId(Number(parseActorKey(context.key).idWithinRealm)));
    if (!stream) return { reply: makeValueReply(null) };
    const composed = composeNoticeOfBot(args, prepared, context, (user) =>
      isCurrentStreamMember(findStreamMembershipRecord(view.parts, user)),
    );
    return makeSentStreamMessageOutcome(view, args, context, stream, composed);
  },
};

export const postDirectNoticeHandler: ConversationCommandHandler<
  typeof directMessageActorCommands.directNotice,
  MessageComposeInputs
> = {
  creates: true,
  inputs: loadMessageComposeInputs,
  handle(view, args, prepared, context) {
    const { state } = view;
    const participants = state.participants.length > 0 ? state.participants : args.participants;
    const other = participants.find((user) => user !== (args.bot ?? NOTIFICATION_BOT_ID)) ?? 0;
    const receiver = context.directory.user(toUserId(other));
    if (!receiver) return { reply: makeValueReply(null) };
    const composed = composeNoticeOfBot(args, prepared, context, (user) => participants.includes(user));
    return makeSentDirectMessageOutcome(
      { ...view, state: { ...state, participants } },
      args,
      context,
      receiver.recipient,
      composed,
    );
  },
};
