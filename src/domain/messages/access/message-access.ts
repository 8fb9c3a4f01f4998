/**
 * Access to messages (messages.md § Access to a message). Users who were subscribed when a message was sent have a copy
 * of it; moves between streams add and remove copies. A move to a private stream leaves copies with its subscribers
 * alone (decisions/031). The functions have no side effects.
 */

import {
  findReceivingStayOfMessageId,
  type StreamMembershipRecord,
  wasReceivingMessagesAtVersion,
  wasReceivingOrSuspendedAtVersion,
} from '#domain/streams';
import type { MovedMessageCopies } from '#model';
import type { StoredMessage } from '../stored/message.js';
import { streamMovesOfMessage } from '../stored/packed-view.js';

export interface MessageCopyState {
  readonly has: boolean;
  /** True if the copy came with a move between streams, marked as read. */
  readonly gained: boolean;
}

const COPY_SINCE_SENDING: MessageCopyState = { has: true, gained: false };
const NO_COPY: MessageCopyState = { has: false, gained: false };

/** A message that one user may read. */
export interface ReadableMessage {
  readonly message: StoredMessage;
  /** True if the user has a copy of the message; a user without one may read the stream's history. */
  readonly copy: boolean;
  /** True if the copy came with a move between streams, marked as read. */
  readonly gained: boolean;
}

/** Streams whose memberships decide who has a copy of the message. */
export function streamIdsDecidingMessageCopies(message: StoredMessage): readonly number[] {
  const { originStream } = message;
  if (originStream === 0) return [];
  const moves = streamMovesOfMessage(message);
  return moves.length === 0
    ? [originStream]
    : [...new Set([originStream, ...moves.flatMap(({ from, to }) => [from, to])])];
}

/**
 * Finds out whether a user has a copy of a message.
 *
 * @param membership the user's membership of a stream
 * @param movesBeforeCopy number of the message's moves that came before the user's personal copy, which the user made
 *   by starring a message of the history or, as a bot, got by a mention; undefined: there is none
 */
export function computeMessageCopyState(
  message: StoredMessage,
  user: number,
  membership: (stream: number) => StreamMembershipRecord | undefined,
  movesBeforeCopy?: number,
): MessageCopyState {
  const { originStream, id, participants } = message;
  if (originStream === 0) return participants.includes(user) ? COPY_SINCE_SENDING : NO_COPY;
  return computeStreamMessageCopyState(
    { id, home: originStream, moves: streamMovesOfMessage(message) },
    membership,
    movesBeforeCopy,
  );
}

/** Like `computeMessageCopyState`, but for a message that was sent to a stream. */
export function computeStreamMessageCopyState(
  { id, home, moves }: MovedMessageCopies,
  membership: (stream: number) => StreamMembershipRecord | undefined,
  movesBeforeCopy?: number,
): MessageCopyState {
  const stay = findReceivingStayOfMessageId(membership(home), id);
  let has = movesBeforeCopy === 0 || stay !== undefined;
  let gained = false;
  if (moves.length === 0) return has ? COPY_SINCE_SENDING : NO_COPY;
  for (const [i, move] of moves.entries()) {
    const before = wasReceivingMessagesAtVersion(membership(move.from), move.fromMv);
    const after = wasReceivingMessagesAtVersion(membership(move.to), move.toMv);
    // The stay of a newcomer includes older messages, but not those that were moved away before the stay began.
    const isOwn = movesBeforeCopy !== undefined && movesBeforeCopy <= i;
    const gone = !isOwn && stay !== undefined && move.from === home && move.fromMv < stay.from;
    const isClosed = move.closed ?? move.gained;
    const lost =
      (isClosed || wasReceivingOrSuspendedAtVersion(membership(move.from), move.fromMv)) &&
      !wasReceivingOrSuspendedAtVersion(membership(move.to), move.toMv);
    if (lost || (gone && !after)) has = false;
    else if (!before && after && move.gained) {
      has = true;
      gained = true;
    }
    if (movesBeforeCopy === i + 1) {
      has = true;
      gained = false;
    }
  }
  return { has, gained };
}
