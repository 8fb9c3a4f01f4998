/** Decides a move to another topic or stream, in one commit (messages.md § PATCH, effects). */

import { makeSuccessReply, noticeTextsOfRealm } from '#actors/shared';
import type { MessageBody, StoredMessage, StoredMessageStreamMove } from '#domain/messages';
import { isGuest } from '#domain/people';
import { didMemberReceiveMessageId, isCurrentStreamMember, toComparableTopicKey } from '#domain/streams';
import {
  type LogItem,
  type MovedMessageCopies,
  parseActorKey,
  streamActorKey,
  toStreamId,
  toUserId,
  userActorKey,
} from '#model';
import {
  type EditMessageArgs,
  makeOutboxCommand,
  type OutboxCommand,
  streamActorCommands,
  userActorCommands,
} from '#model/commands';
import type { DirectoryStream, DirectoryUser } from '#model/records';
import type { CommandContext, CommandOutcome } from '#runtime';
import { findLinksOfMessageTopic } from '../commands/compose.js';
import { findStreamMembershipRecord, listStreamSubscriberIds } from '../commands/members.js';
import {
  audienceOfMessageChanges,
  audienceOfMessageCopyHolders,
  collectCopyHolders,
  listCopyHoldersOutsideAudience,
  makeAndRecordMessageChange,
} from '../messages.js';
import { makePushRecheckCommands } from '../pushes.js';
import type { ConversationActorState, ConversationActorView } from '../state.js';
import {
  filterMessagesStillInTopic,
  findStoredTopic,
  listChangedMessagesInTopic,
  makeTopicChangesAfterRemovals,
  makeTopicChangesForAddedMessage,
  topicWatcherIdsOf,
} from '../topics.js';
import {
  checkWholeTopicWithinTimeLimits,
  getAllowedTargetStreamOrThrow,
  type MessageEditContext,
  type MessageEditPlan,
} from './checks.js';
import type { NewMessageTextChanges } from './content.js';
import { makeMessageDeleteEvents, makeMessageEditEvents } from './event.js';
import {
  type MessageMoveDecision,
  makeBodyChangesOfMove,
  makeLaterMoveBatchesCommit,
  splitMoveIntoBatches,
} from './move-batches.js';
import { requireRoomForStreamMove } from './move-history.js';
import { authorsAndReactorsOfMessages, composeMoveNoticeCommands } from './notices.js';
import type { MessageEditInputs } from './scope.js';

interface MoveSelection {
  /** The moved messages, by ascending id. */
  readonly movedMessages: readonly StoredMessage[];
  /** True if no message that the mover can see stays behind. */
  readonly leavesNoVisibleMessage: boolean;
}

/** Newest versions of the topic's messages, and ids of those that the mover may access. */
function collectCurrentTopicMessages(
  view: ConversationActorView,
  message: StoredMessage,
  inputs: MessageEditInputs,
  user: number,
) {
  const { stream, topic } = message.body;
  const key = toComparableTopicKey(topic);
  const scope = inputs.moveScope;
  const now = new Map(
    filterMessagesStillInTopic(view, scope?.oldTopicRecords ?? [], stream, key).map((one) => [one.id, one]),
  );
  const accessible = new Set([...(scope?.accessibleMessageIds ?? []), message.id]);
  for (const one of listChangedMessagesInTopic(view, stream, key)) {
    // Messages that the read of the Store did not return were sent after it, so only those are added.
    if (now.has(one.id)) continue;
    now.set(one.id, one);
    if (one.originStream === stream && didMemberReceiveMessageId(findStreamMembershipRecord(view.parts, user), one.id))
      accessible.add(one.id);
  }
  now.set(message.id, message);
  return { now, accessible };
}

function chooseMessagesToMove(
  view: ConversationActorView,
  message: StoredMessage,
  args: EditMessageArgs,
  plan: MessageEditPlan,
  inputs: MessageEditInputs,
  editor: MessageEditContext,
): MoveSelection {
  const { now, accessible } = collectCurrentTopicMessages(view, message, inputs, editor.user.id);
  const mode = args.propagate_mode;
  const chosen = ({ id }: StoredMessage): boolean =>
    id === message.id ||
    (mode !== 'change_one' &&
      (mode === 'change_all' || id > message.id) &&
      (plan.newStreamId === undefined || accessible.has(id)));
  const moved = [...now.values()].filter(chosen).sort((a, b) => a.id - b.id);
  if (mode === 'change_all') checkWholeTopicWithinTimeLimits(moved, accessible, plan, editor);
  const stays = [...now.values()].some((one) => !chosen(one) && accessible.has(one.id));
  return { movedMessages: moved, leavesNoVisibleMessage: mode === 'change_all' || !stays };
}

/** Subscribers of the old stream who are not in the new one: they lose their copies of the messages. */
function listSubscribersOutsideTarget(view: ConversationActorView, inTarget: readonly number[]): number[] {
  const there = new Set(inTarget);
  return listStreamSubscriberIds(view.parts).filter((id) => !there.has(id));
}

/**
 * Users who lose the messages (messages.md § PATCH, effects): guests among the subscribers of the old stream who are
 * not in the new one; if the new one is private, all of these subscribers, and the others who have copies.
 */
function listUsersLosingMovedMessages(
  view: ConversationActorView,
  to: DirectoryStream,
  moved: readonly StoredMessage[],
  inTarget: readonly number[],
  { directory }: CommandContext,
): number[] {
  const subscribers = listSubscribersOutsideTarget(view, inTarget);
  if (to.inviteOnly) {
    const inTargetIds = new Set(inTarget);
    const holders = [...collectCopyHolders(view, moved)].filter(
      (id) => !inTargetIds.has(id) && directory.user(toUserId(id))?.isActive,
    );
    return [...new Set([...subscribers, ...holders])];
  }
  return subscribers.filter((id) => {
    const user = directory.user(toUserId(id));
    return user === undefined || isGuest(user);
  });
}

/** A checked request to move messages. */
interface MoveRequest {
  readonly message: StoredMessage;
  readonly args: EditMessageArgs;
  readonly plan: MessageEditPlan;
  /** Effect of the new text, if the request changes it, too. */
  readonly newTextChanges: NewMessageTextChanges | undefined;
  readonly inputs: MessageEditInputs;
  readonly editor: MessageEditContext & { readonly user: DirectoryUser };
}

/** Old and new place of the moved messages, and the users who lose them. */
interface MovePlacesAndLosers extends MoveSelection {
  readonly fromStream: DirectoryStream;
  readonly toStream: DirectoryStream;
  readonly oldTopic: string;
  readonly newTopic: string;
  /** True if the messages leave the stream. */
  readonly leavesStream: boolean;
  /** Ids of the users who lose the messages. */
  readonly userIdsLosingMessages: readonly number[];
}

/** The old and new place of the moved messages, and the users who lose them. @throws ApiError */
function computeMovePlacesAndLosers(
  view: ConversationActorView,
  request: MoveRequest,
  context: CommandContext,
): MovePlacesAndLosers {
  const { message, args, plan, inputs, editor } = request;
  const from = context.directory.stream(toStreamId(message.body.stream))!;
  const to =
    plan.newStreamId === undefined
      ? from
      : getCheckedTargetStreamOrThrow(view, request, from, plan.newStreamId, context);
  const chosen = chooseMessagesToMove(view, message, args, plan, inputs, editor);
  const leaves = to.id !== from.id;
  const there = leaves ? inputs.moveScope?.targetStreamMembers : undefined;
  const losers = there ? listUsersLosingMovedMessages(view, to, chosen.movedMessages, there.members, context) : [];
  return {
    ...chosen,
    fromStream: from,
    toStream: to,
    oldTopic: message.body.topic,
    newTopic: plan.newTopic ?? message.body.topic,
    leavesStream: leaves,
    userIdsLosingMessages: losers,
  };
}

function makeMoveDecision(
  view: ConversationActorView,
  { plan, inputs, editor }: MoveRequest,
  { fromStream, toStream, oldTopic, newTopic, leavesStream, userIdsLosingMessages, movedMessages }: MovePlacesAndLosers,
  { directory, now }: CommandContext,
): MessageMoveDecision {
  const there = leavesStream ? inputs.moveScope?.targetStreamMembers : undefined;
  const copied = new Set(movedMessages.flatMap(({ body }) => body.copies ?? []));
  const links = (): MessageBody['topicLinks'] => findLinksOfMessageTopic(newTopic, directory);
  return {
    from: { stream: fromStream.id, topic: oldTopic },
    edit: {
      user: editor.user.id,
      at: Math.floor(now / 1000),
      ...(plan.newTopic === undefined ? {} : { topic: { from: oldTopic, to: newTopic } }),
      ...(plan.newStreamId === undefined ? {} : { stream: { from: fromStream.id, to: toStream.id } }),
    },
    topic: plan.newTopic === undefined ? null : { name: newTopic, links: links() },
    stream: leavesStream ? { id: toStream.id, recipient: toStream.recipient } : null,
    move: there ? (makeStoredStreamMove(view, fromStream, toStream, there.mv) satisfies StoredMessageStreamMove) : null,
    losers: userIdsLosingMessages.filter((id) => copied.has(id)),
    ...(there && toStream.inviteOnly ? { copyKeepers: there.members.filter((id) => copied.has(id)) } : {}),
  };
}

/** Events of a move. @param more true if the move takes further commits */
function makeMoveEvents(
  view: ConversationActorView,
  { message, args, plan, newTextChanges, editor }: MoveRequest,
  { fromStream, toStream, oldTopic, leavesStream, userIdsLosingMessages, movedMessages }: MovePlacesAndLosers,
  decision: MessageMoveDecision,
  more: boolean,
  { directory }: CommandContext,
): LogItem[] {
  const otherIds = movedMessages.map(({ id }) => id).filter((id) => id !== message.id);
  const ids = [message.id, ...otherIds.reverse()];
  const base = audienceOfMessageChanges(message, view.state, directory);
  const move = { mode: args.propagate_mode, ids, topic: decision.topic ?? undefined, stream: plan.newStreamId };
  const except = userIdsLosingMessages.length > 0 ? { except: userIdsLosingMessages } : {};
  const details = { editorId: editor.user.id, editedAtSeconds: decision.edit.at, message, stream: fromStream, move };
  const closing = decision.move?.closed ? decision.move : undefined;
  // The memberships of other streams decide about copies that came with earlier moves, so each recipient is checked.
  const keeping = closing && base.moved ? { moved: withLastMove(base.moved, closing) } : {};
  const events = makeMessageEditEvents(
    { ...details, contentChanges: newTextChanges?.body },
    { ...base, ...keeping, ...except },
  );
  // These users have no right to the text of the named message.
  const others = listCopyHoldersOutsideAudience(view, fromStream.id, base, movedMessages, directory);
  if (others.length > 0) events.push(...makeMessageEditEvents(details, { users: others, ...except }));
  if (leavesStream && more) events.push({ t: 'carrying', from: fromStream.id, to: toStream.id, done: false });
  const place = { stream: fromStream.id, topic: oldTopic };
  if (userIdsLosingMessages.length > 0)
    events.push(...makeMessageDeleteEvents(ids, place, { users: userIdsLosingMessages }));
  for (const one of closing ? movedMessages : []) {
    const { moved } = audienceOfMessageCopyHolders(one);
    if (moved && closing)
      events.push(...makeMessageDeleteEvents([one.id], place, { lostByMove: withLastMove(moved, closing), ...except }));
  }
  return events;
}

const withLastMove = (message: MovedMessageCopies, move: StoredMessageStreamMove): MovedMessageCopies => ({
  ...message,
  moves: [...message.moves, move],
});

function makeMoveNoticeCommands(
  view: ConversationActorView,
  { message, args, newTextChanges, inputs, editor }: MoveRequest,
  { fromStream, toStream, oldTopic, newTopic, movedMessages, leavesNoVisibleMessage }: MovePlacesAndLosers,
  targetExisted: boolean,
  { realm, directory }: CommandContext,
): OutboxCommand[] {
  const summary = {
    by: editor.user,
    from: { stream: fromStream, topic: oldTopic },
    to: { stream: toStream, topic: newTopic },
    message: message.id,
    count: movedMessages.length,
    all: leavesNoVisibleMessage,
    targetExisted,
    notifyOld: args.notify_old,
    notifyNew: args.notify_new,
    withContent: newTextChanges !== undefined,
  };
  const texts = noticeTextsOfRealm(directory.settings);
  return composeMoveNoticeCommands(summary, realm, args.origin, directory.version, texts, () => {
    const there = filterMessagesStillInTopic(
      view,
      inputs.moveScope?.newTopicRecords ?? [],
      toStream.id,
      toComparableTopicKey(newTopic),
    );
    const people = authorsAndReactorsOfMessages([...movedMessages, ...there]);
    return (inputs.moveScope?.targetStreamMembers?.members ?? listStreamSubscriberIds(view.parts)).filter(
      (id) => !people.has(id),
    );
  });
}

/**
 * Outcome of the move's first commit: the decision, the events, the first batch, and commands for the other batches.
 *
 * @throws ApiError
 */
export function makeMessageMoveOutcome(
  view: ConversationActorView,
  request: MoveRequest,
  context: CommandContext,
): CommandOutcome<ConversationActorState> {
  const { message, newTextChanges, inputs } = request;
  const places = computeMovePlacesAndLosers(view, request, context);
  const {
    fromStream,
    toStream,
    oldTopic,
    newTopic,
    movedMessages,
    leavesNoVisibleMessage,
    leavesStream,
    userIdsLosingMessages,
  } = places;
  const decision = makeMoveDecision(view, request, places, context);
  if (decision.move) requireRoomForStreamMove(movedMessages);
  const [first = [], ...rest] = splitMoveIntoBatches([message, ...movedMessages.filter(({ id }) => id !== message.id)]);
  const further = makeLaterMoveBatchesCommit(context.key, context.version, decision, rest);
  const targetExisted =
    (leavesStream || toComparableTopicKey(newTopic) !== toComparableTopicKey(oldTopic)) &&
    hadTargetTopicMessages(view, toStream, newTopic, leavesStream, inputs);
  const oldPlace = { stream: fromStream.id, topic: oldTopic };
  const newPlace = { stream: toStream.id, topic: newTopic };
  const notices = makeMoveNoticeCommands(view, request, places, targetExisted, context);
  const there = leavesStream ? inputs.moveScope?.targetStreamMembers : undefined;
  const pushed = there
    ? makePushRecheckCommands(
        () => [...new Set([...listSubscribersOutsideTarget(view, there.members), ...userIdsLosingMessages])],
        movedMessages,
        context.directory,
        context.realm,
      )
    : [];
  const commands = [
    further.awaitedCommands,
    leavesStream ? [makeTopicChangedCommand(context, toStream, newTopic)] : [],
    leavesNoVisibleMessage
      ? makeMoveTopicPolicyCommands(view, oldPlace, newPlace, targetExisted, userIdsLosingMessages, inputs, context)
      : [],
    ...notices.map((notice) => [notice]),
    newTextChanges?.commands ?? [],
    pushed,
  ].filter((stage) => stage.length > 0);
  return {
    reply: makeSuccessReply(),
    messages: first.map((one) =>
      makeAndRecordMessageChange(
        view,
        one,
        makeBodyChangesOfMove(one, decision, one.id === message.id ? newTextChanges : undefined),
        context,
      ),
    ),
    parts: {
      ...further.parts,
      ...makeTopicPartsAfterMove(
        view,
        fromStream,
        oldTopic,
        leavesStream ? undefined : newTopic,
        movedMessages,
        inputs,
      ),
    },
    events: makeMoveEvents(view, request, places, decision, rest.length > 0, context),
    commands,
    ...(commands.length > 0 ? { replyAfterCommands: true as const } : {}),
  };
}

/** The stream to which messages are to move. @throws ApiError if the editor may not move messages there */
function getCheckedTargetStreamOrThrow(
  view: ConversationActorView,
  { message, inputs, editor }: MoveRequest,
  from: DirectoryStream,
  stream: number,
  { directory }: CommandContext,
): DirectoryStream {
  const owner = editor.user.botOwner === null ? undefined : directory.user(editor.user.botOwner);
  return getAllowedTargetStreamOrThrow(
    message,
    {
      fromStream: from,
      toStream: directory.stream(toStreamId(stream)),
      isSubscribed: (where, id) =>
        isCurrentStreamMember(
          where === 'from' ? findStreamMembershipRecord(view.parts, id) : inputs.targetStreamMemberships.get(id),
        ),
      botOwner: owner,
    },
    editor,
  );
}

const makeStoredStreamMove = (
  view: ConversationActorView,
  from: DirectoryStream,
  to: DirectoryStream,
  toMv: number,
): StoredMessageStreamMove => ({
  from: from.id,
  fromMv: view.state.mv,
  to: to.id,
  toMv,
  gained: !to.historyPublic,
  closed: to.inviteOnly,
});

function hadTargetTopicMessages(
  view: ConversationActorView,
  to: DirectoryStream,
  topic: string,
  leaves: boolean,
  { moveScope }: MessageEditInputs,
): boolean {
  const key = toComparableTopicKey(topic);
  if (!leaves) return findStoredTopic(view.parts, key) !== undefined;
  return filterMessagesStillInTopic(view, moveScope?.newTopicRecords ?? [], to.id, key).length > 0;
}

/** Changed parts of this stream's topics. @param to undefined: the messages leave the stream */
function makeTopicPartsAfterMove(
  view: ConversationActorView,
  stream: DirectoryStream,
  from: string,
  to: string | undefined,
  moved: readonly StoredMessage[],
  { moveScope }: MessageEditInputs,
) {
  const ids = new Set(moved.map(({ id }) => id));
  const newest = moved.at(-1)!.id;
  const leaving =
    to !== undefined && toComparableTopicKey(from) === toComparableTopicKey(to)
      ? {}
      : makeTopicChangesAfterRemovals(
          view,
          stream.id,
          toComparableTopicKey(from),
          moveScope?.newestOldTopicRecords ?? [],
          (id) => ids.has(id),
        );
  return { ...leaving, ...(to === undefined ? {} : makeTopicChangesForAddedMessage(view.parts, to, newest)) };
}

const makeTopicChangedCommand = ({ realm }: CommandContext, stream: DirectoryStream, topic: string): OutboxCommand =>
  makeOutboxCommand({
    to: streamActorKey(realm, stream.id),
    name: streamActorCommands.topicChanged,
    args: { topic: toComparableTopicKey(topic) },
    caller: 0,
  });

interface TopicOfStream {
  readonly stream: number;
  readonly topic: string;
}

/** Commands by which users' policies for the topic (muted, followed) move with it. */
function makeMoveTopicPolicyCommands(
  view: ConversationActorView,
  from: TopicOfStream,
  to: TopicOfStream,
  targetExisted: boolean,
  gone: readonly number[],
  { moveScope }: MessageEditInputs,
  { realm, key, directory }: CommandContext,
): OutboxCommand[] {
  if (from.stream === to.stream && toComparableTopicKey(from.topic) === toComparableTopicKey(to.topic)) return [];
  const cannotSee = new Set(gone);
  const watchers = new Set(topicWatcherIdsOf(view.parts, from.topic));
  const inTarget =
    to.stream === Number(parseActorKey(key).idWithinRealm)
      ? topicWatcherIdsOf(view.parts, to.topic)
      : (moveScope?.newTopicWatcherIds ?? []);
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
      after: directory.version,
    }),
  );
}
