import type { Key } from 'lmdb';
import type { Clock } from '#base/clock';
import { packJsonToBuffer, unpackJson } from './codec.js';
import type { LmdbEnvironment, LmdbTable } from './lmdb-environment.js';

/** Lifetime of a tombstone, ms: longer than any write of an older owner can stay in flight. */
const TOMBSTONE_LIFETIME_MS = 3_600_000;
/** Maximum of tombstones removed per transaction, which bounds the extra cost of a single commit. */
const MAX_TOMBSTONES_PURGED_AT_ONCE = 64;

/** Key of a deleted record: `['p', actor, part]` or `['m', realm, id]`. */
type TombstoneKey = readonly [string, string | number, string | number];

/**
 * Tombstones of deleted records, in a table apart from live records so that no scan reads them. A second table orders
 * them by time, for purging. All methods except `rev` must be called inside a write transaction.
 */
export class LmdbTombstoneTable {
  readonly #tombstoneTable: LmdbTable;
  readonly #tombstonesByTimeTable: LmdbTable;
  readonly #clock: Clock;
  /** Lower bound of the wall time of the oldest tombstone; infinite when there is none. */
  #oldestTombstoneAt = 0;

  constructor(environment: LmdbEnvironment, clock: Clock) {
    this.#tombstoneTable = environment.openTable('graves');
    this.#tombstonesByTimeTable = environment.openTable('graves-by-time');
    this.#clock = clock;
  }

  /** Returns the revision of a deleted record; -1 if there is no tombstone. */
  readRevision(key: TombstoneKey): number {
    return this.#readTombstone(key)?.rev ?? -1;
  }

  addTombstone(key: TombstoneKey, rev: number): void {
    this.removeTombstone(key);
    const at = this.#clock.now();
    this.#tombstoneTable.put(key as unknown as Key, packJsonToBuffer([rev, at]));
    this.#tombstonesByTimeTable.put([at, ...key], packJsonToBuffer(null));
    this.#oldestTombstoneAt = Math.min(this.#oldestTombstoneAt, at);
  }

  removeTombstone(key: TombstoneKey): void {
    const tombstone = this.#readTombstone(key);
    if (!tombstone) return;
    this.#tombstoneTable.remove(key as unknown as Key);
    this.#tombstonesByTimeTable.remove([tombstone.at, ...key]);
  }

  /** Removes the tombstones of all parts of a removed actor. */
  removePartTombstonesOfActor(actor: string): void {
    const found: TombstoneKey[] = [];
    for (const key of this.#tombstoneTable.getKeys({ start: ['p', actor, ''] })) {
      const part = key as unknown as TombstoneKey;
      if (part[0] !== 'p' || part[1] !== actor) break;
      found.push(part);
    }
    for (const part of found) this.removeTombstone(part);
  }

  /** Removes some of the tombstones older than an hour. The call is cheap when there are none. */
  purgeSomeOldTombstones(): void {
    const before = this.#clock.now() - TOMBSTONE_LIFETIME_MS;
    if (this.#oldestTombstoneAt > before) return;
    let left = MAX_TOMBSTONES_PURGED_AT_ONCE;
    for (const key of [...this.#tombstonesByTimeTable.getKeys({ limit: MAX_TOMBSTONES_PURGED_AT_ONCE + 1 })]) {
      const [at, ...record] = key as unknown as [number, ...TombstoneKey];
      this.#oldestTombstoneAt = at;
      if (at > before || left-- === 0) return;
      this.#tombstonesByTimeTable.remove(key);
      this.#tombstoneTable.remove(record as unknown as Key);
    }
    this.#oldestTombstoneAt = Number.POSITIVE_INFINITY;
  }

  #readTombstone(key: TombstoneKey): { rev: number; at: number } | undefined {
    const bytes = this.#tombstoneTable.get(key as unknown as Key);
    if (!bytes) return undefined;
    const [rev, at] = unpackJson(bytes) as [number, number];
    return { rev, at };
  }
}
