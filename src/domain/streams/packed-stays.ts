/**
 * Ended stays of a user in a stream, as bytes: 5 to 10 for each stay, where an object takes 50. A stay is found by
 * binary search. None is merged with its neighbour, also if no message was sent in between: moves of messages refer to
 * membership versions, and a move may have found the user subscribed or not. The functions have no side effects.
 */
import { findLowerBoundIndex, IdSet, memoizeByObject } from '#base';

/**
 * One stay of a user in a stream: subscribed from membership version `from` until before `to`, with a copy of the
 * messages with after < id ≤ until. `to` and `until` are 0 while the stay lasts. The first stay of a new account may
 * include messages that were sent before it.
 */
export interface UnpackedStay {
  readonly from: number;
  readonly to: number;
  readonly after: number;
  readonly until: number;
  /** True for a subscription without copies, as bots have that the server calls (messages.md § Who receives). */
  readonly silent?: true;
  /**
   * True if the stay ended with the deactivation of the account. Moves between streams take copies from such an account
   * as from a subscriber, because it joins again when it is reactivated.
   */
  readonly suspended?: true;
}

export type PackedStays = {
  /** `from` and `to` of each stay. */
  readonly versions: Uint8Array;
  /** `after` and `until` of each stay. */
  readonly ids: Uint8Array;
  /** Positions of the silent and of the suspended stays. */
  readonly silent: Uint8Array;
  readonly suspended: Uint8Array;
};

/** Encodes numbers that don't descend. The position is added, because a set of ids has each number once. */
const encodeNumbers = (numbers: readonly number[]): Uint8Array =>
  IdSet.fromIds(numbers.map((number, i) => number + i)).encode();

const decodeNumbers = (bytes: Uint8Array): Float64Array =>
  Float64Array.from(IdSet.decode(bytes).ids, (number, i) => number - i);

const decodeStays = memoizeByObject(({ versions, ids, silent, suspended }: PackedStays) => ({
  versions: decodeNumbers(versions),
  ids: decodeNumbers(ids),
  silent: IdSet.decode(silent),
  suspended: IdSet.decode(suspended),
}));

/** Packs ended stays. @param stays in the order of their versions and message ids */
export function packStays(stays: readonly UnpackedStay[]): PackedStays {
  const positionsWith = (mark: 'silent' | 'suspended') =>
    IdSet.fromIds(stays.flatMap((stay, i) => (stay[mark] ? [i] : []))).encode();
  return {
    versions: encodeNumbers(stays.flatMap(({ from, to }) => [from, to])),
    ids: encodeNumbers(stays.flatMap(({ after, until }) => [after, until])),
    silent: positionsWith('silent'),
    suspended: positionsWith('suspended'),
  };
}

function stayAt(packed: PackedStays, position: number): UnpackedStay {
  const { versions, ids, silent, suspended } = decodeStays(packed);
  return {
    from: versions[2 * position]!,
    to: versions[2 * position + 1]!,
    after: ids[2 * position]!,
    until: ids[2 * position + 1]!,
    ...(silent.has(position) ? { silent: true } : {}),
    ...(suspended.has(position) ? { suspended: true } : {}),
  };
}

export const countPackedStays = (packed: PackedStays): number => decodeStays(packed).versions.length / 2;

/** The first stays, all of them without `count`. */
export const listPackedStays = (packed: PackedStays, count = countPackedStays(packed)): UnpackedStay[] =>
  Array.from({ length: count }, (_, position) => stayAt(packed, position));

/** The last stay that had begun at this membership version. */
export function findPackedStayAtVersion(packed: PackedStays, mv: number): UnpackedStay | undefined {
  const position = (findLowerBoundIndex(decodeStays(packed).versions, mv + 1) - 1) >> 1;
  return position < 0 ? undefined : stayAt(packed, position);
}

/** The stay in which a message with this id was sent. */
export function findPackedStayOfMessageId(packed: PackedStays, id: number): UnpackedStay | undefined {
  const end = findLowerBoundIndex(decodeStays(packed).ids, id);
  return end % 2 === 1 ? stayAt(packed, (end - 1) / 2) : undefined;
}
