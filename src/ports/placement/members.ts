/**
 * The other hosts from the view of one observer. Time counts against a host only between two successful reads of the
 * keys, and never more than two heartbeat intervals. So neither a stalled observer nor unreachable keys make a host
 * look dead.
 */
import { type HostRecord, hostIdOfRecordKey, parseHostRecord, UNKNOWN_HOST_RECORD } from './host-record.js';
import type { KeyValueEntry } from './kv.js';
import type { HostLeaseTimes } from './lease.js';
import type { PartitionTable } from './partition-table.js';

export interface ClusterMember {
  readonly id: string;
  readonly value: HostRecord;
  /** Revision of the host's key; 0 if it has none. */
  readonly revision: number;
  /** Time for which the host's key has been seen unchanged, milliseconds. */
  readonly silentMs: number;
}

export class ClusterMembers {
  readonly #times: HostLeaseTimes;
  #known = new Map<string, ClusterMember>();
  /** Time at which the last read of the keys was answered; undefined if that read failed, or before the first one. */
  #observedAt: number | undefined;
  #tableExists = false;
  #tableSeen = false;
  #tableMissing = 0;

  constructor(times: HostLeaseTimes) {
    this.#times = times;
  }

  /**
   * Records a successful read of the keys.
   * @param sent monotonic time at which the read was sent, ms
   * @param now monotonic time at which the answer came, ms
   */
  observe(entries: ReadonlyMap<string, KeyValueEntry>, table: PartitionTable, sent: number, now: number): void {
    const passed =
      this.#observedAt === undefined ? 0 : Math.min(Math.max(0, sent - this.#observedAt), 2 * this.#times.renewMs);
    this.#observedAt = now;
    const members = new Map<string, ClusterMember>();
    const see = (id: string, entry: KeyValueEntry | undefined): void => {
      const before = this.#known.get(id);
      const revision = entry?.revision ?? 0;
      const same = before !== undefined && before.revision === revision;
      const silentMs = same ? before.silentMs + passed : 0;
      const value = same ? before.value : entry ? parseHostRecord(entry.value) : UNKNOWN_HOST_RECORD;
      members.set(id, { id, value, revision, silentMs });
    };
    for (const [key, entry] of entries) {
      const id = hostIdOfRecordKey(key);
      if (id !== undefined) see(id, entry);
    }
    for (const id of table.hosts()) if (!members.has(id)) see(id, undefined);
    this.#known = members;
    this.#tableMissing = table.revision === 0 ? this.#tableMissing + passed : 0;
    this.#tableExists = table.revision > 0;
    if (this.#tableExists) this.#tableSeen = true;
  }

  /** Records a failed read of the keys: the time since the last successful read must not count against any host. */
  observationFailed(): void {
    this.#observedAt = undefined;
    this.#tableMissing = 0;
    for (const member of this.#known.values()) this.#known.set(member.id, { ...member, silentMs: 0 });
  }

  /** Records our own write of a host's key. */
  recordWrite(id: string, value: HostRecord, revision: number): void {
    this.#known.set(id, { id, value, revision, silentMs: 0 });
  }

  get(id: string): ClusterMember | undefined {
    return this.#known.get(id);
  }

  all(): Iterable<ClusterMember> {
    return this.#known.values();
  }

  /** True if there is no other host, not even a dead one. */
  isAlone(self: string): boolean {
    return this.#known.size === 1 && this.#known.has(self);
  }

  /**
   * True if the partition table existed before and is missing now (the bucket was removed): its hosts may not have
   * noticed yet.
   */
  get tableLost(): boolean {
    return this.#tableSeen && !this.#tableExists && this.#tableMissing < this.#times.leaseMs;
  }

  /** Milliseconds until another host than `self` will have been silent for a whole lease. */
  nextExpiry(self: string): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { id, value, silentMs } of this.#known.values()) {
      if (value.end === null && id !== self) next = Math.min(next, this.#times.leaseMs - silentMs);
    }
    return next;
  }
}
