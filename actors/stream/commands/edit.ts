/**
 * PATCH /messages/{id}, at the actor that owns the message. Moves have a lane of their own, which waits until a move's
 * last message is written: so a move never finds messages that are on their way to another topic.
 */

import {
  loadClaimableFilePaths,
  makeFilesLinkedCommands,
  makeFilesUnlinkedCommands,
  makeSuccessReply,
  makeValueReply,
} from '#actors/shared';
import type { Json } from '#base';
import { requireMayMentionAll, type StoredMessage, toStoredMessage } from '#domain/messages';
import { type StreamMembershipRecord, streamMemberPartAddress, toStreamMembershipRecord } from '#domain/streams';
import { parseActorKey, toStreamId, toUserId } from '#model';
import {
  type CallerHasCopyArgs,
  conversationActorCommands,
  type EditMessageArgs,
  type streamActorCommands,
} from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser, MessageRecord } from '#model/records';
import type { CommandContext, CommandInputContext, CommandOutcome } from '#runtime';
import type { ActorInputSources } from '../../services.js';
import { checkAndPlanMessageEdit, type MessageEditContext } from '../editing/checks.js';
import {
  loadMentionedMembershipsForEdit,
  makeBodyChangesForText,
  type NewMessageTextChanges,
  toCheckedNewMessageText,
} from '../editing/content.js';
import { makeMessageEditEvents } from '../editing/event.js';
import { makeMessageMoveOutcome } from '../editing/move.js';
import { makeMoveBatchOutcome, messageIdsOfMoveBatch, ownTopicKeysOfMove } from '../editing/move-batches.js';
import { type MessageEditInputs, readMoveScopeInputs } from '../editing/scope.js';
import {
  audienceOfMessageChanges,
  loadMessageRecord,
  makeAndRecordMessageChange,
  newestVersionOfMessage,
  redirectIfOwnedElsewhere,
  requireMayAccessStreamOfMessage,
} from '../messages.js';
import { makeCommandsAfterMentionsAdded } from '../missed.js';
import { makePushDecisionsAfterMentionsAdded, makePushRechecksAfterMentionsRemoved } from '../pushes.js';
import type {
  ConversationActorState,
  ConversationActorView,
  ConversationCommandHandler,
  ConversationMemoryState,
} from '../state.js';
import { loadTopicParticipantIds } from '../topic-participants.js';
import { makeTopicChangesAfterRemovals, readNewestMessagesOfTopic } from '../topics.js';
import { makeFetchLinkPreviewsCommands } from './link-previews.js';
import { findStreamMembershipRecord, listStreamSubscriberIds } from './members.js';

type EditInputContext = CommandInputContext<ConversationActorState, ConversationMemoryState>;

const streamIdOfActorKeyOrZero = ({ key }: { readonly key: CommandContext['key'] }): number => {
  const { kind, idWithinRealm } = parseActorKey(key);
  return kind === 'stream' ? Number(idWithinRealm) : 0;
};

/** The new text in its stored form; undefined: there is no new text, or the handler will refuse it. */
function normalizeNewTextIfValid(content: string | null): string | undefined {
  try {
    return content === null ? undefined : toCheckedNewMessageText(content);
  } catch {
    return undefined;
  }
}

async function loadNewTextInputs(
  args: EditMessageArgs,
  stored: MessageRecord,
  context: EditInputContext,
  sources: ActorInputSources,
) {
  const text = normalizeNewTextIfValid(args.content);
  const message = toStoredMessage(stored);
  // The handler refuses texts for messages of others. A system bot has no actor that could answer about its files.
  if (text === undefined || message.sender !== context.caller) return NO_NEW_TEXT_INPUTS;
  const directory = await sources.loadDirectory(context.realm);
  const { renderer } = sources.services;
  const rendered = await renderer.renderOrNull(text, directory, args.origin, message.sender, args.newer_mentions);
  if (!rendered) return { ...NO_NEW_TEXT_INPUTS, rendered };
  const { stream, topic } = message.body;
  const topicParticipantIds =
    stream !== 0 && rendered.mentions.topic
      ? await loadTopicParticipantIds(sources.store, context.realm, { stream, topic }, message.sender)
      : [];
  const added = rendered.attachmentPaths.filter((path) => !message.body.files?.includes(path));
  const files = await loadClaimableFilePaths(added, context.realm, message.sender, sources);
  const memberships = await loadMentionedMembershipsForEdit(
    message,
    text,
    rendered,
    topicParticipantIds,
    streamIdOfActorKeyOrZero(context),
    context.realm,
    directory,
    sources.store,
  );
  return { rendered, files, memberships, topicParticipantIds };
}

async function loadTargetMembershipsOfEditor(
  args: EditMessageArgs,
  { realm, caller }: EditInputContext,
  sources: ActorInputSources,
) {
  const stream = args.stream_id;
  if (stream === null) return new Map<number, StreamMembershipRecord | undefined>();
  const owner = (await sources.loadDirectory(realm)).user(toUserId(caller))?.botOwner;
  const users = owner ? [caller, owner] : [caller];
  const parts = await sources.store.getParts(users.map((user) => streamMemberPartAddress(realm, stream, user)));
  return new Map(users.map((user, i) => [user, toStreamMembershipRecord(parts[i]?.value)]));
}

const NO_NEW_TEXT_INPUTS = { rendered: undefined, files: [], memberships: new Map(), topicParticipantIds: [] };

function makeEditInputsLoader(moves: boolean) {
  return async (
    args: EditMessageArgs,
    context: EditInputContext,
    sources: ActorInputSources,
  ): Promise<MessageEditInputs> => {
    const stored = await loadMessageRecord(context.realm, args.message_id, sources);
    const here = stored && stored.body.stream === streamIdOfActorKeyOrZero(context);
    if (!here)
      return { storedRecord: stored, ...NO_NEW_TEXT_INPUTS, moveScope: undefined, targetStreamMemberships: new Map() };
    const [content, scope, inTarget] = await Promise.all([
      loadNewTextInputs(args, stored, context, sources),
      moves && stored.body.stream !== 0
        ? readMoveScopeInputs(args, toStoredMessage(stored), context, sources)
        : undefined,
      loadTargetMembershipsOfEditor(args, context, sources),
    ]);
    return { storedRecord: stored, ...content, moveScope: scope, targetStreamMemberships: inTarget };
  };
}

const excludePaths = (list: readonly string[], those: readonly string[]): string[] =>
  list.filter((one) => !those.includes(one));

function checkAndMakeNewTextChanges(
  view: ConversationActorView,
  message: StoredMessage,
  content: string,
  { rendered, memberships, topicParticipantIds, files: claimed }: MessageEditInputs,
  context: CommandContext,
  origin: string,
): NewMessageTextChanges {
  const { directory, now, key, realm } = context;
  const text = toCheckedNewMessageText(content);
  const own = streamIdOfActorKeyOrZero({ key });
  const member = (stream: number, user: number): StreamMembershipRecord | undefined =>
    stream === own ? findStreamMembershipRecord(view.parts, user) : memberships.get(stream)?.get(user);
  const body = makeBodyChangesForText(message, text, rendered ?? null, topicParticipantIds, directory, member);
  const author = directory.user(toUserId(message.sender));
  const wakes = rendered?.mentions.wildcard === true && message.body.stream !== 0;
  requireMayMentionAll(wakes, () => listStreamSubscriberIds(view.parts).length, author, directory, now);
  const wakesTopic = rendered?.mentions.topic === true && message.body.stream !== 0;
  requireMayMentionAll(wakesTopic, () => topicParticipantIds.length, author, directory, now);
  const before = message.body.files ?? [];
  const files = (rendered?.attachmentPaths ?? []).filter((path) => before.includes(path) || claimed.includes(path));
  const { id, sender } = message;
  const newText = { ...message, body: { ...message.body, ...body } };
  const linking = { id, sender, content: text, html: body.html ?? '', hasLink: body.has?.link === true };
  return {
    body: files.length + before.length > 0 ? { ...body, files } : body,
    edit: { content: { raw: message.body.content, html: message.body.html } },
    commands: [
      ...makeFilesLinkedCommands(realm, excludePaths(files, before), message.id, message.body.sent),
      ...makeFilesUnlinkedCommands(realm, excludePaths(before, files), message.id),
      ...makeFetchLinkPreviewsCommands(linking, context, origin),
      ...makeCommandsAfterMentionsAdded(view.parts, message, newText, { directory, realm, nowMs: now, origin }),
      ...makePushDecisionsAfterMentionsAdded(view.parts, message, newText, directory, realm),
      ...makePushRechecksAfterMentionsRemoved(view.parts, message, newText, directory, realm),
    ],
  };
}

function makeActiveEditorContext({
  directory,
  caller,
  now,
}: CommandContext): MessageEditContext & { readonly user: DirectoryUser } {
  const user = directory.user(toUserId(caller));
  if (!user?.isActive) throw apiError('ACCOUNT_DEACTIVATED');
  return { user, settings: directory.settings, nowMs: now };
}

function makeEditHandleFunction(command: typeof conversationActorCommands.edit) {
  return (
    view: ConversationActorView,
    args: EditMessageArgs & CallerHasCopyArgs,
    inputs: MessageEditInputs,
    context: CommandContext,
  ): CommandOutcome<ConversationActorState> => {
    const message = newestVersionOfMessage(view, args.message_id, inputs.storedRecord);
    if (!message) throw apiError('INVALID_MESSAGES');
    const follow = redirectIfOwnedElsewhere(message, context, command, args);
    if (follow) return follow;
    // A move to another stream has a refusal of its own, which comes later.
    const namesOtherStream = args.stream_id !== null && args.stream_id !== message.body.stream;
    if (!namesOtherStream) requireMayAccessStreamOfMessage(view, message, context);
    const editor = makeActiveEditorContext(context);
    const plan = checkAndPlanMessageEdit(message, args, editor);
    const text =
      plan.newContent === undefined
        ? undefined
        : checkAndMakeNewTextChanges(view, message, plan.newContent, inputs, context, args.origin);
    if (plan.newTopic !== undefined || plan.newStreamId !== undefined) {
      return makeMessageMoveOutcome(view, { message, args, plan, newTextChanges: text, inputs, editor }, context);
    }
    // The request names only the stream where the message is.
    if (!text) return { reply: makeSuccessReply() };
    const at = Math.floor(context.now / 1000);
    const { body, edit, commands } = text;
    const edits = [{ user: editor.user.id, at, ...edit }, ...(message.body.edits ?? [])];
    const stream = context.directory.stream(toStreamId(message.body.stream));
    return {
      reply: makeSuccessReply(),
      messages: [makeAndRecordMessageChange(view, message, { ...body, edits }, context)],
      events: makeMessageEditEvents(
        { editorId: editor.user.id, editedAtSeconds: at, message, stream, contentChanges: body },
        audienceOfMessageChanges(message, view.state, context.directory),
      ),
      ...(commands.length > 0 ? { commands: [commands], replyAfterCommands: true } : {}),
    };
  };
}

/** PATCH /messages/{id} with a new text only: changes the text of a message. */
export const editMessageTextHandler: ConversationCommandHandler<
  typeof conversationActorCommands.edit,
  MessageEditInputs
> = {
  inputs: makeEditInputsLoader(false),
  handle: makeEditHandleFunction(conversationActorCommands.edit),
};

/** PATCH /messages/{id} with a new topic or stream, and perhaps a new text: moves messages. */
export const moveMessagesHandler: ConversationCommandHandler<typeof conversationActorCommands.move, MessageEditInputs> =
  {
    lane: 'moves',
    exclusive: true,
    inputs: makeEditInputsLoader(true),
    handle: makeEditHandleFunction(conversationActorCommands.move),
  };

interface MoveBatchInputs {
  readonly storedRecords: readonly (MessageRecord | null)[];
  /** The newest messages by topic, for the topics that messages leave or enter. */
  readonly newestRecordsByTopic: ReadonlyMap<string, readonly MessageRecord[]>;
}

/** Writes the next batch of a move. */
export const moveNextMessageBatchHandler: ConversationCommandHandler<
  typeof streamActorCommands.moveNextBatch,
  MoveBatchInputs
> = {
  async inputs(args, context, { store }) {
    const { realm, view } = context;
    const stream = streamIdOfActorKeyOrZero(context);
    const topics = args.last ? ownTopicKeysOfMove(view.parts, args) : [];
    const [stored, ...newest] = await Promise.all([
      store.getMessages(realm, messageIdsOfMoveBatch(view.parts, args)),
      ...topics.map((topic) => readNewestMessagesOfTopic(store, realm, stream, topic)),
    ]);
    return { storedRecords: stored, newestRecordsByTopic: new Map(topics.map((topic, i) => [topic, newest[i]!])) };
  },
  handle(view, args, { storedRecords, newestRecordsByTopic }, context) {
    const messages = storedRecords
      .map((record) => (record ? newestVersionOfMessage(view, record.id, record) : undefined))
      .filter((message) => message !== undefined);
    const { messageChanges: changes, parts, events } = makeMoveBatchOutcome(view, args, messages, context);
    const topics: Record<string, Json> = {};
    // Deletions during the move may have taken messages as the newest of a topic that the move had not rewritten yet,
    // so the topics are computed again.
    for (const [topic, of] of newestRecordsByTopic)
      Object.assign(
        topics,
        makeTopicChangesAfterRemovals(view, streamIdOfActorKeyOrZero(context), topic, of, () => false),
      );
    return { reply: makeValueReply(null), messages: changes, parts: { ...parts, ...topics }, events };
  },
};
