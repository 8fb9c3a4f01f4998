/** Outcome of sending, once it is decided: the message's record, its event, and the conversation's new state. */

import { loadFilesClaimedByMessage, makeFilesLinkedCommands, makeSuccessReply } from '#actors/shared';
import { findTopicLinks, type MarkdownRenderResult } from '#domain/markdown';
import {
  type MessageBody,
  makeClientNeutralMessage,
  makeMarkdownRenderContext,
  type StoredMessage,
  type StoredSubmessage,
  storeNameOfStreamConversation,
  toMessageRecord,
} from '#domain/messages';
import { addMessageToDailyCounts, isCurrentStreamMember } from '#domain/streams';
import { type EventAudience, type MessageLogItem, parseActorKey, realmActorKey } from '#model';
import { type MessageInput, makeOutboxCommand, type OutboxCommand, realmActorCommands } from '#model/commands';
import type { DirectoryStream, DirectoryView } from '#model/records';
import type { CommandContext, CommandInputContext, CommandOutcome } from '#runtime';
import type { ActorInputSources } from '../../services.js';
import { makeGiveBotCopyCommands } from '../bots.js';
import { makeMissedMessageCommands } from '../missed.js';
import { makePushDecisionCommands } from '../pushes.js';
import type { StreamActorState, StreamActorView, StreamMemoryState } from '../state.js';
import { addMessageToTopic } from '../topics.js';
import { makeFetchLinksCommands } from './link-previews.js';
import { findStreamMembershipRecord } from './members.js';
import { startRetentionTimer } from './retention.js';

export interface MessageComposeInputs {
  readonly id: number;
  /** Rendered text of the message; null: the text can't be rendered. */
  readonly rendered: MarkdownRenderResult | null;
  /** Paths of uploaded files that the message claims. */
  readonly files: readonly string[];
}

/** Inputs of every command that makes a message. */
export async function loadMessageComposeInputs(
  { content, origin }: MessageInput,
  { realm, caller }: CommandInputContext<StreamActorState, StreamMemoryState>,
  sources: ActorInputSources,
): Promise<MessageComposeInputs> {
  // The message id is requested before any wait, so that ids are in the order in which the commands arrived.
  const id = sources.messageId(realm);
  const text = sources.directory(realm).then(async (directory) => {
    const rendered = await sources.services.renderer.render(content, directory, origin, caller);
    return {
      rendered,
      files: await loadFilesClaimedByMessage(rendered?.attachmentPaths ?? [], realm, caller, sources),
    };
  });
  const both = await Promise.all([id, text]);
  return { id: both[0], ...both[1] };
}

export function linkifyMessageTopic(
  { topic, origin }: Pick<MessageInput, 'topic' | 'origin'>,
  directory: DirectoryView,
): MessageBody['topicLinks'] {
  if (topic === '') return [];
  return findTopicLinks(topic, makeMarkdownRenderContext(directory, origin)).map(({ text, url }) => ({ text, url }));
}

/** A rendered message with its sender and flags. */
export interface ComposedMessage {
  readonly id: number;
  readonly sender: number;
  readonly client: string;
  readonly rendered: MarkdownRenderResult;
  readonly flags: MessageBody['flags'];
  /** Paths of uploaded files that the message claims. */
  readonly files: readonly string[];
  readonly local?: MessageLogItem['local'] | undefined;
  /** First submessage of the message's widget. */
  readonly submessage?: StoredSubmessage | undefined;
  /** Ids of bots that get copies without being subscribed. */
  readonly copies?: readonly number[];
  /** Commands that are sent without delaying the reply. */
  readonly calls?: readonly OutboxCommand[];
}

type PostContext = Pick<CommandContext, 'now' | 'directory' | 'realm' | 'key'>;

export function makeStreamMessageOutcome(
  { state, parts, volatile }: StreamActorView,
  input: MessageInput,
  context: PostContext,
  stream: DirectoryStream,
  composed: ComposedMessage,
): CommandOutcome<StreamActorState> {
  const first = stream.firstMessage === null && state.last === 0;
  const { copies = [] } = composed;
  const silent = [...context.directory.silentBots()].filter((bot) =>
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
  const outcome = post({ state, parts, volatile }, input, context, composed, {
    first,
    participants: [],
    recipient: stream.recipient,
    stream: stream.id,
    conversation: storeNameOfStreamConversation(stream.id),
    to,
  });
  const placed = { ...outcome, parts: addMessageToTopic(parts, input.topic, composed.id) };
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
export function makeDirectMessageOutcome(
  view: StreamActorView,
  input: MessageInput,
  context: PostContext,
  recipient: number,
  composed: ComposedMessage,
): CommandOutcome<StreamActorState> {
  const { participants } = view.state;
  return post(view, input, context, composed, {
    first: false,
    participants,
    recipient,
    stream: 0,
    conversation: `d${parseActorKey(context.key).rest}`,
    to: { users: participants },
  });
}

interface Destination {
  readonly first: boolean;
  readonly participants: readonly number[];
  readonly recipient: number;
  readonly stream: number;
  readonly conversation: string;
  readonly to: EventAudience;
}

function post(
  { state, parts, volatile }: StreamActorView,
  input: MessageInput,
  context: PostContext,
  { id, sender, client, rendered, flags, files, local, submessage, copies = [], calls = [] }: ComposedMessage,
  { first, participants, recipient, stream, conversation, to }: Destination,
): CommandOutcome<StreamActorState> {
  const { now, directory, realm } = context;
  const { wildcard } = rendered.mentions;
  const body: MessageBody = {
    content: input.content,
    html: rendered.html,
    topic: input.topic,
    sent: Math.floor(now / 1000),
    client,
    recipient,
    stream,
    rev: 1,
    flags,
    wildcard,
    topicLinks: linkifyMessageTopic(input, directory),
    has: { link: rendered.hasLink, image: rendered.hasImage },
    ...(files.length > 0 ? { files } : {}),
    ...(submessage ? { submessages: [submessage] } : {}),
    ...(copies.length > 0 ? { copies } : {}),
  };
  const message: StoredMessage = { id, sender, participants, originStream: stream, body };
  const item: MessageLogItem = {
    t: 'message',
    to,
    message: makeClientNeutralMessage(message, directory),
    flags,
    ...(first ? { first: true } : {}),
    ...(wildcard ? { wildcard: true } : {}),
    ...(local ? { local } : {}),
  };
  // The reply waits for these commands: after them the files' owners list the message, and mentioned bots have copies.
  const awaited = [
    ...makeFilesLinkedCommands(realm, files, id, body.sent),
    ...makeGiveBotCopyCommands(realm, id, copies),
  ];
  const missed = makeMissedMessageCommands(parts, message, {
    directory,
    realm,
    now,
    origin: input.origin,
    informed: volatile.informed,
  });
  const pushes = makePushDecisionCommands(parts, message, directory, realm);
  const { html, hasLink } = rendered;
  const links = makeFetchLinksCommands({ id, sender, content: input.content, html, hasLink }, context, input.origin);
  const commands = [...awaited, ...calls, ...missed, ...pushes, ...links];
  return {
    reply: makeSuccessReply({ id }),
    ...startRetentionTimer(
      { ...state, last: id, ...(stream !== 0 ? { traffic: addMessageToDailyCounts(state.traffic, now) } : {}) },
      now,
    ),
    messages: [{ id, rev: 1, record: toMessageRecord(message, conversation) }],
    events: [item],
    ...(commands.length > 0 ? { commands: [commands] } : {}),
    ...(awaited.length > 0 ? { replyAfterCommands: true } : {}),
  };
}
