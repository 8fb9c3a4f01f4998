/**
 * Access to messages (messages.md § Access to a message). Users who were subscribed when a message was sent have a copy
 * of it; moves between streams add and remove copies. Pure.
 */

import { hadCopies, type Member, stayWith } from '#domain/streams';
import type { MovedCopies } from '#model';
import type { StoredMessage } from '../stored/message.js';
import { movesOf } from '../stored/packed-view.js';

export interface CopyState {
  readonly has: boolean;
  /** The copy came with a move between streams, marked as read. */
  readonly gained: boolean;
}

/** A message that one user may read. */
export interface ReadableMessage {
  readonly message: StoredMessage;
  /** Whether the user has a copy; a user without one may read the stream's history. */
  readonly copy: boolean;
  /** The copy came with a move between streams, marked as read. */
  readonly gained: boolean;
}

/** Streams whose memberships decide who has a copy of the message. */
export function decidingStreams(message: StoredMessage): readonly number[] {
  const { originStream } = message;
  if (originStream === 0) return [];
  const moves = movesOf(message);
  return moves.length === 0
    ? [originStream]
    : [...new Set([originStream, ...moves.flatMap(({ from, to }) => [from, to])])];
}

/**
 * @param membership the user's membership of a stream
 * @param own the user has a personal copy: starred a message of the history, or is a bot that was mentioned
 */
export function copyOf(
  message: StoredMessage,
  user: number,
  membership: (stream: number) => Member | undefined,
  own: boolean,
): CopyState {
  const { originStream, id, participants } = message;
  if (originStream === 0) return { has: participants.includes(user), gained: false };
  return copyAfterMoves({ id, home: originStream, moves: movesOf(message) }, membership, own);
}

/** As `copyOf`, for a message that was sent to a stream. */
export function copyAfterMoves(
  { id, home, moves }: MovedCopies,
  membership: (stream: number) => Member | undefined,
  own = false,
): CopyState {
  const stay = stayWith(membership(home), id);
  let has = own || stay !== undefined;
  let gained = false;
  for (const move of moves) {
    const before = hadCopies(membership(move.from), move.fromMv);
    const after = hadCopies(membership(move.to), move.toMv);
    // A newcomer's stay reaches back to older messages, but not to those moved away before it began.
    const gone = !own && stay !== undefined && move.from === home && move.fromMv < stay.from;
    if ((before || gone) && !after) has = false;
    else if (!before && after && move.gained) {
      has = true;
      gained = true;
    }
  }
  return { has, gained };
}
