/**
 * Writes a move into its messages. Events and topics are decided in one commit, whatever the number of messages. The
 * messages are written in batches: the first with the decision, the others by commands of the actor to itself. The
 * decision is stored in a part, so a crash between two batches loses nothing.
 */

import { IdSet, type Json, type JsonObject } from '#base';
import type { MessageBody, StoredMessage, StoredMessageEdit, StoredMessageStreamMove } from '#domain/messages';
import { toComparableTopicKey } from '#domain/streams';
import type { ActorKey, LogItem } from '#model';
import { type MessageMoveBatchArgs, makeOutboxCommand, type OutboxCommand, streamActorCommands } from '#model/commands';
import type { CommandContext, MessageChange } from '#runtime';
import { makeAndRecordMessageChange } from '../messages.js';
import type { ConversationActorView } from '../state.js';
import { countMessageAndHistoryCharacters } from './checks.js';
import { withMoveAddedToHistory } from './move-history.js';

export const MESSAGE_MOVE_PART_PREFIX = 'moving/';

/** Maximum number of messages moved per commit. */
const MAX_MOVE_BATCH_MESSAGES = 500;
/**
 * Maximum UTF-16 units of text moved per commit: records may travel in the outbox, far below the largest document (16
 * MiB).
 */
const MAX_MOVE_BATCH_CHARACTERS = 1_500_000;

export interface MessageMoveDecision extends JsonObject {
  /** Stream and topic that the messages leave. */
  readonly from: { readonly stream: number; readonly topic: string };
  /** Entry that the move adds to the edit history of each message. */
  readonly edit: StoredMessageEdit;
  readonly topic: { readonly name: string; readonly links: MessageBody['topicLinks'] } | null;
  readonly stream: { readonly id: number; readonly recipient: number } | null;
  /** The move between streams; null: the stream stays the same. */
  readonly move: StoredMessageStreamMove | null;
  /** Users who made copies for themselves and lose them by the move. Absent in decisions of older versions. */
  readonly losers?: readonly number[];
  /**
   * A move to a private stream: the only users who keep copies that they made for themselves. Copies that others make
   * while the batches are written end, too.
   */
  readonly copyKeepers?: readonly number[];
}

/**
 * Changes that a move makes in one message's body. @param more further changes, for the message that the request named
 */
export function makeBodyChangesOfMove(
  { body }: StoredMessage,
  { edit, topic, stream, move, losers = [], copyKeepers }: MessageMoveDecision,
  more?: { readonly body: Partial<MessageBody>; readonly edit: Partial<StoredMessageEdit> },
): Partial<MessageBody> {
  const losesCopy = (id: number): boolean => losers.includes(id) || copyKeepers?.includes(id) === false;
  return {
    ...more?.body,
    edits: withMoveAddedToHistory(body.edits ?? [], { ...edit, ...more?.edit } as StoredMessageEdit),
    ...(topic ? { topic: topic.name, topicLinks: topic.links } : {}),
    ...(stream ? { stream: stream.id, recipient: stream.recipient } : {}),
    ...(body.copies?.some(losesCopy) ? { copies: body.copies.filter((id) => !losesCopy(id)) } : {}),
    ...(move ? { moves: [...(body.moves ?? []), move] } : {}),
  };
}

/** The messages of a move in their order, cut into batches that are bounded in messages and in characters. */
export function splitMoveIntoBatches(messages: readonly StoredMessage[]): StoredMessage[][] {
  const all: StoredMessage[][] = [[]];
  let characters = 0;
  for (const message of messages) {
    const size = countMessageAndHistoryCharacters(message);
    const last = all.at(-1)!;
    if (last.length > 0 && (last.length >= MAX_MOVE_BATCH_MESSAGES || characters + size > MAX_MOVE_BATCH_CHARACTERS)) {
      all.push([message]);
      characters = size;
    } else {
      last.push(message);
      characters += size;
    }
  }
  return all;
}

interface StoredMove extends JsonObject {
  readonly decision: MessageMoveDecision;
  readonly ids: Uint8Array;
}

interface MoveBatchOutcome {
  readonly messageChanges: readonly MessageChange[];
  readonly parts: Readonly<Record<string, Json>>;
  /** Commands for which the caller's reply waits. */
  readonly awaitedCommands: readonly OutboxCommand[];
}

/** Stores the decision of a move and sends a command per further batch. @param rest all batches but the first */
export function makeLaterMoveBatchesCommit(
  key: ActorKey,
  version: number,
  decision: MessageMoveDecision,
  rest: readonly (readonly StoredMessage[])[],
): Omit<MoveBatchOutcome, 'messageChanges'> {
  if (rest.length === 0) return { parts: {}, awaitedCommands: [] };
  const part = `${MESSAGE_MOVE_PART_PREFIX}${version}`;
  const ids = rest.flatMap((batch) => batch.map(({ id }) => id));
  const commands: OutboxCommand[] = [];
  let from = 0;
  rest.forEach((batch, i) => {
    const args: MessageMoveBatchArgs = { part, from, to: from + batch.length, last: i === rest.length - 1 };
    commands.push(
      makeOutboxCommand({ to: key as ActorKey<'stream'>, name: streamActorCommands.moveNextBatch, args, caller: 0 }),
    );
    from += batch.length;
  });
  return {
    parts: { [part]: { decision, ids: IdSet.fromIds(ids).encode() } satisfies StoredMove },
    awaitedCommands: commands,
  };
}

const findStoredMove = (parts: ReadonlyMap<string, Json>, part: string): StoredMove | undefined =>
  parts.get(part) as StoredMove | undefined;

/** Message ids of one batch of a move. */
export function messageIdsOfMoveBatch(
  parts: ReadonlyMap<string, Json>,
  { part, from, to }: MessageMoveBatchArgs,
): readonly number[] {
  const kept = findStoredMove(parts, part);
  return kept ? IdSet.decode(kept.ids).ids.slice(from, to) : [];
}

/** Keys of this stream's topics that the moved messages leave or enter. */
export function ownTopicKeysOfMove(
  parts: ReadonlyMap<string, Json>,
  { part }: MessageMoveBatchArgs,
): readonly string[] {
  const decision = findStoredMove(parts, part)?.decision;
  if (!decision) return [];
  const topics = [toComparableTopicKey(decision.from.topic)];
  if (decision.topic && !decision.stream) topics.push(toComparableTopicKey(decision.topic.name));
  return topics;
}

/**
 * Moves those messages of a batch that are still in the old place. The others were deleted or moved after the decision.
 */
export function makeMoveBatchOutcome(
  view: ConversationActorView,
  { part, last }: MessageMoveBatchArgs,
  messages: readonly StoredMessage[],
  context: CommandContext,
): Omit<MoveBatchOutcome, 'awaitedCommands'> & { readonly events: readonly LogItem[] } {
  const decision = findStoredMove(view.parts, part)?.decision;
  if (!decision) return { messageChanges: [], parts: {}, events: [] };
  const { from, edit, stream } = decision;
  const left = messages.filter(
    ({ body }) =>
      body.stream === from.stream &&
      toComparableTopicKey(body.topic) === toComparableTopicKey(from.topic) &&
      !isMoveAlreadyApplied(body, decision, edit),
  );
  return {
    messageChanges: left.map((message) =>
      makeAndRecordMessageChange(view, message, makeBodyChangesOfMove(message, decision), context),
    ),
    parts: last ? { [part]: null } : {},
    events: last && stream ? [{ t: 'carrying', from: from.stream, to: stream.id, done: true }] : [],
  };
}

/**
 * True if the move was already applied to the message. If only the spelling of the topic changes, the topic's key stays
 * the same, so the message's edit history decides.
 */
const isMoveAlreadyApplied = (
  { edits, topic: now }: MessageBody,
  { topic, stream }: MessageMoveDecision,
  { at, user }: StoredMessageEdit,
): boolean =>
  stream === null && topic?.name === now && edits?.some((one) => one.at === at && one.user === user) === true;
