import type { Key } from 'lmdb';
import type { Clock } from '#base/clock';
import { pack, unpack } from './codec.js';
import type { Embedded, Table } from './embedded.js';

/** Long enough for any write of an older owner still under way. */
export const TOMBSTONE_MS = 3_600_000;
/** Tombstones removed by one transaction: bounds what a single commit may have to pay for others. */
const PURGE_AT_ONCE = 64;

/** What was buried: `['p', actor, part]` or `['m', realm, id]`. */
export type GraveKey = readonly [string, string | number, string | number];

/**
 * Tombstones, apart from what lives so that no scan meets them, with a second table in order of time for purging.
 * All methods but `rev` are called inside a write transaction.
 */
export class Graves {
  readonly #graves: Table;
  readonly #byTime: Table;
  readonly #clock: Clock;
  /** Wall time of the oldest tombstone, or later than any when there is none. */
  #oldest = 0;

  constructor(environment: Embedded, clock: Clock) {
    this.#graves = environment.table('graves');
    this.#byTime = environment.table('graves-by-time');
    this.#clock = clock;
  }

  /** The rev that a deleted record keeps, or -1. */
  rev(key: GraveKey): number {
    return this.#read(key)?.rev ?? -1;
  }

  bury(key: GraveKey, rev: number): void {
    this.unbury(key);
    const at = this.#clock.now();
    this.#graves.put(key as unknown as Key, pack([rev, at]));
    this.#byTime.put([at, ...key], pack(null));
    this.#oldest = Math.min(this.#oldest, at);
  }

  unbury(key: GraveKey): void {
    const grave = this.#read(key);
    if (!grave) return;
    this.#graves.remove(key as unknown as Key);
    this.#byTime.remove([grave.at, ...key]);
  }

  /** The tombstones of all parts of an actor that was removed. */
  clear(actor: string): void {
    const found: GraveKey[] = [];
    for (const key of this.#graves.getKeys({ start: ['p', actor, ''] })) {
      const grave = key as unknown as GraveKey;
      if (grave[0] !== 'p' || grave[1] !== actor) break;
      found.push(grave);
    }
    for (const grave of found) this.unbury(grave);
  }

  /** Drops some of the tombstones that are older than an hour. Cheap when there are none. */
  purge(): void {
    const before = this.#clock.now() - TOMBSTONE_MS;
    if (this.#oldest > before) return;
    let left = PURGE_AT_ONCE;
    for (const key of [...this.#byTime.getKeys({ limit: PURGE_AT_ONCE + 1 })]) {
      const [at, ...grave] = key as unknown as [number, ...GraveKey];
      this.#oldest = at;
      if (at > before || left-- === 0) return;
      this.#byTime.remove(key);
      this.#graves.remove(grave as unknown as Key);
    }
    this.#oldest = Number.POSITIVE_INFINITY;
  }

  #read(key: GraveKey): { rev: number; at: number } | undefined {
    const bytes = this.#graves.get(key as unknown as Key);
    if (!bytes) return undefined;
    const [rev, at] = unpack(bytes) as [number, number];
    return { rev, at };
  }
}
