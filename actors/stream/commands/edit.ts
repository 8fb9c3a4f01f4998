/**
 * PATCH /messages/{id}, at the actor that owns the message. Moves have a lane of their own, which waits until a move's
 * last message is written: so a move never finds messages that are on their way to another topic.
 */

import {
  loadFilesClaimedByMessage,
  makeFilesLinkedCommands,
  makeFilesUnlinkedCommands,
  makeSuccessReply,
  makeValueReply,
} from '#actors/shared';
import type { Json } from '#base';
import { checkMayMentionAll, type StoredMessage, toStoredMessage } from '#domain/messages';
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
import { type MessageEditContext, planMessageEdit } from '../editing/checks.js';
import {
  applyNewMessageText,
  checkNewMessageText,
  loadMembershipsForMessageEdit,
  type NewMessageTextChanges,
} from '../editing/content.js';
import { makeMessageEditEvents } from '../editing/event.js';
import { decideMessageMove } from '../editing/move.js';
import { applyMoveBatch, messageIdsOfMoveBatch, topicKeysOfMove } from '../editing/move-batches.js';
import { type MessageEditInputs, readMessagesToMove } from '../editing/scope.js';
import {
  audienceOfMessageChanges,
  changeMessageBody,
  loadMessageRecord,
  newestVersionOfMessage,
  redirectToOwningActor,
} from '../messages.js';
import type { StreamActorState, StreamActorView, StreamCommandHandler, StreamMemoryState } from '../state.js';
import { readNewestMessagesOfTopic, removeMessagesFromTopic } from '../topics.js';
import { makeFetchLinkPreviewsCommands } from './link-previews.js';
import { findStreamMembershipRecord, listStreamSubscriberIds } from './members.js';

type EditInputContext = CommandInputContext<StreamActorState, StreamMemoryState>;

const streamIdOfActorKey = ({ key }: { readonly key: CommandContext['key'] }): number => {
  const { kind, idWithinRealm } = parseActorKey(key);
  return kind === 'stream' ? Number(idWithinRealm) : 0;
};

/** The new text in its stored form; undefined: there is no new text, or the handler will refuse it. */
function checkNewTextOrUndefined(content: string | null): string | undefined {
  try {
    return content === null ? undefined : checkNewMessageText(content);
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
  const text = checkNewTextOrUndefined(args.content);
  if (text === undefined) return NO_NEW_TEXT_INPUTS;
  const directory = await sources.loadDirectory(context.realm);
  const message = toStoredMessage(stored);
  const rendered = await sources.services.renderer.render(text, directory, args.origin, message.sender);
  if (!rendered) return { rendered, files: [], memberships: new Map() };
  const added = rendered.attachmentPaths.filter((path) => !message.body.files?.includes(path));
  const files = await loadFilesClaimedByMessage(added, context.realm, message.sender, sources);
  const memberships = await loadMembershipsForMessageEdit(
    message,
    text,
    rendered,
    streamIdOfActorKey(context),
    context.realm,
    directory,
    sources.store,
  );
  return { rendered, files, memberships };
}

async function loadTargetStreamMemberships(
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

const NO_NEW_TEXT_INPUTS = { rendered: undefined, files: [], memberships: new Map() };

function makeEditInputsLoader(moves: boolean) {
  return async (
    args: EditMessageArgs,
    context: EditInputContext,
    sources: ActorInputSources,
  ): Promise<MessageEditInputs> => {
    const stored = await loadMessageRecord(context.realm, args.message_id, sources);
    const here = stored && stored.body.stream === streamIdOfActorKey(context);
    if (!here)
      return { storedRecord: stored, ...NO_NEW_TEXT_INPUTS, moveScope: undefined, targetStreamMemberships: new Map() };
    const [content, scope, inTarget] = await Promise.all([
      loadNewTextInputs(args, stored, context, sources),
      moves && stored.body.stream !== 0
        ? readMessagesToMove(args, toStoredMessage(stored), context, sources)
        : undefined,
      loadTargetStreamMemberships(args, context, sources),
    ]);
    return { storedRecord: stored, ...content, moveScope: scope, targetStreamMemberships: inTarget };
  };
}

const excludePaths = (list: readonly string[], those: readonly string[]): string[] =>
  list.filter((one) => !those.includes(one));

function computeNewTextChanges(
  view: StreamActorView,
  message: StoredMessage,
  content: string,
  { rendered, memberships, files: claimed }: MessageEditInputs,
  context: CommandContext,
  origin: string,
): NewMessageTextChanges {
  const { directory, now, key, realm } = context;
  const text = checkNewMessageText(content);
  const own = streamIdOfActorKey({ key });
  const member = (stream: number, user: number): StreamMembershipRecord | undefined =>
    stream === own ? findStreamMembershipRecord(view.parts, user) : memberships.get(stream)?.get(user);
  const body = applyNewMessageText(message, text, rendered ?? null, directory, member);
  const wakes = rendered?.mentions.wildcard === true && message.body.stream !== 0;
  checkMayMentionAll(
    wakes,
    () => listStreamSubscriberIds(view.parts).length,
    directory.user(toUserId(message.sender)),
    directory,
    now,
  );
  const before = message.body.files ?? [];
  const files = (rendered?.attachmentPaths ?? []).filter((path) => before.includes(path) || claimed.includes(path));
  const { id, sender } = message;
  const linking = { id, sender, content: text, html: body.html ?? '', hasLink: body.has?.link === true };
  return {
    body: files.length + before.length > 0 ? { ...body, files } : body,
    edit: { content: { raw: message.body.content, html: message.body.html } },
    commands: [
      ...makeFilesLinkedCommands(realm, excludePaths(files, before), message.id, message.body.sent),
      ...makeFilesUnlinkedCommands(realm, excludePaths(before, files), message.id, false),
      ...makeFetchLinkPreviewsCommands(linking, context, origin),
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

function makeEditHandle(command: typeof conversationActorCommands.edit) {
  return (
    view: StreamActorView,
    args: EditMessageArgs & CallerHasCopyArgs,
    inputs: MessageEditInputs,
    context: CommandContext,
  ): CommandOutcome<StreamActorState> => {
    const message = newestVersionOfMessage(view, args.message_id, inputs.storedRecord);
    if (!message) throw apiError('INVALID_MESSAGES');
    const follow = redirectToOwningActor(message, context, command, args);
    if (follow) return follow;
    const editor = makeActiveEditorContext(context);
    const plan = planMessageEdit(message, args, editor);
    const text =
      plan.newContent === undefined
        ? undefined
        : computeNewTextChanges(view, message, plan.newContent, inputs, context, args.origin);
    if (plan.newTopic !== undefined || plan.newStreamId !== undefined) {
      return decideMessageMove(view, { message, args, plan, newTextChanges: text, inputs, editor }, context);
    }
    const at = Math.floor(context.now / 1000);
    const { body, edit, commands } = text!;
    const edits = [{ user: editor.user.id, at, ...edit }, ...(message.body.edits ?? [])];
    const stream = context.directory.stream(toStreamId(message.body.stream));
    return {
      reply: makeSuccessReply(),
      messages: [changeMessageBody(view, message, { ...body, edits }, context)],
      events: makeMessageEditEvents(
        { editorId: editor.user.id, editedAtSeconds: at, message, stream, contentChanges: body },
        audienceOfMessageChanges(message, view.state, context.directory),
      ),
      ...(commands.length > 0 ? { commands: [commands], replyAfterCommands: true } : {}),
    };
  };
}

/** PATCH /messages/{id} with a new text only: changes the text of a message. */
export const editMessageTextHandler: StreamCommandHandler<typeof conversationActorCommands.edit, MessageEditInputs> = {
  inputs: makeEditInputsLoader(false),
  handle: makeEditHandle(conversationActorCommands.edit),
};

/** PATCH /messages/{id} with a new topic or stream, and perhaps a new text: moves messages. */
export const moveMessagesHandler: StreamCommandHandler<typeof conversationActorCommands.move, MessageEditInputs> = {
  lane: 'moves',
  exclusive: true,
  inputs: makeEditInputsLoader(true),
  handle: makeEditHandle(conversationActorCommands.move),
};

interface MoveBatchInputs {
  readonly storedRecords: readonly (MessageRecord | null)[];
  /** The newest messages by topic, for the topics that messages leave or enter. */
  readonly newestRecordsByTopic: ReadonlyMap<string, readonly MessageRecord[]>;
}

/** Writes the next batch of a move. */
export const moveNextMessageBatchHandler: StreamCommandHandler<
  typeof streamActorCommands.moveNextBatch,
  MoveBatchInputs
> = {
  async inputs(args, context, { store }) {
    const { realm, view } = context;
    const stream = streamIdOfActorKey(context);
    const topics = args.last ? topicKeysOfMove(view.parts, args) : [];
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
    const { messageChanges: changes, parts, events } = applyMoveBatch(view, args, messages, context);
    const topics: Record<string, Json> = {};
    // Deletions during the move may have taken messages as the newest of a topic that the move had not rewritten yet,
    // so the topics are computed again.
    for (const [topic, of] of newestRecordsByTopic)
      Object.assign(
        topics,
        removeMessagesFromTopic(view, streamIdOfActorKey(context), topic, of, () => false),
      );
    return { reply: makeValueReply(null), messages: changes, parts: { ...parts, ...topics }, events };
  },
};
