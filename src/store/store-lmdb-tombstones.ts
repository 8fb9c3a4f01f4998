import type { Key } from 'lmdb';
import type { Clock } from '../clock/index.js';
import { pack, unpack } from './codec.js';
import type { LmdbEnvironment, LmdbTable } from './lmdb-environment.js';

/** Long enough for any write of an older owner still under way. */
export const TOMBSTONE_MS = 3_600_000;
/** Tombstones removed by one transaction: bounds what a single commit may have to pay for others. */
const PURGE_AT_ONCE = 64;

/** What was buried: `['p', actor, part]` or `['m', realm, id]`. */
export type TombstoneKey = readonly [string, string | number, string | number];

/**
 * Tombstones, apart from what lives so that no scan meets them, with a second table in order of time for purging.
 * All methods but `rev` are called inside a write transaction.
 */
export class Tombstones {
  readonly #tombstones: LmdbTable;
  readonly #byTime: LmdbTable;
  readonly #clock: Clock;
  /** Wall time of the oldest tombstone, or later than any when there is none. */
  #oldest = 0;

  constructor(environment: LmdbEnvironment, clock: Clock) {
    this.#tombstones = environment.table('graves');
    this.#byTime = environment.table('graves-by-time');
    this.#clock = clock;
  }

  /** The rev that a deleted record keeps, or -1. */
  rev(key: TombstoneKey): number {
    return this.#read(key)?.rev ?? -1;
  }

  put(key: TombstoneKey, rev: number): void {
    this.remove(key);
    const at = this.#clock.now();
    this.#tombstones.put(key as unknown as Key, pack([rev, at]));
    this.#byTime.put([at, ...key], pack(null));
    this.#oldest = Math.min(this.#oldest, at);
  }

  remove(key: TombstoneKey): void {
    const grave = this.#read(key);
    if (!grave) return;
    this.#tombstones.remove(key as unknown as Key);
    this.#byTime.remove([grave.at, ...key]);
  }

  /** The tombstones of all parts of an actor that was removed. */
  removeParts(actor: string): void {
    const found: TombstoneKey[] = [];
    for (const key of this.#tombstones.getKeys({ start: ['p', actor, ''] })) {
      const grave = key as unknown as TombstoneKey;
      if (grave[0] !== 'p' || grave[1] !== actor) break;
      found.push(grave);
    }
    for (const grave of found) this.remove(grave);
  }

  /** Drops some of the tombstones that are older than an hour. Cheap when there are none. */
  purge(): void {
    const before = this.#clock.now() - TOMBSTONE_MS;
    if (this.#oldest > before) return;
    let left = PURGE_AT_ONCE;
    for (const key of [...this.#byTime.getKeys({ limit: PURGE_AT_ONCE + 1 })]) {
      const [at, ...grave] = key as unknown as [number, ...TombstoneKey];
      this.#oldest = at;
      if (at > before || left-- === 0) return;
      this.#byTime.remove(key);
      this.#tombstones.remove(grave as unknown as Key);
    }
    this.#oldest = Number.POSITIVE_INFINITY;
  }

  #read(key: TombstoneKey): { rev: number; at: number } | undefined {
    const bytes = this.#tombstones.get(key as unknown as Key);
    if (!bytes) return undefined;
    const [rev, at] = unpack(bytes) as [number, number];
    return { rev, at };
  }
}
