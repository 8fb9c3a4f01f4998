/**
 * Read states and marks of users for an export, which asks for messages in the order of their ids: a cursor moves along
 * the stored form of each set of ids, so that no set is decoded and most rows need one comparison.
 */
import { EncodedIdCursor, EncodedIdCursors, type JsonObject } from '#base';
import { EXPORTED_MESSAGE_FLAG_BITS } from '../format/flag-bits.js';

/** Decisions of a read state about a message. For an undecided message, the flags at its creation decide. */
export const READ_DECISIONS = { undecided: 0, read: 1, unread: 2 } as const;

const NO_IDS = new EncodedIdCursor(new Uint8Array());

const makeIdCursor = (ids: unknown): EncodedIdCursor =>
  ids instanceof Uint8Array && ids.length > 0 ? new EncodedIdCursor(ids) : NO_IDS;

/** The read states of several users in one origin. The ids of the messages that are asked for ascend. */
export class OriginReadCursors {
  readonly #marks: Float64Array;
  readonly #unread: EncodedIdCursors;
  readonly #read: EncodedIdCursors;
  /** The first id whose decision may not be the steady one, by position of the user. */
  readonly #nextIds: Float64Array;
  readonly #steadyDecisions: Uint8Array;

  /** @param states stored read states (`makeOriginReadStatePart`) by position of the user */
  constructor(states: readonly (JsonObject | undefined)[]) {
    this.#marks = Float64Array.from(states, (state) => Number(state?.mark));
    this.#unread = new EncodedIdCursors(states.map((state) => state?.unread));
    this.#read = new EncodedIdCursors(states.map((state) => state?.read));
    this.#nextIds = Float64Array.from(states, (state) => (state ? 0 : Number.POSITIVE_INFINITY));
    this.#steadyDecisions = new Uint8Array(states.length);
  }

  /** Returns one of `READ_DECISIONS`. */
  decideOn(position: number, id: number): number {
    return id < this.#nextIds[position]! ? this.#steadyDecisions[position]! : this.#decideAndAdvance(position, id);
  }

  #decideAndAdvance(position: number, id: number): number {
    const mark = this.#marks[position]!;
    const isUnread = this.#unread.has(position, id);
    const isRead = id <= mark || this.#read.has(position, id);
    const isBelowMark = id < mark;
    const nextUnread = this.#unread.firstIdAbove(position, id);
    this.#steadyDecisions[position] = isBelowMark ? READ_DECISIONS.read : READ_DECISIONS.undecided;
    this.#nextIds[position] = Math.min(nextUnread, isBelowMark ? mark + 1 : this.#read.firstIdAbove(position, id));
    return isUnread ? READ_DECISIONS.unread : isRead ? READ_DECISIONS.read : READ_DECISIONS.undecided;
  }
}

/** The starred and collapsed messages of users. The ids of the messages that are asked for ascend. */
export class MarkCursors {
  readonly #starred: readonly EncodedIdCursor[];
  readonly #collapsed: readonly EncodedIdCursor[];
  /** The first id with a mark that was not asked for yet, by position of the user. */
  readonly #nextIds: Float64Array;

  /** @param sets stored sets of ids (`makeMarkedMessageIdsPart`) by position of the user */
  constructor(sets: readonly { readonly starred?: JsonObject; readonly collapsed?: JsonObject }[]) {
    this.#starred = sets.map(({ starred }) => makeIdCursor(starred?.ids));
    this.#collapsed = sets.map(({ collapsed }) => makeIdCursor(collapsed?.ids));
    this.#nextIds = Float64Array.from(sets, (_, i) => Math.min(this.#starred[i]!.nextId, this.#collapsed[i]!.nextId));
  }

  /** Returns a sum of `EXPORTED_MESSAGE_FLAG_BITS`. */
  flagBitsOf(position: number, id: number): number {
    return id < this.#nextIds[position]! ? 0 : this.#readBitsAndAdvance(position, id);
  }

  #readBitsAndAdvance(position: number, id: number): number {
    const starred = this.#starred[position]!;
    const collapsed = this.#collapsed[position]!;
    const bits =
      (starred.has(id) ? EXPORTED_MESSAGE_FLAG_BITS.starred : 0) |
      (collapsed.has(id) ? EXPORTED_MESSAGE_FLAG_BITS.collapsed : 0);
    this.#nextIds[position] = Math.min(starred.firstIdAbove(id), collapsed.firstIdAbove(id));
    return bits;
  }
}
