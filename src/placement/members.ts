/**
 * The other hosts as one observer sees them. Time counts against a host only while the observer looks: between two
 * looks that both succeeded, and no more of it than looks usually are apart. So neither an observer that stood still
 * nor keys that could not be reached make anybody look dead.
 */
import { type HostRecord, hostOfKey, parseHost, UNKNOWN_HOST } from './host-record.js';
import type { KvEntry } from './kv.js';
import type { LeaseTimes } from './lease.js';
import type { PartitionTable } from './partition-table.js';

export interface Member {
  readonly id: string;
  readonly value: HostRecord;
  /** Of its key; 0: it has none. */
  readonly revision: number;
  /** How long its key has been seen unchanged. */
  readonly silentMs: number;
}

export class Members {
  readonly #times: LeaseTimes;
  #known = new Map<string, Member>();
  /** When the answer to the last look came; undefined: it failed, or there was none. */
  #observedAt: number | undefined;
  #tableExists = false;
  #tableSeen = false;
  #tableMissing = 0;

  constructor(times: LeaseTimes) {
    this.#times = times;
  }

  /** @param sent when the look was begun, @param now when its answer came; monotonic */
  observe(entries: ReadonlyMap<string, KvEntry>, table: PartitionTable, sent: number, now: number): void {
    const passed =
      this.#observedAt === undefined ? 0 : Math.min(Math.max(0, sent - this.#observedAt), 2 * this.#times.renewMs);
    this.#observedAt = now;
    const members = new Map<string, Member>();
    const see = (id: string, entry: KvEntry | undefined): void => {
      const before = this.#known.get(id);
      const revision = entry?.revision ?? 0;
      const same = before !== undefined && before.revision === revision;
      const silentMs = same ? before.silentMs + passed : 0;
      const value = same ? before.value : entry ? parseHost(entry.value) : UNKNOWN_HOST;
      members.set(id, { id, value, revision, silentMs });
    };
    for (const [key, entry] of entries) {
      const id = hostOfKey(key);
      if (id !== undefined) see(id, entry);
    }
    for (const id of table.hosts()) if (!members.has(id)) see(id, undefined);
    this.#known = members;
    this.#tableMissing = table.revision === 0 ? this.#tableMissing + passed : 0;
    this.#tableExists = table.revision > 0;
    if (this.#tableExists) this.#tableSeen = true;
  }

  /** A look that failed: it is not known what happened meanwhile. */
  observationFailed(): void {
    this.#observedAt = undefined;
    this.#tableMissing = 0;
    for (const member of this.#known.values()) this.#known.set(member.id, { ...member, silentMs: 0 });
  }

  /** We wrote it ourselves. */
  recordWrite(id: string, value: HostRecord, revision: number): void {
    this.#known.set(id, { id, value, revision, silentMs: 0 });
  }

  get(id: string): Member | undefined {
    return this.#known.get(id);
  }

  all(): Iterable<Member> {
    return this.#known.values();
  }

  /** There is nobody else, not even of the dead. */
  isAlone(self: string): boolean {
    return this.#known.size === 1 && this.#known.has(self);
  }

  /** A table that was there and is gone (somebody removed the bucket): its hosts may not have noticed yet. */
  get tableLost(): boolean {
    return this.#tableSeen && !this.#tableExists && this.#tableMissing < this.#times.leaseMs;
  }

  /** Milliseconds until somebody else than `self` will have been silent for a whole lease. */
  nextExpiry(self: string): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { id, value, silentMs } of this.#known.values()) {
      if (value.end === null && id !== self) next = Math.min(next, this.#times.leaseMs - silentMs);
    }
    return next;
  }
}
