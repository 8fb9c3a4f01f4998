/** Who has a copy of a message (messages.md § Access to a message): decided by stays in streams and by moves. Pure. */

import { hadCopies, type Member, stayWith } from '#domain/streams';
import type { MovedCopies } from '#model';
import type { StoredMessage } from '../stored/message.js';
import { movesOf } from '../stored/packed-view.js';

export interface CopyState {
  readonly has: boolean;
  /** The copy came with a move and was read from the beginning. */
  readonly gained: boolean;
}

/** A message as one user has it. */
export interface ReadableMessage {
  readonly message: StoredMessage;
  /** Without a copy: history that the user may read. */
  readonly copy: boolean;
  /** The copy came with a move between streams: it was read from the beginning. */
  readonly gained: boolean;
}

/** Streams whose memberships decide about the message. */
export function decidingStreams(message: StoredMessage): readonly number[] {
  const { originStream } = message;
  if (originStream === 0) return [];
  const moves = movesOf(message);
  return moves.length === 0
    ? [originStream]
    : [...new Set([originStream, ...moves.flatMap(({ from, to }) => [from, to])])];
}

/**
 * @param membership of this user, by stream
 * @param own the user made a copy for himself: starred a message of the past, or was a mentioned bot
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

/** As `copyOf`, of a message that was sent to a stream. */
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
    // Whoever came later has of what was sent before only what was still there.
    const gone = !own && stay !== undefined && move.from === home && move.fromMv < stay.from;
    if ((before || gone) && !after) has = false;
    else if (!before && after && move.gained) {
      has = true;
      gained = true;
    }
  }
  return { has, gained };
}
