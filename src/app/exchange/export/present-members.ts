/** The members of a stream who receive a message, for messages in the order of their ids. */
import { findLowerBoundIndex } from '#base';
import { listStays, type StreamMembershipRecord } from '#domain/streams';

/** Lists the receiving members of one stream. The ids of the messages that are asked for ascend. */
export class PresentStreamMembers {
  /** First message ids of changes, ascending, and an id above all. */
  readonly #changeIds: Float64Array;
  /** For each change the position of the member, or for the end of a stay its bitwise complement. */
  readonly #changes: Int32Array;
  #nextChange = 0;
  /** Number of stays that receive the message, by position of the member. */
  readonly #stayCounts: Uint16Array;
  /** Positions of the members who receive the message, ascending. */
  readonly #present: number[] = [];

  constructor(members: readonly StreamMembershipRecord[]) {
    const changes: [id: number, change: number][] = [];
    for (const [position, member] of members.entries()) {
      for (const { silent, after, to, until } of listStays(member)) {
        if (silent || (to !== 0 && until <= after)) continue;
        changes.push([after + 1, position]);
        if (to !== 0) changes.push([until + 1, ~position]);
      }
    }
    changes.sort(([a], [b]) => a - b);
    this.#changeIds = Float64Array.from([...changes.map(([id]) => id), Number.POSITIVE_INFINITY]);
    this.#changes = Int32Array.from(changes, ([, change]) => change);
    this.#stayCounts = new Uint16Array(members.length);
  }

  /** Returns the positions of the members who receive a message with this id; valid until the next call. */
  receiversOf(id: number): readonly number[] {
    while (this.#changeIds[this.#nextChange]! <= id) this.#applyChange(this.#changes[this.#nextChange++]!);
    return this.#present;
  }

  #applyChange(change: number): void {
    const present = this.#present;
    const begins = change >= 0;
    const position = begins ? change : ~change;
    const before = this.#stayCounts[position]!;
    const after = before + (begins ? 1 : -1);
    this.#stayCounts[position] = after;
    // A stay may end at the message at which the next one begins, and the end may come second.
    if (before !== 0 && after !== 0) return;
    const at = findLowerBoundIndex(present, position);
    if (begins) present.splice(at, 0, position);
    else present.splice(at, 1);
  }
}
