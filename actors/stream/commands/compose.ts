/** Outcome of sending, once it is decided: the message's record, its event, and the conversation's new state. */

import { loadClaimableFilePaths, makeFilesLinkedCommands, makeSuccessReply } from '#actors/shared';
import { findTopicLinks, type MarkdownRenderResult } from '#domain/markdown';
import {
  type MessageBody,
  makeClientNeutralMessage,
  type StoredMessage,
  type StoredSubmessage,
  storeNameOfStreamConversation,
  toMessageRecord,
} from '#domain/messages';
import { isCurrentStreamMember, withMessageAddedToDailyCounts } from '#domain/streams';
import { type EventAudience, type MessageLogItem, parseActorKey, realmActorKey } from '#model';
import { type MessageInput, makeOutboxCommand, type OutboxCommand, realmActorCommands } from '#model/commands';
import type { DirectoryStream, DirectoryView } from '#model/records';
import type { CommandContext, CommandInputContext, CommandOutcome } from '#runtime';
import type { ActorInputSources } from '../../services.js';
import { makeGiveBotCopyCommands } from '../bots.js';
import { makeMissedMessageCommands } from '../missed.js';
import { makePushDecisionCommands } from '../pushes.js';
import type { ConversationActorState, ConversationActorView, ConversationMemoryState } from '../state.js';
import { loadTopicParticipantIds } from '../topic-participants.js';
import { makeTopicChangesForAddedMessage } from '../topics.js';
import { makeFetchLinkPreviewsCommands } from './link-previews.js';
import { findStreamMembershipRecord } from './members.js';
import { withRetentionTimerStarted } from './retention.js';

export interface MessageComposeInputs {
  readonly id: number;
  /** Rendered text of the message; null: the text can't be rendered. */
  readonly rendered: MarkdownRenderResult | null;
  /** Paths of uploaded files that the message claims. */
  readonly files: readonly string[];
  /** Ids of the users who take part in the topic; [] unless the message mentions it. */
  readonly topicParticipantIds: readonly number[];
}

/** Inputs of every command that makes a message. */
export async function loadMessageComposeInputs(
  { content, topic, origin, newer_mentions, rendered: given }: MessageInput,
  { realm, caller, key }: CommandInputContext<ConversationActorState, ConversationMemoryState>,
  sources: ActorInputSources,
): Promise<MessageComposeInputs> {
  // The message id is requested before any wait, so that ids are in the order in which the commands arrived.
  const id = sources.fetchMessageId(realm);
  const text = sources.loadDirectory(realm).then(async (directory) => {
    const rendered =
      given?.directoryVersion === directory.version
        ? given.result
        : await sources.services.renderer.renderOrNull(content, directory, origin, caller, newer_mentions);
    const { kind, idWithinRealm } = parseActorKey(key);
    return {
      rendered,
      topicParticipantIds:
        kind === 'stream' && rendered?.mentions.topic
          ? await loadTopicParticipantIds(sources.store, realm, { stream: Number(idWithinRealm), topic }, caller)
          : [],
      files: await loadClaimableFilePaths(rendered?.attachmentPaths ?? [], realm, caller, sources),
    };
  });
  const both = await Promise.all([id, text]);
  return { id: both[0], ...both[1] };
}

export function findLinksOfMessageTopic(topic: string, directory: DirectoryView): MessageBody['topicLinks'] {
  return topic === '' ? [] : findTopicLinks(topic, directory.linkifiers());
}

/** A rendered message with its sender and flags. */
export interface ComposedMessage {
  readonly id: number;
  readonly senderId: number;
  readonly clientName: string;
  readonly renderResult: MarkdownRenderResult;
  readonly flagsByUserId: MessageBody['flags'];
  /** Paths of uploaded files that the message claims. */
  readonly claimedFilePaths: readonly string[];
  readonly localEcho?: MessageLogItem['local'] | undefined;
  /** First submessage of the message's widget. */
  readonly firstSubmessage?: StoredSubmessage | undefined;
  /** Ids of bots that get copies without being subscribed. */
  readonly copies?: readonly number[];
  /** Commands that are sent without delaying the reply. */
  readonly calls?: readonly OutboxCommand[];
}

type SendMessageContext = Pick<CommandContext, 'now' | 'directory' | 'realm' | 'key'>;

export function makeSentStreamMessageOutcome(
  { state, parts, volatile }: ConversationActorView,
  input: MessageInput,
  context: SendMessageContext,
  stream: DirectoryStream,
  composed: ComposedMessage,
): CommandOutcome<ConversationActorState> {
  const first = stream.firstMessage === null && state.last === 0;
  const { copies = [] } = composed;
  const silent = [...context.directory.silentBotIds()].filter((bot) =>
    isCurrentStreamMember(findStreamMembershipRecord(parts, bot)),
  );
  const to: EventAudience = {
    stream: stream.id,
    mv: state.mv,
    publicStream: !stream.inviteOnly,
    rv: context.directory.version,
    ...(copies.length > 0 ? { users: copies } : {}),
    ...(silent.length > 0 ? { except: silent } : {}),
  };
  const outcome = makeSentMessageOutcome({ state, parts, volatile }, input, context, composed, {
    isFirstOfStream: first,
    participantIds: [],
    recipientId: stream.recipient,
    streamId: stream.id,
    conversationStoreName: storeNameOfStreamConversation(stream.id),
    audience: to,
  });
  const placed = { ...outcome, parts: makeTopicChangesForAddedMessage(parts, input.topic, composed.id) };
  if (!first) return placed;
  const args = { stream: stream.id, id: composed.id };
  const told = makeOutboxCommand({
    to: realmActorKey(context.realm),
    name: realmActorCommands.firstMessage,
    args,
    caller: 0,
  });
  return { ...placed, commands: [[told, ...(outcome.commands?.[0] ?? [])]] };
}

/** Outcome of sending a direct message. @param recipient recipient_id of the message */
export function makeSentDirectMessageOutcome(
  view: ConversationActorView,
  input: MessageInput,
  context: SendMessageContext,
  recipient: number,
  composed: ComposedMessage,
): CommandOutcome<ConversationActorState> {
  const { participants } = view.state;
  return makeSentMessageOutcome(view, input, context, composed, {
    isFirstOfStream: false,
    participantIds: participants,
    recipientId: recipient,
    streamId: 0,
    conversationStoreName: `d${parseActorKey(context.key).idWithinRealm}`,
    audience: { users: participants },
  });
}

interface MessageDestination {
  readonly isFirstOfStream: boolean;
  readonly participantIds: readonly number[];
  readonly recipientId: number;
  readonly streamId: number;
  readonly conversationStoreName: string;
  readonly audience: EventAudience;
}

function makeSentMessageOutcome(
  { state, parts, volatile }: ConversationActorView,
  input: MessageInput,
  context: SendMessageContext,
  {
    id,
    senderId,
    clientName,
    renderResult,
    flagsByUserId,
    claimedFilePaths,
    localEcho,
    firstSubmessage,
    copies = [],
    calls = [],
  }: ComposedMessage,
  { isFirstOfStream, participantIds, recipientId, streamId, conversationStoreName, audience }: MessageDestination,
): CommandOutcome<ConversationActorState> {
  const { now, directory, realm } = context;
  const { wildcard } = renderResult.mentions;
  const body: MessageBody = {
    content: input.content,
    html: renderResult.html,
    topic: input.topic,
    sent: Math.floor(now / 1000),
    client: clientName,
    recipient: recipientId,
    stream: streamId,
    rev: 1,
    flags: flagsByUserId,
    wildcard,
    topicLinks: findLinksOfMessageTopic(input.topic, directory),
    has: { link: renderResult.hasLink, image: renderResult.hasImage },
    ...(claimedFilePaths.length > 0 ? { files: claimedFilePaths } : {}),
    ...(firstSubmessage ? { submessages: [firstSubmessage] } : {}),
    ...(copies.length > 0 ? { copies } : {}),
  };
  const message: StoredMessage = { id, sender: senderId, participants: participantIds, originStream: streamId, body };
  const item: MessageLogItem = {
    t: 'message',
    to: audience,
    message: makeClientNeutralMessage(message, directory),
    flags: flagsByUserId,
    ...(isFirstOfStream ? { first: true } : {}),
    ...(wildcard ? { wildcard: true } : {}),
    ...(localEcho ? { local: localEcho } : {}),
  };
  // The reply waits for these commands: after them the files' owners list the message, and mentioned bots have copies.
  const awaited = [
    ...makeFilesLinkedCommands(realm, claimedFilePaths, id, body.sent),
    ...makeGiveBotCopyCommands(realm, id, copies),
  ];
  const missed = makeMissedMessageCommands(parts, message, {
    directory,
    realm,
    nowMs: now,
    origin: input.origin,
    membershipVersion: state.mv,
    noticeMemory: volatile.missedNoticeMemory,
  });
  const pushes = makePushDecisionCommands(parts, message, directory, realm);
  const { html, hasLink } = renderResult;
  const links = makeFetchLinkPreviewsCommands(
    { id, sender: senderId, content: input.content, html, hasLink },
    context,
    input.origin,
  );
  const commands = [...awaited, ...calls, ...missed, ...pushes, ...links];
  return {
    reply: makeSuccessReply({ id }),
    ...withRetentionTimerStarted(
      { ...state, last: id, ...(streamId !== 0 ? { traffic: withMessageAddedToDailyCounts(state.traffic, now) } : {}) },
      now,
    ),
    messages: [{ id, rev: 1, record: toMessageRecord(message, conversationStoreName) }],
    events: [item],
    ...(commands.length > 0 ? { commands: [commands] } : {}),
    ...(awaited.length > 0 ? { replyAfterCommands: true } : {}),
  };
}
