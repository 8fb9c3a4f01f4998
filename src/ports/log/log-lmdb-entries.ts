import type { Json } from '#base';
import type { RealmId } from '#model';
import { type LmdbEnvironment, type LmdbTable, packJsonToBuffer, unpackJson } from '#ports/store';

/** Maximum number of entries that one transaction removes from one realm. */
const TRIM_AT_ONCE = 128;
/** Bytes before a packed entry: the wall time of its append, as a double. */
const HEADER = 8;

interface RealmLogState {
  readonly end: number;
  readonly trimmed: number;
  /** Encoded size of all stored entries of the realm, bytes. */
  readonly bytes: number;
}

export interface StoredLogPosition {
  readonly at: number;
  /** Position of the realm's end right after this entry was appended. */
  readonly end: number;
}

/** The tables of the log: entries keyed [realm, position], and the state of each realm. */
export class LmdbEventLogTables {
  readonly #entries: LmdbTable;
  readonly #states: LmdbTable;
  /**
   * Position of the end up to which entries were handed to live subscribers, by realm. Later entries come from memory,
   * not from the table.
   */
  readonly #ends = new Map<RealmId, number>();

  constructor(environment: LmdbEnvironment) {
    this.#entries = environment.table('log-entries');
    this.#states = environment.table('log-realms');
  }

  state(realm: RealmId): RealmLogState {
    const stored = this.#states.get(realm);
    if (!stored) return { end: 0, trimmed: 0, bytes: 0 };
    const [end, trimmed, bytes] = unpackJson(stored) as [number, number, number];
    return { end, trimmed, bytes };
  }

  /** Returns the last position that is durable and was handed to live subscribers. */
  end(realm: RealmId): number {
    let end = this.#ends.get(realm);
    if (end === undefined) {
      end = this.state(realm).end;
      this.#ends.set(realm, end);
    }
    return end;
  }

  markDelivered(realm: RealmId, end: number): void {
    this.#ends.set(realm, end);
  }

  realms(): RealmId[] {
    return [...this.#states.getKeys()] as RealmId[];
  }

  /** Stores entries. The caller must be inside a write transaction. */
  append(
    batch: readonly { realm: RealmId; bytes: Buffer }[],
    now: number,
    limits: { maxAgeMs: number; maxBytes: number },
  ): StoredLogPosition[] {
    const states = new Map<RealmId, RealmLogState>();
    const stored = batch.map(({ realm, bytes }) => {
      const before = states.get(realm) ?? this.state(realm);
      const at = before.end + 1;
      const entry = Buffer.allocUnsafe(HEADER + bytes.length);
      entry.writeDoubleBE(now, 0);
      bytes.copy(entry, HEADER);
      this.#entries.put([realm, at], entry);
      states.set(realm, { end: at, trimmed: before.trimmed, bytes: before.bytes + entry.length });
      return { at, end: at };
    });
    for (const [realm, state] of states) {
      this.#putState(realm, state);
      if (state.bytes > limits.maxBytes) this.trim(realm, now, limits);
    }
    return stored;
  }

  /**
   * Drops entries beyond the limits of age and size. Must be called inside a write transaction.
   * @returns true if more entries are to be dropped
   */
  trim(realm: RealmId, now: number, limits: { maxAgeMs: number; maxBytes: number }): boolean {
    const { end, trimmed, bytes } = this.state(realm);
    let kept = bytes;
    let upTo = trimmed;
    let more = false;
    for (const { key, value } of this.#entries.getRange({ start: [realm, trimmed + 1], end: [realm, end + 1] })) {
      const at = (key as number[])[1] as number;
      const old = now - value.readDoubleBE(0) > limits.maxAgeMs;
      // The newest entry is never dropped for its size: otherwise no reader could read it.
      if (!old && (kept <= limits.maxBytes || at === end)) break;
      more = at - trimmed > TRIM_AT_ONCE;
      if (more) break;
      kept -= value.length;
      upTo = at;
    }
    if (upTo === trimmed) return false;
    for (let at = trimmed + 1; at <= upTo; at++) this.#entries.remove([realm, at]);
    this.#putState(realm, { end, trimmed: upTo, bytes: kept });
    return more;
  }

  /**
   * Reads entries above `after` up to `end`: at most `count` entries, and no further ones once they amount to `bytes`.
   */
  read(realm: RealmId, after: number, end: number, count: number, bytes: number): { at: number; value: Json }[] {
    const found: { at: number; value: Json }[] = [];
    let size = 0;
    const range = { start: [realm, after + 1], end: [realm, end + 1], limit: count };
    for (const { key, value } of this.#entries.getRange(range)) {
      found.push({ at: (key as number[])[1] as number, value: unpackJson(value.subarray(HEADER)) });
      size += value.length;
      if (size >= bytes) break;
    }
    return found;
  }

  #putState(realm: RealmId, { end, trimmed, bytes }: RealmLogState): void {
    this.#states.put(realm, packJsonToBuffer([end, trimmed, bytes]));
  }
}
