import type { Json } from '#base';
import type { RealmId } from '#model';
import { type LmdbEnvironment, type LmdbTable, packJsonToBuffer, unpackJson } from '#ports/store';

/** Maximum number of entries that one transaction removes from one realm. */
const MAX_ENTRIES_TRIMMED_AT_ONCE = 128;
/**
 * Bytes before a packed entry: the wall time of its append, as a double. A time in the future was written while the
 * clock was ahead: the entry then counts as old as the next one without such a time.
 */
const ENTRY_HEADER_BYTES = 8;

interface RealmLogState {
  readonly end: number;
  readonly trimmed: number;
  /** Encoded size of all stored entries of the realm, bytes. */
  readonly storedBytes: number;
}

/** The tables of the log: entries keyed [realm, position], and the state of each realm. */
export class LmdbEventLogTables {
  readonly #entryTable: LmdbTable;
  readonly #realmStateTable: LmdbTable;
  /**
   * Position of the end up to which entries were handed to live subscribers, by realm. Later entries come from memory,
   * not from the table.
   */
  readonly #deliveredEndByRealm = new Map<RealmId, number>();

  constructor(environment: LmdbEnvironment) {
    this.#entryTable = environment.openTable('log-entries');
    this.#realmStateTable = environment.openTable('log-realms');
  }

  readRealmState(realm: RealmId): RealmLogState {
    const stored = this.#realmStateTable.get(realm);
    if (!stored) return { end: 0, trimmed: 0, storedBytes: 0 };
    const [end, trimmed, bytes] = unpackJson(stored) as [number, number, number];
    return { end, trimmed, storedBytes: bytes };
  }

  /** Returns the last position that is durable and was handed to live subscribers. */
  readDeliveredEnd(realm: RealmId): number {
    let end = this.#deliveredEndByRealm.get(realm);
    if (end === undefined) {
      end = this.readRealmState(realm).end;
      this.#deliveredEndByRealm.set(realm, end);
    }
    return end;
  }

  markDeliveredUpTo(realm: RealmId, end: number): void {
    this.#deliveredEndByRealm.set(realm, end);
  }

  listRealms(): RealmId[] {
    return [...this.#realmStateTable.getKeys()] as RealmId[];
  }

  /** Stores entries. The caller must be inside a write transaction. @returns the positions of the entries */
  appendEntries(
    batch: readonly { realm: RealmId; bytes: Buffer }[],
    now: number,
    limits: { maxAgeMs: number; maxBytes: number },
  ): number[] {
    const states = new Map<RealmId, RealmLogState>();
    const stored = batch.map(({ realm, bytes }) => {
      const before = states.get(realm) ?? this.readRealmState(realm);
      const at = before.end + 1;
      const entry = Buffer.allocUnsafe(ENTRY_HEADER_BYTES + bytes.length);
      entry.writeDoubleBE(now, 0);
      bytes.copy(entry, ENTRY_HEADER_BYTES);
      this.#entryTable.put([realm, at], entry);
      states.set(realm, { end: at, trimmed: before.trimmed, storedBytes: before.storedBytes + entry.length });
      return at;
    });
    for (const [realm, state] of states) {
      this.#writeRealmState(realm, state);
      if (state.storedBytes > limits.maxBytes) this.trimRealm(realm, now, limits);
    }
    return stored;
  }

  /**
   * Drops entries beyond the limits of age and size. Must be called inside a write transaction.
   * @returns the time in ms after which the oldest entry left is too old: Infinity if none is left, 0 if more entries
   * are to be dropped
   */
  trimRealm(realm: RealmId, now: number, limits: { maxAgeMs: number; maxBytes: number }): number {
    const { end, trimmed, storedBytes } = this.readRealmState(realm);
    this.#correctTimeOfNewestEntry(realm, end, now);
    let kept = storedBytes;
    let upTo = trimmed;
    let dueMs = Number.POSITIVE_INFINITY;
    let nextTimeUntilNow: number | undefined;
    for (const { key, value } of this.#entryTable.getRange({ start: [realm, trimmed + 1], end: [realm, end + 1] })) {
      const at = (key as number[])[1] as number;
      const time = value.readDoubleBE(0);
      nextTimeUntilNow = time > now ? (nextTimeUntilNow ?? this.#readNextTimeUntil(realm, at, end, now)) : undefined;
      const tooOldAfterMs = (nextTimeUntilNow ?? time) + limits.maxAgeMs;
      // The newest entry is never dropped for its size: otherwise no reader could read it.
      if (now <= tooOldAfterMs && (kept <= limits.maxBytes || at === end)) {
        dueMs = tooOldAfterMs;
        break;
      }
      if (at - trimmed > MAX_ENTRIES_TRIMMED_AT_ONCE) {
        dueMs = 0;
        break;
      }
      kept -= value.length;
      upTo = at;
    }
    if (upTo === trimmed) return dueMs;
    for (let at = trimmed + 1; at <= upTo; at++) this.#entryTable.remove([realm, at]);
    this.#writeRealmState(realm, { end, trimmed: upTo, storedBytes: kept });
    return dueMs;
  }

  /** Replaces a future time of the newest entry by now, so that this entry and those before it can age. */
  #correctTimeOfNewestEntry(realm: RealmId, end: number, now: number): void {
    const newest = this.#entryTable.get([realm, end]);
    if (!newest || newest.readDoubleBE(0) <= now) return;
    const corrected = Buffer.from(newest);
    corrected.writeDoubleBE(now, 0);
    this.#entryTable.put([realm, end], corrected);
  }

  /** Returns the time of the first entry after the position that has no time in the future. */
  #readNextTimeUntil(realm: RealmId, position: number, end: number, now: number): number | undefined {
    for (const { value } of this.#entryTable.getRange({ start: [realm, position + 1], end: [realm, end + 1] })) {
      const time = value.readDoubleBE(0);
      if (time <= now) return time;
    }
    return undefined;
  }

  /**
   * Reads entries above `after` up to `end`: at most `count` entries, and no further ones once they amount to `bytes`.
   */
  readEntries(realm: RealmId, after: number, end: number, count: number, bytes: number): { at: number; value: Json }[] {
    const found: { at: number; value: Json }[] = [];
    let size = 0;
    const range = { start: [realm, after + 1], end: [realm, end + 1], limit: count };
    for (const { key, value } of this.#entryTable.getRange(range)) {
      found.push({ at: (key as number[])[1] as number, value: unpackJson(value.subarray(ENTRY_HEADER_BYTES)) });
      size += value.length;
      if (size >= bytes) break;
    }
    return found;
  }

  #writeRealmState(realm: RealmId, { end, trimmed, storedBytes }: RealmLogState): void {
    this.#realmStateTable.put(realm, packJsonToBuffer([end, trimmed, storedBytes]));
  }
}
