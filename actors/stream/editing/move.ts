/** Decides a move to another topic or stream, in one commit (messages.md § PATCH, effects). */

import { success } from '#actors/shared';
import type { Move, StoredMessage } from '#domain/messages';
import { isGuest } from '#domain/people';
import { hasCopy, isMember, topicKey } from '#domain/streams';
import type { LogItem } from '#model';
import { parseKey, streamId, streamKey, userId, userKey } from '#model';
import type { EditMessageArgs, OutboxCommand } from '#model/commands';
import { outboxCommand, streamCommands, userCommands } from '#model/commands';
import type { DirectoryStream, DirectoryUser } from '#model/records';
import type { CommandContext, Outcome } from '#runtime';
import { topicLinksOf } from '../commands/compose.js';
import { memberIds, memberOf } from '../commands/members.js';
import { change, holders } from '../messages.js';
import type { StreamState, StreamView } from '../state.js';
import { changedInTopic, currentInTopic, topicOf, topicWithMessage, topicWithout, watchersOf } from '../topics.js';
import type { Editor, EditPlan } from './checks.js';
import { checkMove, checkWholeTopic } from './checks.js';
import type { NewText } from './content.js';
import { deleteEvents, editEvents } from './event.js';
import type { MoveDecision } from './move-batches.js';
import { batches, movedBody, scheduleBatches } from './move-batches.js';
import { involved, noticesOf } from './notices.js';
import type { EditInputs } from './scope.js';

interface MovedMessages {
  /** Ascending. */
  readonly moved: readonly StoredMessage[];
  /** No message that the mover can see stays behind. */
  readonly all: boolean;
}

/** Newest versions of the topic's messages, and ids of those that the mover may access. */
function topicNow(view: StreamView, message: StoredMessage, inputs: EditInputs, user: number) {
  const { stream, topic } = message.body;
  const key = topicKey(topic);
  const scope = inputs.scope;
  const now = new Map(currentInTopic(view, scope?.topic ?? [], stream, key).map((one) => [one.id, one]));
  const accessible = new Set([...(scope?.accessible ?? []), message.id]);
  for (const one of changedInTopic(view, stream, key)) {
    // Came after the read of the Store.
    if (now.has(one.id)) continue;
    now.set(one.id, one);
    if (one.home === stream && hasCopy(memberOf(view.parts, user), one.id)) accessible.add(one.id);
  }
  now.set(message.id, message);
  return { now, accessible };
}

function choose(
  view: StreamView,
  message: StoredMessage,
  args: EditMessageArgs,
  wanted: EditPlan,
  inputs: EditInputs,
  editor: Editor,
): MovedMessages {
  const { now, accessible } = topicNow(view, message, inputs, editor.user.id);
  const mode = args.propagate_mode;
  if (mode === 'change_all') {
    checkWholeTopic(
      [...now.values()].filter(({ id }) => accessible.has(id)),
      wanted,
      editor,
    );
  }
  const chosen = ({ id }: StoredMessage): boolean =>
    id === message.id ||
    (mode !== 'change_one' &&
      (mode === 'change_all' || id > message.id) &&
      (wanted.stream === undefined || accessible.has(id)));
  const moved = [...now.values()].filter(chosen).sort((a, b) => a.id - b.id);
  const stays = [...now.values()].some((one) => !chosen(one) && accessible.has(one.id));
  return { moved, all: mode === 'change_all' || !stays };
}

/** Subscribers of the old stream who cannot see the new one: they lose the messages (messages.md § PATCH, effects). */
function losers(view: StreamView, to: DirectoryStream, inTarget: readonly number[], context: CommandContext): number[] {
  const there = new Set(inTarget);
  return memberIds(view.parts).filter((id) => {
    if (there.has(id)) return false;
    const user = context.directory.user(userId(id));
    return to.inviteOnly || user === undefined || isGuest(user);
  });
}

export function moveOf(
  view: StreamView,
  message: StoredMessage,
  args: EditMessageArgs,
  wanted: EditPlan,
  text: NewText | undefined,
  inputs: EditInputs,
  editor: Editor & { readonly user: DirectoryUser },
  context: CommandContext,
): Outcome<StreamState> {
  const { directory, realm, now, key, version } = context;
  const { user } = editor;
  const from = directory.stream(streamId(message.body.stream))!;
  const to = wanted.stream === undefined ? from : target(view, message, from, wanted.stream, inputs, editor, context);
  const old = message.body.topic;
  const topic = wanted.topic ?? old;
  const { moved, all } = choose(view, message, args, wanted, inputs, editor);
  const at = Math.floor(now / 1000);
  const leaves = to.id !== from.id;
  const there = leaves ? inputs.scope?.target : undefined;
  const gone = there ? losers(view, to, there.members, context) : [];
  const copied = new Set(moved.flatMap(({ body }) => body.copies ?? []));
  const decision: MoveDecision = {
    from: { stream: from.id, topic: old },
    edit: {
      user: user.id,
      at,
      ...(wanted.topic === undefined ? {} : { topic: { from: old, to: topic } }),
      ...(wanted.stream === undefined ? {} : { stream: { from: from.id, to: to.id } }),
    },
    topic:
      wanted.topic === undefined
        ? null
        : { name: topic, links: topicLinksOf({ topic, origin: args.origin }, directory) },
    stream: leaves ? { id: to.id, recipient: to.recipient } : null,
    move: there ? (moveTo(view, from, to, there.mv) satisfies Move) : null,
    losers: gone.filter((id) => copied.has(id)),
  };

  const [first = [], ...rest] = batches([message, ...moved.filter(({ id }) => id !== message.id)]);
  const carried = scheduleBatches(key, version, decision, rest);
  const ids = [
    message.id,
    ...moved
      .map(({ id }) => id)
      .filter((id) => id !== message.id)
      .reverse(),
  ];

  const base = holders(message, view.state, directory);
  const items: LogItem[] = editEvents(
    {
      by: user.id,
      at,
      message,
      stream: from,
      content: text?.body,
      move: {
        mode: args.propagate_mode,
        ids,
        topic: decision.topic ?? undefined,
        stream: wanted.stream,
      },
    },
    gone.length > 0 ? { ...base, except: gone } : base,
  );
  if (leaves && rest.length > 0) items.push({ t: 'carrying', from: from.id, to: to.id, done: false });
  if (gone.length > 0) items.push(...deleteEvents(ids, { stream: from.id, topic: old }, { users: gone }));

  const targetExisted =
    (leaves || topicKey(topic) !== topicKey(old)) && targetTopicExisted(view, to, topic, leaves, inputs);
  const notices = noticesOf(
    {
      by: user,
      from: { stream: from, topic: old },
      to: { stream: to, topic },
      message: message.id,
      count: moved.length,
      all,
      targetExisted,
      notifyOld: args.notify_old,
      notifyNew: args.notify_new,
      withContent: text !== undefined,
    },
    realm,
    args.origin,
    directory.version,
    () => {
      const there = currentInTopic(view, inputs.scope?.inTarget ?? [], to.id, topicKey(topic));
      const people = involved([...moved, ...there]);
      return (inputs.scope?.target?.members ?? memberIds(view.parts)).filter((id) => !people.has(id));
    },
  );
  const commands = [
    carried.commands,
    leaves ? [topicChanged(context, to, topic)] : [],
    all
      ? movePolicies(
          view,
          { stream: from.id, topic: old },
          { stream: to.id, topic },
          targetExisted,
          gone,
          inputs,
          context,
        )
      : [],
    ...notices.map((notice) => [notice]),
    text?.commands ?? [],
  ].filter((stage) => stage.length > 0);
  return {
    reply: success(),
    messages: first.map((one) =>
      change(view, one, movedBody(one, decision, one.id === message.id ? text : undefined), context),
    ),
    parts: {
      ...carried.parts,
      ...topicsAfter(view, from, old, leaves ? undefined : topic, moved, inputs),
    },
    events: items,
    commands,
    ...(commands.length > 0 ? { replyAfterCommands: true as const } : {}),
  };
}

function target(
  view: StreamView,
  message: StoredMessage,
  from: DirectoryStream,
  stream: number,
  inputs: EditInputs,
  editor: Editor,
  { directory }: CommandContext,
): DirectoryStream {
  const owner = editor.user.botOwner === null ? undefined : directory.user(editor.user.botOwner);
  return checkMove(
    message,
    {
      from,
      to: directory.stream(streamId(stream)),
      subscribed: (where, id) =>
        isMember(where === 'from' || stream === from.id ? memberOf(view.parts, id) : inputs.inTarget.get(id)),
      owner,
    },
    editor,
  );
}

const moveTo = (view: StreamView, from: DirectoryStream, to: DirectoryStream, toMv: number): Move => ({
  from: from.id,
  fromMv: view.state.mv,
  to: to.id,
  toMv,
  gained: !to.historyPublic,
});

function targetTopicExisted(
  view: StreamView,
  to: DirectoryStream,
  topic: string,
  leaves: boolean,
  { scope }: EditInputs,
): boolean {
  const key = topicKey(topic);
  if (!leaves) return topicOf(view.parts, key) !== undefined;
  return currentInTopic(view, scope?.inTarget ?? [], to.id, key).length > 0;
}

/** Changed parts of this stream's topics. @param to undefined: the messages leave the stream */
function topicsAfter(
  view: StreamView,
  stream: DirectoryStream,
  from: string,
  to: string | undefined,
  moved: readonly StoredMessage[],
  { scope }: EditInputs,
) {
  const ids = new Set(moved.map(({ id }) => id));
  const newest = moved.at(-1)!.id;
  const leaving =
    to !== undefined && topicKey(from) === topicKey(to)
      ? {}
      : topicWithout(view, stream.id, topicKey(from), scope?.newest ?? [], (id) => ids.has(id));
  return { ...leaving, ...(to === undefined ? {} : topicWithMessage(view.parts, to, newest)) };
}

const topicChanged = ({ realm }: CommandContext, stream: DirectoryStream, topic: string): OutboxCommand =>
  outboxCommand({
    to: streamKey(realm, stream.id),
    name: streamCommands.topicChanged,
    args: { topic: topicKey(topic) },
    caller: 0,
  });

interface TopicOfStream {
  readonly stream: number;
  readonly topic: string;
}

/** Commands by which users' policies for the topic (muted, followed) move with it. */
function movePolicies(
  view: StreamView,
  from: TopicOfStream,
  to: TopicOfStream,
  targetExisted: boolean,
  gone: readonly number[],
  { scope }: EditInputs,
  { realm, key }: CommandContext,
): OutboxCommand[] {
  if (from.stream === to.stream && topicKey(from.topic) === topicKey(to.topic)) return [];
  const cannotSee = new Set(gone);
  const watchers = new Set(watchersOf(view.parts, from.topic));
  const inTarget =
    to.stream === Number(parseKey(key).rest) ? watchersOf(view.parts, to.topic) : (scope?.watchers ?? []);
  for (const id of inTarget) watchers.add(id);
  return [...watchers].map((id) =>
    outboxCommand({
      to: userKey(realm, userId(id)),
      name: userCommands.moveTopicPolicy,
      args: {
        from: { stream: from.stream, topic: from.topic },
        to: cannotSee.has(id) ? null : { stream: to.stream, topic: to.topic },
        targetExisted,
      },
      caller: 0,
    }),
  );
}
