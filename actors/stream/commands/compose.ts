/** Outcome of sending, once it is decided: the message's record, its event, and the conversation's new state. */

import { loadClaimableFilePaths, makeFilesLinkedCommands, makeSuccessReply } from '#actors/shared';
import { type Json, memoizeByObject } from '#base';
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
import { type ActorParts, type EventAudience, type MessageLogItem, parseActorKey, realmActorKey } from '#model';
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
export function loadMessageComposeInputs(
  input: MessageInput,
  context: CommandInputContext<ConversationActorState, ConversationMemoryState>,
  sources: ActorInputSources,
): Promise<MessageComposeInputs> {
  const { realm } = context;
  // The message id is requested before any wait, so that ids are in the order in which the commands arrived.
  const id = sources.fetchMessageId(realm);
  const rendered = findUsableRenderResult(input, sources.findOpenDirectory(realm));
  // Most messages need nothing else: no file to look up, and no participants of the topic.
  if (rendered && rendered.attachmentPaths.length === 0 && !rendered.mentions.topic)
    return id.then((n) => ({ id: n, rendered, files: NO_FILES, topicParticipantIds: NO_PARTICIPANT_IDS }));
  return loadComposeInputsWithLookups(id, input, context, sources);
}

const NO_FILES: readonly string[] = [];
const NO_PARTICIPANT_IDS: readonly number[] = [];

/** The text as a frontend rendered it, if it had the same version of the directory. */
const findUsableRenderResult = (
  { rendered: given }: MessageInput,
  directory: DirectoryView | undefined,
): MarkdownRenderResult | null | undefined =>
  given !== undefined && given.directoryVersion === directory?.version ? given.result : undefined;

async function loadComposeInputsWithLookups(
  id: Promise<number>,
  input: MessageInput,
  { realm, caller, key }: CommandInputContext<ConversationActorState, ConversationMemoryState>,
  sources: ActorInputSources,
): Promise<MessageComposeInputs> {
  const { content, topic, origin, newer_mentions } = input;
  const text = sources.loadDirectory(realm).then(async (directory) => {
    let rendered = findUsableRenderResult(input, directory);
    if (rendered === undefined)
      rendered = await sources.services.renderer.renderOrNull(content, directory, origin, caller, newer_mentions);
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
  if (topic === '') return NO_TOPIC_LINKS;
  const linkifiers = directory.linkifiers();
  const known = recentTopicLinks(linkifiers);
  let links = known.get(topic);
  if (!links) {
    links = findTopicLinks(topic, linkifiers);
    if (known.size >= MAX_RECENT_TOPICS) known.clear();
    known.set(topic, links);
  }
  return links;
}

const NO_TOPIC_LINKS: MessageBody['topicLinks'] = [];
const MAX_RECENT_TOPICS = 1_000;
/** Links of recent topics, by list of linkifiers: a topic has many messages, and linkifiers hardly ever change. */
const recentTopicLinks = memoizeByObject(
  (_linkifiers: ReturnType<DirectoryView['linkifiers']>) => new Map<string, MessageBody['topicLinks']>(),
);

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
  /** True if no user gets a mail or a push about the message. */
  readonly quiet?: boolean;
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
  const { copies } = composed;
  const silent = silentSubscriberIds(parts, context.directory);
  const common = {
    stream: stream.id,
    mv: state.mv,
    publicStream: !stream.inviteOnly,
    rv: context.directory.version,
  };
  const to: EventAudience =
    !copies?.length && !silent
      ? common
      : { ...common, ...(copies?.length ? { users: copies } : {}), ...(silent ? { except: silent } : {}) };
  const placed = makeSentMessageOutcome({ state, parts, volatile }, input, context, composed, {
    isFirstOfStream: first,
    participantIds: NO_PARTICIPANT_IDS,
    recipientId: stream.recipient,
    streamId: stream.id,
    conversationStoreName: storeNameOfStreamConversation(stream.id),
    audience: to,
    parts: makeTopicChangesForAddedMessage(parts, input.topic, composed.id),
  });
  if (!first) return placed;
  const args = { stream: stream.id, id: composed.id };
  const told = makeOutboxCommand({
    to: realmActorKey(context.realm),
    name: realmActorCommands.firstMessage,
    args,
    caller: 0,
  });
  return { ...placed, commands: [[told, ...(placed.commands?.[0] ?? [])]] };
}

/** Ids of the subscribed bots that get no copies of messages; undefined if there are none. */
function silentSubscriberIds(parts: ActorParts, directory: DirectoryView): number[] | undefined {
  let silent: number[] | undefined;
  for (const bot of directory.silentBotIds()) {
    if (!isCurrentStreamMember(findStreamMembershipRecord(parts, bot))) continue;
    silent ??= [];
    silent.push(bot);
  }
  return silent;
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
  /** Parts of the conversation that change with the message. */
  readonly parts?: Readonly<Record<string, Json>>;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

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
    copies,
    calls = NO_COMMANDS,
    quiet = false,
  }: ComposedMessage,
  {
    isFirstOfStream,
    participantIds,
    recipientId,
    streamId,
    conversationStoreName,
    audience,
    parts: changedParts,
  }: MessageDestination,
): CommandOutcome<ConversationActorState> {
  // Objects get their rare fields one by one here: spreading them conditionally took a tenth of the handler's time.
  const { now, directory, realm } = context;
  const { wildcard } = renderResult.mentions;
  const body: Writable<MessageBody> = {
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
  };
  if (claimedFilePaths.length > 0) body.files = claimedFilePaths;
  if (firstSubmessage) body.submessages = [firstSubmessage];
  if (copies && copies.length > 0) body.copies = copies;
  const message: StoredMessage = { id, sender: senderId, participants: participantIds, originStream: streamId, body };
  const item: Writable<MessageLogItem> = {
    t: 'message',
    to: audience,
    message: makeClientNeutralMessage(message, directory),
    flags: flagsByUserId,
  };
  if (isFirstOfStream) item.first = true;
  if (wildcard) item.wildcard = true;
  if (localEcho) item.local = localEcho;
  // The reply waits for these commands: after them the files' owners list the message, and mentioned bots have copies.
  const awaited =
    claimedFilePaths.length === 0 && !copies?.length
      ? NO_COMMANDS
      : [
          ...makeFilesLinkedCommands(realm, claimedFilePaths, id, body.sent),
          ...makeGiveBotCopyCommands(realm, id, copies ?? []),
        ];
  const missed = quiet
    ? NO_COMMANDS
    : makeMissedMessageCommands(parts, message, {
        directory,
        realm,
        nowMs: now,
        origin: input.origin,
        membershipVersion: state.mv,
        noticeMemory: volatile.missedNoticeMemory,
      });
  const pushes = quiet ? NO_COMMANDS : makePushDecisionCommands(parts, message, directory, realm);
  const { html, hasLink } = renderResult;
  const links = makeFetchLinkPreviewsCommands(
    { id, sender: senderId, content: input.content, html, hasLink },
    context,
    input.origin,
  );
  const next: Writable<ConversationActorState> = { ...state, last: id };
  if (streamId !== 0) next.traffic = withMessageAddedToDailyCounts(state.traffic, now);
  const timer = withRetentionTimerStarted(next, now);
  const outcome: Writable<CommandOutcome<ConversationActorState>> = {
    reply: makeSuccessReply({ id }),
    state: timer.state,
    messages: [{ id, rev: 1, record: toMessageRecord(message, conversationStoreName) }],
    events: [item],
  };
  if (timer.due !== undefined) outcome.due = timer.due;
  if (changedParts) outcome.parts = changedParts;
  if (awaited.length > 0) outcome.replyAfterCommands = true;
  if (awaited.length + calls.length + missed.length + pushes.length + links.length > 0)
    outcome.commands = [[...awaited, ...calls, ...missed, ...pushes, ...links]];
  return outcome;
}

export const NO_COMMANDS: readonly OutboxCommand[] = [];
