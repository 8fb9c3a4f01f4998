/**
 * Handing partitions over to the hosts to which they belong: one batch at a time, whose size follows the time that the
 * last one took, and to each host no more than it has taken of the batch before.
 */
import type { Clock } from '../clock/index.js';
import type { Partition } from '../core/index.js';
import type { DesiredOwners } from './desired-owners.js';
import type { OwnedPartitions, Ownership } from './owned-partitions.js';
import type { OwnershipTable } from './ownership-table.js';

/** Smaller ones would not be quicker. */
const MIN_BATCH = 4;
const MAX_BATCH = 32;
/** A batch should pause its partitions for no longer; a much shorter one may be larger. Milliseconds. */
const PAUSE_MS = 80;
/** For what was begun, when somebody waits to go on with it: what is not finished then, the next owner finishes. */
const FINISH_MS = 2_000;
/** The same, when nobody will be there to go on. */
const LAST_FINISH_MS = 10_000;

export interface HandoverContext {
  /** Of the host that hands over. */
  id(): string;
  /** It ends: everything goes, to whomever. */
  isLeaving(): boolean;
  /** It has more urgent things to do than to balance. */
  isRecovering(): boolean;
  desiredOwners(): DesiredOwners;
}

export class Handover {
  #size = MIN_BATCH;
  #busy = false;
  /** The last batch, until it was taken: what handing over took, and since when it is with the others. */
  #lastBatch: { readonly size: number; readonly ms: number; readonly at: number } | undefined;
  /** Handed over and not taken yet: to whom, and the epoch that it will exceed when it was. */
  readonly #untaken = new Map<Partition, { readonly to: string; readonly epoch: number }>();

  constructor(
    private readonly clock: Clock,
    private readonly table: OwnershipTable,
    private readonly owned: OwnedPartitions,
    private readonly context: HandoverContext,
  ) {}

  /** The next batch, begun; undefined: there is nothing to do, or one is under way. @param all without waiting */
  next(all: boolean): Promise<void> | undefined {
    const leaving = this.context.isLeaving();
    if (this.#busy || (this.context.isRecovering() && !leaving)) return undefined;
    const desired = this.context.desiredOwners();
    const serving = this.owned.serving();
    const busy = all ? new Set<string>() : this.#slowTakers();
    const going = serving.filter((p) => {
      const to = this.#successor(desired, p);
      return to === undefined ? leaving : to !== this.context.id() && !busy.has(to);
    });
    if (going.length === 0) return undefined;
    // Those who must finish without successors may need each other for it.
    const nobody = leaving && desired.taker(going[0]!) === undefined;
    const batch = all || nobody ? going : going.slice(0, this.#size);
    return this.#handOver(batch, nobody ? LAST_FINISH_MS : FINISH_MS);
  }

  #successor(desired: DesiredOwners, p: Partition): string | undefined {
    if (this.context.isLeaving()) return desired.taker(p);
    const home = desired.home(p);
    return home !== undefined && desired.canTake(home) ? home : this.context.id();
  }

  /** Hosts that have not taken yet what they were given. */
  #slowTakers(): Set<string> {
    const { now } = this.table;
    for (const [p, { to, epoch }] of this.#untaken) {
      if (now.owner(p) !== to || now.epoch(p) > epoch) this.#untaken.delete(p);
    }
    if (this.#lastBatch && this.#untaken.size === 0) {
      this.#adapt(this.#lastBatch.size, this.#lastBatch.ms + this.clock.monotonic() - this.#lastBatch.at);
      this.#lastBatch = undefined;
    }
    return new Set([...this.#untaken.values()].map(({ to }) => to));
  }

  async #handOver(batch: readonly Partition[], withinMs: number): Promise<void> {
    this.#busy = true;
    let left: Map<Partition, Ownership> = new Map();
    try {
      const id = this.context.id();
      const began = this.clock.monotonic();
      left = await this.owned.release(batch, withinMs);
      // What lapsed meanwhile is not ours to give.
      const ours = this.owned.stillOwned(left);
      if (ours.length === 0) return;
      const desired = this.context.desiredOwners();
      await this.table.assign(ours, (table, p) =>
        table.owner(p) === id ? this.#successor(desired, p) : table.owner(p),
      );
      for (const p of ours) {
        const to = this.table.now.owner(p);
        if (to !== undefined && to !== id) this.#untaken.set(p, { to, epoch: this.table.now.epoch(p) });
      }
      const at = this.clock.monotonic();
      this.#lastBatch = { size: batch.length, ms: at - began, at };
    } finally {
      // If that could not be written they are still ours, and taken anew.
      this.owned.forget(this.owned.stillOwned(left));
      this.#busy = false;
    }
  }

  #adapt(size: number, ms: number): void {
    if (ms > PAUSE_MS) this.#size = Math.max(MIN_BATCH, Math.min(this.#size, size) >> 1);
    else if (ms < PAUSE_MS / 2 && size >= this.#size) this.#size = Math.min(MAX_BATCH, this.#size * 2);
  }
}
