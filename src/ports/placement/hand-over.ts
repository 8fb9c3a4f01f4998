/**
 * Handing partitions over to the hosts to which they belong: one batch at a time, whose size follows the time that the
 * last one took, and to each host no more than it has taken of the batch before.
 */
import type { Clock } from '#base/clock';
import type { Partition } from '#model';
import type { SharedTable } from './shared-table.js';
import type { Targets } from './targets.js';
import type { Tenure, Tenures } from './tenures.js';

/** Smaller ones would not be quicker. */
const SMALLEST_BATCH = 4;
const LARGEST_BATCH = 32;
/** A batch should pause its partitions for no longer; a much shorter one may be larger. Milliseconds. */
const PAUSE_MS = 80;
/** For what was begun, when somebody waits to go on with it: what is not finished then, the next owner finishes. */
const FINISH_MS = 2_000;
/** The same, when nobody will be there to go on. */
const LAST_FINISH_MS = 10_000;

export interface Giver {
  /** Of the host that hands over. */
  id(): string;
  /** It ends: everything goes, to whomever. */
  leaving(): boolean;
  /** It has more urgent things to do than to balance. */
  recovering(): boolean;
  targets(): Targets;
}

export class HandOver {
  #size = SMALLEST_BATCH;
  #busy = false;
  /** The last batch, until it was taken: what handing over took, and since when it is with the others. */
  #given: { readonly size: number; readonly ms: number; readonly at: number } | undefined;
  /** Handed over and not taken yet: to whom, and the epoch that it will exceed when it was. */
  readonly #under = new Map<Partition, { readonly to: string; readonly epoch: number }>();

  constructor(
    private readonly clock: Clock,
    private readonly table: SharedTable,
    private readonly tenures: Tenures,
    private readonly giver: Giver,
  ) {}

  /** The next batch, begun; undefined: there is nothing to do, or one is under way. @param all without waiting */
  next(all: boolean): Promise<void> | undefined {
    const leaving = this.giver.leaving();
    if (this.#busy || (this.giver.recovering() && !leaving)) return undefined;
    const targets = this.giver.targets();
    const serving = this.tenures.serving();
    const busy = all ? new Set<string>() : this.#slow();
    const going = serving.filter((p) => {
      const to = this.#successor(targets, p);
      return to === undefined ? leaving : to !== this.giver.id() && !busy.has(to);
    });
    if (going.length === 0) return undefined;
    // Those who must finish without successors may need each other for it.
    const nobody = leaving && targets.taker(going[0]!) === undefined;
    const batch = all || nobody ? going : going.slice(0, this.#size);
    return this.#give(batch, nobody ? LAST_FINISH_MS : FINISH_MS);
  }

  #successor(targets: Targets, p: Partition): string | undefined {
    if (this.giver.leaving()) return targets.taker(p);
    const home = targets.home(p);
    return home !== undefined && targets.ready(home) ? home : this.giver.id();
  }

  /** Hosts that have not taken yet what they were given. */
  #slow(): Set<string> {
    const { now } = this.table;
    for (const [p, { to, epoch }] of this.#under) {
      if (now.owner(p) !== to || now.epoch(p) > epoch) this.#under.delete(p);
    }
    if (this.#given && this.#under.size === 0) {
      this.#adapt(this.#given.size, this.#given.ms + this.clock.monotonic() - this.#given.at);
      this.#given = undefined;
    }
    return new Set([...this.#under.values()].map(({ to }) => to));
  }

  async #give(batch: readonly Partition[], withinMs: number): Promise<void> {
    this.#busy = true;
    let left: Map<Partition, Tenure> = new Map();
    try {
      const id = this.giver.id();
      const began = this.clock.monotonic();
      left = await this.tenures.release(batch, withinMs);
      // What lapsed meanwhile is not ours to give.
      const ours = this.tenures.still(left);
      if (ours.length === 0) return;
      const targets = this.giver.targets();
      await this.table.assign(ours, (table, p) =>
        table.owner(p) === id ? this.#successor(targets, p) : table.owner(p),
      );
      for (const p of ours) {
        const to = this.table.now.owner(p);
        if (to !== undefined && to !== id) this.#under.set(p, { to, epoch: this.table.now.epoch(p) });
      }
      const at = this.clock.monotonic();
      this.#given = { size: batch.length, ms: at - began, at };
    } finally {
      // If that could not be written they are still ours, and taken anew.
      this.tenures.forget(this.tenures.still(left));
      this.#busy = false;
    }
  }

  #adapt(size: number, ms: number): void {
    if (ms > PAUSE_MS) this.#size = Math.max(SMALLEST_BATCH, Math.min(this.#size, size) >> 1);
    else if (ms < PAUSE_MS / 2 && size >= this.#size) this.#size = Math.min(LARGEST_BATCH, this.#size * 2);
  }
}
