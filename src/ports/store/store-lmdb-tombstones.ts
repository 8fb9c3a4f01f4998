import type { Key } from 'lmdb';
import type { Clock } from '#base/clock';
import { packJsonToBuffer, unpackJson } from './codec.js';
import type { LmdbEnvironment, LmdbTable } from './lmdb-environment.js';

/** Lifetime of a tombstone, ms: longer than any write of an older owner can stay in flight. */
const TOMBSTONE_LIFETIME_MS = 3_600_000;
/** Maximum of tombstones removed per transaction, which bounds the extra cost of a single commit. */
const PURGE_AT_ONCE = 64;

/** Key of a deleted record: `['p', actor, part]` or `['m', realm, id]`. */
type TombstoneKey = readonly [string, string | number, string | number];

/**
 * Tombstones of deleted records, in a table apart from live records so that no scan reads them. A second table orders
 * them by time, for purging. All methods except `rev` must be called inside a write transaction.
 */
export class LmdbTombstoneTable {
  readonly #tombstones: LmdbTable;
  readonly #byTime: LmdbTable;
  readonly #clock: Clock;
  /** Lower bound of the wall time of the oldest tombstone; infinite when there is none. */
  #oldest = 0;

  constructor(environment: LmdbEnvironment, clock: Clock) {
    this.#tombstones = environment.table('graves');
    this.#byTime = environment.table('graves-by-time');
    this.#clock = clock;
  }

  /** Returns the revision of a deleted record; -1 if there is no tombstone. */
  rev(key: TombstoneKey): number {
    return this.#read(key)?.rev ?? -1;
  }

  put(key: TombstoneKey, rev: number): void {
    this.remove(key);
    const at = this.#clock.now();
    this.#tombstones.put(key as unknown as Key, packJsonToBuffer([rev, at]));
    this.#byTime.put([at, ...key], packJsonToBuffer(null));
    this.#oldest = Math.min(this.#oldest, at);
  }

  remove(key: TombstoneKey): void {
    const tombstone = this.#read(key);
    if (!tombstone) return;
    this.#tombstones.remove(key as unknown as Key);
    this.#byTime.remove([tombstone.at, ...key]);
  }

  /** Removes the tombstones of all parts of a removed actor. */
  removeParts(actor: string): void {
    const found: TombstoneKey[] = [];
    for (const key of this.#tombstones.getKeys({ start: ['p', actor, ''] })) {
      const part = key as unknown as TombstoneKey;
      if (part[0] !== 'p' || part[1] !== actor) break;
      found.push(part);
    }
    for (const part of found) this.remove(part);
  }

  /** Removes some of the tombstones older than an hour. The call is cheap when there are none. */
  purge(): void {
    const before = this.#clock.now() - TOMBSTONE_LIFETIME_MS;
    if (this.#oldest > before) return;
    let left = PURGE_AT_ONCE;
    for (const key of [...this.#byTime.getKeys({ limit: PURGE_AT_ONCE + 1 })]) {
      const [at, ...record] = key as unknown as [number, ...TombstoneKey];
      this.#oldest = at;
      if (at > before || left-- === 0) return;
      this.#byTime.remove(key);
      this.#tombstones.remove(record as unknown as Key);
    }
    this.#oldest = Number.POSITIVE_INFINITY;
  }

  #read(key: TombstoneKey): { rev: number; at: number } | undefined {
    const bytes = this.#tombstones.get(key as unknown as Key);
    if (!bytes) return undefined;
    const [rev, at] = unpackJson(bytes) as [number, number];
    return { rev, at };
  }
}
