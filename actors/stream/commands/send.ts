/** Sends a message to a stream, or to the participants of a direct-message conversation (messages.md). */

import {
  checkMayMentionAll,
  checkMaySendDirect,
  checkMaySendToStream,
  checkTopicPresent,
  flagsAtCreation,
  makeFirstSubmessage,
  requireActiveSender,
} from '#domain/messages';
import { isCurrentMember } from '#domain/streams';
import { type ActorKey, parseActorKey, realmKey, streamId, userId, userKey } from '#model';
import {
  type directCommands,
  realmCommands,
  redirectCommand,
  type SendArgs,
  type streamCommands,
  userCommands,
} from '#model/commands';
import { ApiError, apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import { lostMessageCommand, mentionedUnsubscribedBots, webhookCallCommands } from '../bots.js';
import type { StreamCommand, StreamHandler } from '../state.js';
import {
  type ComposedMessage,
  type ComposeInputs,
  directMessageOutcome,
  loadComposeInputs,
  streamMessageOutcome,
} from './compose.js';
import { hasMembers, listMemberIds, storedMember } from './members.js';

/** Error for a stream that does not exist or was archived. */
export const noSuchStreamError = (key: ActorKey): ApiError =>
  apiError('STREAM_ID_DOES_NOT_EXIST', { stream_id: Number(parseActorKey(key).rest) });

/**
 * Checks and sends a message to a stream. Refusals are thrown; send-scheduled and bot-reply turn them into commands to
 * the sender.
 */
export const checkAndSendToStream: StreamHandler<SendArgs, ComposeInputs> = {
  creates: true,
  inputs: loadComposeInputs,
  handle(view, args, prepared, context) {
    const { parts } = view;
    const { directory, key, caller, now, realm } = context;
    const stream = directory.stream(streamId(Number(parseActorKey(key).rest)));
    // The directory knows of an archived stream before its actor does; a scheduled message needs this refusal, too.
    if (!stream || stream.archived) throw noSuchStreamError(key);
    const sender = requireActiveSender(directory, caller);
    const subscribed = (user: number): boolean => isCurrentMember(storedMember(parts, user));
    checkMaySendToStream(sender, stream, subscribed, directory, now);
    checkTopicPresent(args.topic, directory);
    const mentioned = prepared.rendered?.mentions.users ?? [];
    const copies = mentionedUnsubscribedBots(mentioned, subscribed, directory);
    const has = (user: number): boolean =>
      copies.includes(user) || (subscribed(user) && !directory.silentBots().has(userId(user)));
    const input = { sender, id: prepared.id, trigger: 'mention', origin: args.origin } as const;
    const lost =
      sender.botOwner !== null && !hasMembers(parts) ? lostMessageCommand(sender, stream, args.origin, realm) : [];
    const calls = [...webhookCallCommands(mentioned, input, realm, directory), ...lost];
    const composed = { ...composeBySender(args, prepared, context, has), copies, calls };
    checkMayMentionAll(composed.rendered.mentions.wildcard, () => listMemberIds(parts).length, sender, directory, now);
    return streamMessageOutcome(view, args, context, stream, composed);
  },
};

/** Refusals that may be premature: the sender's right may be granted already, but not yet known to the stream. */
const GRANTABLE: ReadonlySet<string> = new Set([
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
export const sendToStreamHandler: StreamCommand<typeof streamCommands.send, ComposeInputs> = {
  ...checkAndSendToStream,
  handle(view, { again = false, ...message }, prepared, context) {
    try {
      return checkAndSendToStream.handle(view, message, prepared, context);
    } catch (error) {
      if (again || !(error instanceof ApiError) || !GRANTABLE.has(error.reason)) throw error;
      const args = { stream: Number(parseActorKey(context.key).rest), message };
      const to = userKey(context.realm, userId(context.caller));
      const reply = {
        forward: redirectCommand({ to, command: userCommands.retryAfterJoin, args }),
        fresh: true,
      } as const;
      // An empty `parts` still makes a commit, so that a repeat of this command gets the same redirect.
      return { reply, parts: {} };
    }
  },
};

export type DirectComposeInputs = ComposeInputs & { readonly recipient: number };

export const sendDirectMessageHandler: StreamCommand<typeof directCommands.sendDirect, DirectComposeInputs> = {
  creates: true,
  async inputs(args, context, sources) {
    const known = context.view.state.recipient;
    const isGroup = args.participants.length > 2;
    const [prepared, recipient] = await Promise.all([
      loadComposeInputs(args, context, sources),
      isGroup && known === 0
        ? sources.ask(realmKey(context.realm), realmCommands.groupRecipient, { group: parseActorKey(context.key).rest })
        : known,
    ]);
    return { ...prepared, recipient: recipient as number };
  },
  handle(view, args, { recipient, ...prepared }, context) {
    const { state } = view;
    const { directory, caller, realm } = context;
    const sender = requireActiveSender(directory, caller);
    const people = args.participants.map((user) => directory.user(userId(user)));
    const others = people.filter((user): user is DirectoryUser => user !== undefined && user.id !== caller);
    if (!args.participants.includes(caller)) throw apiError('NOT_AUTHORIZED_FOR_QUERY');
    checkMaySendDirect(sender, others, directory);
    const participants = state.participants.length > 0 ? state.participants : args.participants;
    const input = { sender, id: prepared.id, trigger: 'private_message', origin: args.origin } as const;
    const calls = webhookCallCommands(participants, input, realm, directory);
    const composed = { ...composeBySender(args, prepared, context, (user) => participants.includes(user)), calls };
    // A message between two users carries the receiver's recipient id, so the two directions differ.
    const carried = participants.length > 2 ? recipient : (others[0] ?? sender).recipient;
    return directMessageOutcome(
      { ...view, state: { ...state, participants, recipient } },
      args,
      context,
      carried,
      composed,
    );
  },
};

/** The message as its sender composes it. @throws ApiError for a bad widget, or if it cannot be rendered */
function composeBySender(
  { content, human, queue_id, local_id, widget }: SendArgs,
  { id, rendered, files }: ComposeInputs,
  { caller, client, directory }: CommandContext,
  hasCopy: (user: number) => boolean,
): ComposedMessage {
  const submessage = makeFirstSubmessage(content, widget, caller);
  if (rendered === null) throw apiError('CANNOT_RENDER');
  return {
    id,
    sender: caller,
    client,
    rendered,
    flags: flagsAtCreation(
      { sender: caller, content, mentions: rendered.mentions, read: human ? [caller] : [], hasCopy },
      directory,
    ),
    files,
    local: queue_id !== null && local_id !== null ? { queue: queue_id, id: local_id } : undefined,
    submessage,
  };
}
