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
import { makeFetchLinksCommands } from './link-previews.js';
import { findStreamMembershipRecord, listStreamSubscriberIds } from './members.js';

type Context = CommandInputContext<StreamActorState, StreamMemoryState>;

const ownStream = ({ key }: { readonly key: CommandContext['key'] }): number => {
  const { kind, rest } = parseActorKey(key);
  return kind === 'stream' ? Number(rest) : 0;
};

/** The new text in its stored form; undefined: there is no new text, or the handler will refuse it. */
function textOf(content: string | null): string | undefined {
  try {
    return content === null ? undefined : checkNewMessageText(content);
  } catch {
    return undefined;
  }
}

async function readContent(args: EditMessageArgs, stored: MessageRecord, context: Context, sources: ActorInputSources) {
  const text = textOf(args.content);
  if (text === undefined) return UNREAD;
  const directory = await sources.directory(context.realm);
  const message = toStoredMessage(stored);
  const rendered = await sources.services.renderer.render(text, directory, args.origin, message.sender);
  if (!rendered) return { rendered, files: [], memberships: new Map() };
  const added = rendered.attachmentPaths.filter((path) => !message.body.files?.includes(path));
  const files = await loadFilesClaimedByMessage(added, context.realm, message.sender, sources);
  const memberships = await loadMembershipsForMessageEdit(
    message,
    text,
    rendered,
    ownStream(context),
    context.realm,
    directory,
    sources.store,
  );
  return { rendered, files, memberships };
}

async function readTarget(args: EditMessageArgs, { realm, caller }: Context, sources: ActorInputSources) {
  const stream = args.stream_id;
  if (stream === null) return new Map<number, StreamMembershipRecord | undefined>();
  const owner = (await sources.directory(realm)).user(toUserId(caller))?.botOwner;
  const users = owner ? [caller, owner] : [caller];
  const parts = await sources.store.getParts(users.map((user) => streamMemberPartAddress(realm, stream, user)));
  return new Map(users.map((user, i) => [user, toStreamMembershipRecord(parts[i]?.value)]));
}

const UNREAD = { rendered: undefined, files: [], memberships: new Map() };

function inputs(moves: boolean) {
  return async (args: EditMessageArgs, context: Context, sources: ActorInputSources): Promise<MessageEditInputs> => {
    const stored = await loadMessageRecord(context.realm, args.message_id, sources);
    const here = stored && stored.body.stream === ownStream(context);
    if (!here) return { stored, ...UNREAD, scope: undefined, inTarget: new Map() };
    const [content, scope, inTarget] = await Promise.all([
      readContent(args, stored, context, sources),
      moves && stored.body.stream !== 0
        ? readMessagesToMove(args, toStoredMessage(stored), context, sources)
        : undefined,
      readTarget(args, context, sources),
    ]);
    return { stored, ...content, scope, inTarget };
  };
}

const without = (list: readonly string[], those: readonly string[]): string[] =>
  list.filter((one) => !those.includes(one));

function newTextOf(
  view: StreamActorView,
  message: StoredMessage,
  content: string,
  { rendered, memberships, files: claimed }: MessageEditInputs,
  context: CommandContext,
  origin: string,
): NewMessageTextChanges {
  const { directory, now, key, realm } = context;
  const text = checkNewMessageText(content);
  const own = ownStream({ key });
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
      ...makeFilesLinkedCommands(realm, without(files, before), message.id, message.body.sent),
      ...makeFilesUnlinkedCommands(realm, without(before, files), message.id, false),
      ...makeFetchLinksCommands(linking, context, origin),
    ],
  };
}

function editorOf({ directory, caller, now }: CommandContext): MessageEditContext & { readonly user: DirectoryUser } {
  const user = directory.user(toUserId(caller));
  if (!user?.isActive) throw apiError('ACCOUNT_DEACTIVATED');
  return { user, settings: directory.settings, now };
}

function handle(command: typeof conversationActorCommands.edit) {
  return (
    view: StreamActorView,
    args: EditMessageArgs & CallerHasCopyArgs,
    inputs: MessageEditInputs,
    context: CommandContext,
  ): CommandOutcome<StreamActorState> => {
    const message = newestVersionOfMessage(view, args.message_id, inputs.stored);
    if (!message) throw apiError('INVALID_MESSAGES');
    const follow = redirectToOwningActor(message, context, command, args);
    if (follow) return follow;
    const editor = editorOf(context);
    const plan = planMessageEdit(message, args, editor);
    const text =
      plan.content === undefined ? undefined : newTextOf(view, message, plan.content, inputs, context, args.origin);
    if (plan.topic !== undefined || plan.stream !== undefined) {
      return decideMessageMove(view, { message, args, plan, text, inputs, editor }, context);
    }
    const at = Math.floor(context.now / 1000);
    const { body, edit, commands } = text!;
    const edits = [{ user: editor.user.id, at, ...edit }, ...(message.body.edits ?? [])];
    const stream = context.directory.stream(toStreamId(message.body.stream));
    return {
      reply: makeSuccessReply(),
      messages: [changeMessageBody(view, message, { ...body, edits }, context)],
      events: makeMessageEditEvents(
        { by: editor.user.id, at, message, stream, content: body },
        audienceOfMessageChanges(message, view.state, context.directory),
      ),
      ...(commands.length > 0 ? { commands: [commands], replyAfterCommands: true } : {}),
    };
  };
}

/** PATCH /messages/{id} with a new text only: changes the text of a message. */
export const editMessageTextHandler: StreamCommandHandler<typeof conversationActorCommands.edit, MessageEditInputs> = {
  inputs: inputs(false),
  handle: handle(conversationActorCommands.edit),
};

/** PATCH /messages/{id} with a new topic or stream, and perhaps a new text: moves messages. */
export const moveMessagesHandler: StreamCommandHandler<typeof conversationActorCommands.move, MessageEditInputs> = {
  lane: 'moves',
  exclusive: true,
  inputs: inputs(true),
  handle: handle(conversationActorCommands.move),
};

interface BatchInputs {
  readonly stored: readonly (MessageRecord | null)[];
  /** The newest messages by topic, for the topics that messages leave or enter. */
  readonly newest: ReadonlyMap<string, readonly MessageRecord[]>;
}

/** Writes the next batch of a move. */
export const moveNextMessageBatchHandler: StreamCommandHandler<typeof streamActorCommands.moveNextBatch, BatchInputs> =
  {
    async inputs(args, context, { store }) {
      const { realm, view } = context;
      const stream = ownStream(context);
      const topics = args.last ? topicKeysOfMove(view.parts, args) : [];
      const [stored, ...newest] = await Promise.all([
        store.getMessages(realm, messageIdsOfMoveBatch(view.parts, args)),
        ...topics.map((topic) => readNewestMessagesOfTopic(store, realm, stream, topic)),
      ]);
      return { stored, newest: new Map(topics.map((topic, i) => [topic, newest[i]!])) };
    },
    handle(view, args, { stored, newest }, context) {
      const messages = stored
        .map((record) => (record ? newestVersionOfMessage(view, record.id, record) : undefined))
        .filter((message) => message !== undefined);
      const { messages: changes, parts, events } = applyMoveBatch(view, args, messages, context);
      const topics: Record<string, Json> = {};
      // Deletions during the move may have taken messages as the newest of a topic that the move had not rewritten yet,
      // so the topics are computed again.
      for (const [topic, of] of newest)
        Object.assign(
          topics,
          removeMessagesFromTopic(view, ownStream(context), topic, of, () => false),
        );
      return { reply: makeValueReply(null), messages: changes, parts: { ...parts, ...topics }, events };
    },
  };
