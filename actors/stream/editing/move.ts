/** Decides a move to another topic or stream, in one commit (messages.md § PATCH, effects). */

import { makeSuccessReply } from '#actors/shared';
import type { MessageBody, StoredMessage, StoredMessageStreamMove } from '#domain/messages';
import { isGuest } from '#domain/people';
import { hasMemberReceivedMessage, isCurrentStreamMember, toTopicKey } from '#domain/streams';
import { type LogItem, parseActorKey, streamActorKey, toStreamId, toUserId, userActorKey } from '#model';
import {
  type EditMessageArgs,
  makeOutboxCommand,
  type OutboxCommand,
  streamActorCommands,
  userActorCommands,
} from '#model/commands';
import type { DirectoryStream, DirectoryUser } from '#model/records';
import type { CommandContext, CommandOutcome } from '#runtime';
import { linkifyMessageTopic } from '../commands/compose.js';
import { findStreamMembershipRecord, listStreamSubscriberIds } from '../commands/members.js';
import { audienceOfMessageChanges, changeMessageBody } from '../messages.js';
import type { StreamActorState, StreamActorView } from '../state.js';
import {
  addMessageToTopic,
  filterMessagesStillInTopic,
  findStoredTopic,
  listChangedMessagesInTopic,
  removeMessagesFromTopic,
  topicWatchersOf,
} from '../topics.js';
import { checkMoveToStream, checkWholeTopicMove, type MessageEditContext, type MessageEditPlan } from './checks.js';
import type { NewMessageTextChanges } from './content.js';
import { makeMessageDeleteEvents, makeMessageEditEvents } from './event.js';
import {
  applyMoveToMessageBody,
  type MessageMoveDecision,
  scheduleMoveBatches,
  splitMoveIntoBatches,
} from './move-batches.js';
import { authorsAndReactorsOfMessages, composeMoveNotices } from './notices.js';
import type { MessageEditInputs } from './scope.js';

interface MovedMessages {
  /** The moved messages, by ascending id. */
  readonly moved: readonly StoredMessage[];
  /** True if no message that the mover can see stays behind. */
  readonly all: boolean;
}

/** Newest versions of the topic's messages, and ids of those that the mover may access. */
function topicNow(view: StreamActorView, message: StoredMessage, inputs: MessageEditInputs, user: number) {
  const { stream, topic } = message.body;
  const key = toTopicKey(topic);
  const scope = inputs.scope;
  const now = new Map(filterMessagesStillInTopic(view, scope?.topic ?? [], stream, key).map((one) => [one.id, one]));
  const accessible = new Set([...(scope?.accessible ?? []), message.id]);
  for (const one of listChangedMessagesInTopic(view, stream, key)) {
    // Messages that the read of the Store did not return were sent after it, so only those are added.
    if (now.has(one.id)) continue;
    now.set(one.id, one);
    if (one.originStream === stream && hasMemberReceivedMessage(findStreamMembershipRecord(view.parts, user), one.id))
      accessible.add(one.id);
  }
  now.set(message.id, message);
  return { now, accessible };
}

function choose(
  view: StreamActorView,
  message: StoredMessage,
  args: EditMessageArgs,
  plan: MessageEditPlan,
  inputs: MessageEditInputs,
  editor: MessageEditContext,
): MovedMessages {
  const { now, accessible } = topicNow(view, message, inputs, editor.user.id);
  const mode = args.propagate_mode;
  if (mode === 'change_all') {
    checkWholeTopicMove(
      [...now.values()].filter(({ id }) => accessible.has(id)),
      plan,
      editor,
    );
  }
  const chosen = ({ id }: StoredMessage): boolean =>
    id === message.id ||
    (mode !== 'change_one' &&
      (mode === 'change_all' || id > message.id) &&
      (plan.stream === undefined || accessible.has(id)));
  const moved = [...now.values()].filter(chosen).sort((a, b) => a.id - b.id);
  const stays = [...now.values()].some((one) => !chosen(one) && accessible.has(one.id));
  return { moved, all: mode === 'change_all' || !stays };
}

/** Subscribers of the old stream who cannot see the new one: they lose the messages (messages.md § PATCH, effects). */
function losersOf(
  view: StreamActorView,
  to: DirectoryStream,
  inTarget: readonly number[],
  context: CommandContext,
): number[] {
  const there = new Set(inTarget);
  return listStreamSubscriberIds(view.parts).filter((id) => {
    if (there.has(id)) return false;
    const user = context.directory.user(toUserId(id));
    return to.inviteOnly || user === undefined || isGuest(user);
  });
}

/** A checked request to move messages. */
interface MoveRequest {
  readonly message: StoredMessage;
  readonly args: EditMessageArgs;
  readonly plan: MessageEditPlan;
  /** Effect of the new text, if the request changes it, too. */
  readonly text: NewMessageTextChanges | undefined;
  readonly inputs: MessageEditInputs;
  readonly editor: MessageEditContext & { readonly user: DirectoryUser };
}

/** Old and new place of the moved messages, and the users who lose them. */
interface MovePlaces extends MovedMessages {
  readonly from: DirectoryStream;
  readonly to: DirectoryStream;
  readonly oldTopic: string;
  readonly topic: string;
  /** True if the messages leave the stream. */
  readonly leaves: boolean;
  /** Ids of the users who lose the messages. */
  readonly losers: readonly number[];
}

/** The old and new place of the moved messages, and the users who lose them. @throws ApiError */
function placesOf(view: StreamActorView, request: MoveRequest, context: CommandContext): MovePlaces {
  const { message, args, plan, inputs, editor } = request;
  const from = context.directory.stream(toStreamId(message.body.stream))!;
  const to = plan.stream === undefined ? from : checkedTarget(view, request, from, plan.stream, context);
  const chosen = choose(view, message, args, plan, inputs, editor);
  const leaves = to.id !== from.id;
  const there = leaves ? inputs.scope?.target : undefined;
  const losers = there ? losersOf(view, to, there.members, context) : [];
  return { ...chosen, from, to, oldTopic: message.body.topic, topic: plan.topic ?? message.body.topic, leaves, losers };
}

function decisionOf(
  view: StreamActorView,
  { args, plan, inputs, editor }: MoveRequest,
  { from, to, oldTopic, topic, leaves, losers, moved }: MovePlaces,
  { directory, now }: CommandContext,
): MessageMoveDecision {
  const there = leaves ? inputs.scope?.target : undefined;
  const copied = new Set(moved.flatMap(({ body }) => body.copies ?? []));
  const links = (): MessageBody['topicLinks'] => linkifyMessageTopic({ topic, origin: args.origin }, directory);
  return {
    from: { stream: from.id, topic: oldTopic },
    edit: {
      user: editor.user.id,
      at: Math.floor(now / 1000),
      ...(plan.topic === undefined ? {} : { topic: { from: oldTopic, to: topic } }),
      ...(plan.stream === undefined ? {} : { stream: { from: from.id, to: to.id } }),
    },
    topic: plan.topic === undefined ? null : { name: topic, links: links() },
    stream: leaves ? { id: to.id, recipient: to.recipient } : null,
    move: there ? (moveTo(view, from, to, there.mv) satisfies StoredMessageStreamMove) : null,
    losers: losers.filter((id) => copied.has(id)),
  };
}

/** Events of a move. @param more true if the move takes further commits */
function moveEvents(
  view: StreamActorView,
  { message, args, plan, text, editor }: MoveRequest,
  { from, to, oldTopic, leaves, losers, moved }: MovePlaces,
  decision: MessageMoveDecision,
  more: boolean,
  { directory }: CommandContext,
): LogItem[] {
  const others = moved.map(({ id }) => id).filter((id) => id !== message.id);
  const ids = [message.id, ...others.reverse()];
  const base = audienceOfMessageChanges(message, view.state, directory);
  const move = { mode: args.propagate_mode, ids, topic: decision.topic ?? undefined, stream: plan.stream };
  const events = makeMessageEditEvents(
    { by: editor.user.id, at: decision.edit.at, message, stream: from, content: text?.body, move },
    losers.length > 0 ? { ...base, except: losers } : base,
  );
  if (leaves && more) events.push({ t: 'carrying', from: from.id, to: to.id, done: false });
  if (losers.length > 0)
    events.push(...makeMessageDeleteEvents(ids, { stream: from.id, topic: oldTopic }, { users: losers }));
  return events;
}

function moveNotices(
  view: StreamActorView,
  { message, args, text, inputs, editor }: MoveRequest,
  { from, to, oldTopic, topic, moved, all }: MovePlaces,
  targetExisted: boolean,
  { realm, directory }: CommandContext,
): OutboxCommand[] {
  const summary = {
    by: editor.user,
    from: { stream: from, topic: oldTopic },
    to: { stream: to, topic },
    message: message.id,
    count: moved.length,
    all,
    targetExisted,
    notifyOld: args.notify_old,
    notifyNew: args.notify_new,
    withContent: text !== undefined,
  };
  return composeMoveNotices(summary, realm, args.origin, directory.version, () => {
    const there = filterMessagesStillInTopic(view, inputs.scope?.inTarget ?? [], to.id, toTopicKey(topic));
    const people = authorsAndReactorsOfMessages([...moved, ...there]);
    return (inputs.scope?.target?.members ?? listStreamSubscriberIds(view.parts)).filter((id) => !people.has(id));
  });
}

/**
 * Outcome of the move's first commit: the decision, the events, the first batch, and commands for the other batches.
 *
 * @throws ApiError
 */
export function decideMessageMove(
  view: StreamActorView,
  request: MoveRequest,
  context: CommandContext,
): CommandOutcome<StreamActorState> {
  const { message, text, inputs } = request;
  const places = placesOf(view, request, context);
  const { from, to, oldTopic, topic, moved, all, leaves, losers } = places;
  const decision = decisionOf(view, request, places, context);
  const [first = [], ...rest] = splitMoveIntoBatches([message, ...moved.filter(({ id }) => id !== message.id)]);
  const further = scheduleMoveBatches(context.key, context.version, decision, rest);
  const targetExisted =
    (leaves || toTopicKey(topic) !== toTopicKey(oldTopic)) && targetTopicExisted(view, to, topic, leaves, inputs);
  const oldPlace = { stream: from.id, topic: oldTopic };
  const newPlace = { stream: to.id, topic };
  const notices = moveNotices(view, request, places, targetExisted, context);
  const commands = [
    further.commands,
    leaves ? [topicChanged(context, to, topic)] : [],
    all ? movePolicies(view, oldPlace, newPlace, targetExisted, losers, inputs, context) : [],
    ...notices.map((notice) => [notice]),
    text?.commands ?? [],
  ].filter((stage) => stage.length > 0);
  return {
    reply: makeSuccessReply(),
    messages: first.map((one) =>
      changeMessageBody(
        view,
        one,
        applyMoveToMessageBody(one, decision, one.id === message.id ? text : undefined),
        context,
      ),
    ),
    parts: { ...further.parts, ...topicsAfter(view, from, oldTopic, leaves ? undefined : topic, moved, inputs) },
    events: moveEvents(view, request, places, decision, rest.length > 0, context),
    commands,
    ...(commands.length > 0 ? { replyAfterCommands: true as const } : {}),
  };
}

/** The stream to which messages are to move. @throws ApiError if the editor may not move messages there */
function checkedTarget(
  view: StreamActorView,
  { message, inputs, editor }: MoveRequest,
  from: DirectoryStream,
  stream: number,
  { directory }: CommandContext,
): DirectoryStream {
  const owner = editor.user.botOwner === null ? undefined : directory.user(editor.user.botOwner);
  return checkMoveToStream(
    message,
    {
      from,
      to: directory.stream(toStreamId(stream)),
      subscribed: (where, id) =>
        isCurrentStreamMember(
          where === 'from' || stream === from.id ? findStreamMembershipRecord(view.parts, id) : inputs.inTarget.get(id),
        ),
      owner,
    },
    editor,
  );
}

const moveTo = (
  view: StreamActorView,
  from: DirectoryStream,
  to: DirectoryStream,
  toMv: number,
): StoredMessageStreamMove => ({
  from: from.id,
  fromMv: view.state.mv,
  to: to.id,
  toMv,
  gained: !to.historyPublic,
});

function targetTopicExisted(
  view: StreamActorView,
  to: DirectoryStream,
  topic: string,
  leaves: boolean,
  { scope }: MessageEditInputs,
): boolean {
  const key = toTopicKey(topic);
  if (!leaves) return findStoredTopic(view.parts, key) !== undefined;
  return filterMessagesStillInTopic(view, scope?.inTarget ?? [], to.id, key).length > 0;
}

/** Changed parts of this stream's topics. @param to undefined: the messages leave the stream */
function topicsAfter(
  view: StreamActorView,
  stream: DirectoryStream,
  from: string,
  to: string | undefined,
  moved: readonly StoredMessage[],
  { scope }: MessageEditInputs,
) {
  const ids = new Set(moved.map(({ id }) => id));
  const newest = moved.at(-1)!.id;
  const leaving =
    to !== undefined && toTopicKey(from) === toTopicKey(to)
      ? {}
      : removeMessagesFromTopic(view, stream.id, toTopicKey(from), scope?.newest ?? [], (id) => ids.has(id));
  return { ...leaving, ...(to === undefined ? {} : addMessageToTopic(view.parts, to, newest)) };
}

const topicChanged = ({ realm }: CommandContext, stream: DirectoryStream, topic: string): OutboxCommand =>
  makeOutboxCommand({
    to: streamActorKey(realm, stream.id),
    name: streamActorCommands.topicChanged,
    args: { topic: toTopicKey(topic) },
    caller: 0,
  });

interface TopicOfStream {
  readonly stream: number;
  readonly topic: string;
}

/** Commands by which users' policies for the topic (muted, followed) move with it. */
function movePolicies(
  view: StreamActorView,
  from: TopicOfStream,
  to: TopicOfStream,
  targetExisted: boolean,
  gone: readonly number[],
  { scope }: MessageEditInputs,
  { realm, key }: CommandContext,
): OutboxCommand[] {
  if (from.stream === to.stream && toTopicKey(from.topic) === toTopicKey(to.topic)) return [];
  const cannotSee = new Set(gone);
  const watchers = new Set(topicWatchersOf(view.parts, from.topic));
  const inTarget =
    to.stream === Number(parseActorKey(key).rest) ? topicWatchersOf(view.parts, to.topic) : (scope?.watchers ?? []);
  for (const id of inTarget) watchers.add(id);
  return [...watchers].map((id) =>
    makeOutboxCommand({
      to: userActorKey(realm, toUserId(id)),
      name: userActorCommands.moveTopicPolicy,
      args: {
        from: { stream: from.stream, topic: from.topic },
        to: cannotSee.has(id) ? null : { stream: to.stream, topic: to.topic },
        targetExisted,
      },
      caller: 0,
    }),
  );
}
