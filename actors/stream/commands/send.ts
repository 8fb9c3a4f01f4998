/** Sends a message to a stream, or to the participants of a direct-message conversation (messages.md). */

import {
  computeFlagsAtMessageCreation,
  makeWidgetSubmessageIfAny,
  requireActiveSender,
  requireMayMentionAll,
  requireMaySendDirectMessage,
  requireMaySendToStream,
  requireTopicIfMandatory,
} from '#domain/messages';
import { isCurrentStreamMember, toComparableTopicKey } from '#domain/streams';
import { type ActorKey, parseActorKey, realmActorKey, toStreamId, toUserId, userActorKey } from '#model';
import {
  type directMessageActorCommands,
  makeRedirectCommand,
  type OutboxCommand,
  realmActorCommands,
  type SendMessageArgs,
  type streamActorCommands,
  userActorCommands,
} from '#model/commands';
import { ApiError, apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import { findMentionedUnsubscribedGenericBotIds, makeWarnBotOwnerCommands, makeWebhookCallCommands } from '../bots.js';
import { makeTopicParticipationCommands } from '../participation.js';
import type { ConversationActorHandler, ConversationCommandHandler } from '../state.js';
import { findStoredTopic } from '../topics.js';
import {
  type ComposedMessage,
  loadMessageComposeInputs,
  type MessageComposeInputs,
  makeSentDirectMessageOutcome,
  makeSentStreamMessageOutcome,
  NO_COMMANDS,
} from './compose.js';
import { findStreamMembershipRecord, hasStreamSubscribers, listStreamSubscriberIds } from './members.js';

const NO_USER_IDS: readonly number[] = [];

/** Error for a stream that does not exist or was archived. */
export const noSuchStreamError = (key: ActorKey): ApiError =>
  apiError('STREAM_ID_DOES_NOT_EXIST', { stream_id: Number(parseActorKey(key).idWithinRealm) });

/**
 * Checks and sends a message to a stream. Refusals are thrown; send-scheduled and bot-reply turn them into commands to
 * the sender.
 */
export const checkAndSendStreamMessageHandler: ConversationActorHandler<SendMessageArgs, MessageComposeInputs> = {
  creates: true,
  inputs: loadMessageComposeInputs,
  handle(view, args, prepared, context) {
    const { parts } = view;
    const { directory, key, caller, now, realm } = context;
    const stream = directory.stream(toStreamId(Number(parseActorKey(key).idWithinRealm)));
    // The directory knows of an archived stream before its actor does; a scheduled message needs this refusal, too.
    if (!stream || stream.archived) throw noSuchStreamError(key);
    const sender = requireActiveSender(directory, caller);
    const subscribed = (user: number): boolean => isCurrentStreamMember(findStreamMembershipRecord(parts, user));
    requireMaySendToStream(sender, stream, subscribed, directory, now);
    requireTopicIfMandatory(args.topic, directory);
    const mentioned = prepared.rendered?.mentions.users ?? NO_USER_IDS;
    const copies =
      mentioned.length === 0 ? NO_USER_IDS : findMentionedUnsubscribedGenericBotIds(mentioned, subscribed, directory);
    const has = (user: number): boolean =>
      copies.includes(user) || (subscribed(user) && !directory.silentBotIds().has(toUserId(user)));
    const isFirst = findStoredTopic(parts, toComparableTopicKey(args.topic)) === undefined;
    const place = { stream: stream.id, topic: args.topic };
    const replica = { directory, realm };
    const own = makeTopicParticipationCommands(
      subscribed(caller) ? [caller] : NO_USER_IDS,
      isFirst ? 'initiation' : 'send',
      place,
      replica,
    );
    const lost =
      sender.botOwner !== null && !hasStreamSubscribers(parts)
        ? makeWarnBotOwnerCommands(sender, stream, args.origin, realm)
        : NO_COMMANDS;
    const calls =
      mentioned.length === 0 && lost.length === 0
        ? own
        : [
            ...makeWebhookCallCommands(
              mentioned,
              { sender, id: prepared.id, stream: stream.id, trigger: 'mention', origin: args.origin },
              realm,
              directory,
            ),
            ...lost,
            ...own,
            ...makeTopicParticipationCommands(
              mentioned.filter((user) => user !== caller && subscribed(user)),
              'mention',
              place,
              replica,
            ),
          ];
    const composed = composeMessageOfSender(args, prepared, context, has, copies, calls);
    const { mentions } = composed.renderResult;
    requireMayMentionAll(mentions.wildcard, () => listStreamSubscriberIds(parts).length, sender, directory, now);
    const participants = prepared.topicParticipantIds.length;
    requireMayMentionAll(mentions.topic === true, () => participants, sender, directory, now);
    return makeSentStreamMessageOutcome(view, args, context, stream, composed);
  },
};

/** Refusals that may be premature: the sender's right may be granted already, but not yet known to the stream. */
const POSSIBLY_PREMATURE_REFUSALS: ReadonlySet<string> = new Set([
  'NOT_AUTHORIZED_TO_SEND',
  'ONLY_ADMINS_SEND',
  'ONLY_MODERATORS_SEND',
  'NO_GUESTS_SEND',
  'NO_NEW_MEMBERS_SEND',
]);

/**
 * Sends a message to a stream. Instead of refusing a sender for lack of a right, the stream redirects the command once
 * to the sender's own actor, which knows the newest subscription (retry-after-join.ts).
 */
export const sendOrRedirectStreamMessageHandler: ConversationCommandHandler<
  typeof streamActorCommands.send,
  MessageComposeInputs
> = {
  ...checkAndSendStreamMessageHandler,
  handle(view, args, prepared, context) {
    try {
      return checkAndSendStreamMessageHandler.handle(view, args, prepared, context);
    } catch (error) {
      const { again = false, ...message } = args;
      if (again || !(error instanceof ApiError) || !POSSIBLY_PREMATURE_REFUSALS.has(error.reason)) throw error;
      const retry = { stream: Number(parseActorKey(context.key).idWithinRealm), message };
      const to = userActorKey(context.realm, toUserId(context.caller));
      const reply = {
        forward: makeRedirectCommand({ to, command: userActorCommands.retryAfterJoin, args: retry }),
        fresh: true,
      } as const;
      // An empty `parts` still makes a commit, so that a repeat of this command gets the same redirect.
      return { reply, parts: {} };
    }
  },
};

export type DirectMessageComposeInputs = MessageComposeInputs & { readonly recipient: number };

export const sendDirectMessageHandler: ConversationCommandHandler<
  typeof directMessageActorCommands.sendDirect,
  DirectMessageComposeInputs
> = {
  creates: true,
  async inputs(args, context, sources) {
    const known = context.view.state.recipient;
    const isGroup = args.participants.length > 2;
    const [prepared, recipient] = await Promise.all([
      loadMessageComposeInputs(args, context, sources),
      isGroup && known === 0
        ? sources.askActor(realmActorKey(context.realm), realmActorCommands.groupRecipient, {
            group: parseActorKey(context.key).idWithinRealm,
          })
        : known,
    ]);
    return { ...prepared, recipient: recipient as number };
  },
  handle(view, args, { recipient, ...prepared }, context) {
    const { state } = view;
    const { directory, caller, realm } = context;
    const sender = requireActiveSender(directory, caller);
    const people = args.participants.map((user) => directory.user(toUserId(user)));
    const others = people.filter((user): user is DirectoryUser => user !== undefined && user.id !== caller);
    if (!args.participants.includes(caller)) throw apiError('NOT_AUTHORIZED_FOR_QUERY');
    requireMaySendDirectMessage(sender, others, directory);
    const participants = state.participants.length > 0 ? state.participants : args.participants;
    const input = { sender, id: prepared.id, stream: 0, trigger: 'private_message', origin: args.origin } as const;
    const calls = makeWebhookCallCommands(participants, input, realm, directory);
    const has = (user: number): boolean => participants.includes(user);
    const composed = composeMessageOfSender(args, prepared, context, has, NO_USER_IDS, calls);
    // A message between two users carries the receiver's recipient id, so the two directions differ.
    const carried = participants.length > 2 ? recipient : (others[0] ?? sender).recipient;
    return makeSentDirectMessageOutcome(
      { ...view, state: { ...state, participants, recipient } },
      args,
      context,
      carried,
      composed,
    );
  },
};

/** The message as its sender composes it. @throws ApiError for a bad widget, or if it cannot be rendered */
function composeMessageOfSender(
  { content, human, queue_id, local_id, widget }: SendMessageArgs,
  { id, rendered, files, topicParticipantIds }: MessageComposeInputs,
  { caller, client, directory }: CommandContext,
  hasCopy: (user: number) => boolean,
  copies: readonly number[],
  calls: readonly OutboxCommand[],
): ComposedMessage {
  const submessage = makeWidgetSubmessageIfAny(content, widget, caller);
  if (rendered === null) throw apiError('CANNOT_RENDER');
  return {
    id,
    senderId: caller,
    clientName: client,
    renderResult: rendered,
    flagsByUserId: computeFlagsAtMessageCreation(
      {
        sender: caller,
        content,
        mentions: rendered.mentions,
        topicParticipants: topicParticipantIds,
        read: human ? [caller] : [],
        hasCopy,
      },
      directory,
    ),
    claimedFilePaths: files,
    localEcho: queue_id !== null && local_id !== null ? { queue: queue_id, id: local_id } : undefined,
    firstSubmessage: submessage,
    copies,
    calls,
  };
}
