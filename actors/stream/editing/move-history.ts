/**
 * The moves that a message's record lists: in the edit history, which clients show, and in `moves`, which decides who
 * has a copy. Each move rewrites the record, so both lists have a bound. The functions have no side effects.
 */

import type { StoredMessage, StoredMessageEdit } from '#domain/messages';
import { apiError } from '#model/errors';

/** Maximum number of moves, without a new text, in the edit history of a message. */
const MAX_MOVES_IN_EDIT_HISTORY = 1_000;

/**
 * Maximum number of moves of a message between streams. The record lists all of them, and each recipient of an event
 * about the message is judged by all.
 */
const MAX_STREAM_MOVES_PER_MESSAGE = 200;

/**
 * Adds a move to an edit history, newest entry first. Beyond the bound the oldest moves are left out, except for the
 * one that names the topic to which the message was sent. Entries with an earlier text stay: `checks.ts` bounds them.
 */
export function withMoveAddedToHistory(
  edits: readonly StoredMessageEdit[],
  move: StoredMessageEdit,
): readonly StoredMessageEdit[] {
  const all = [move, ...edits];
  let excess = all.filter(({ content }) => content === undefined).length - MAX_MOVES_IN_EDIT_HISTORY;
  if (excess <= 0) return all;
  const original = all.findLast(({ topic }) => topic !== undefined);
  const kept: StoredMessageEdit[] = [];
  for (const entry of all.reverse()) if (entry.content || entry === original || excess-- <= 0) kept.push(entry);
  return kept.reverse();
}

/** Refuses a move between streams if one of the messages was moved too often. @throws ApiError */
export function requireRoomForStreamMove(messages: readonly StoredMessage[]): void {
  for (const { body } of messages)
    if ((body.moves?.length ?? 0) >= MAX_STREAM_MOVES_PER_MESSAGE) throw apiError('MOVED_TOO_OFTEN');
}
