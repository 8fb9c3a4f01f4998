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
  readonly #leaseTimes: HostLeaseTimes;
  #membersById = new Map<string, ClusterMember>();
  /** Time at which the last read of the keys was answered; undefined if that read failed, or before the first one. */
  #lastReadAnsweredAt: number | undefined;
  #doesTableExist = false;
  #wasTableEverSeen = false;
  #tableMissingMs = 0;

  constructor(times: HostLeaseTimes) {
    this.#leaseTimes = times;
  }

  /**
   * Records a successful read of the keys.
   * @param sent monotonic time at which the read was sent, ms
   * @param now monotonic time at which the answer came, ms
   */
  recordRead(entries: ReadonlyMap<string, KeyValueEntry>, table: PartitionTable, sent: number, now: number): void {
    const passed =
      this.#lastReadAnsweredAt === undefined
        ? 0
        : Math.min(Math.max(0, sent - this.#lastReadAnsweredAt), 2 * this.#leaseTimes.renewMs);
    this.#lastReadAnsweredAt = now;
    const members = new Map<string, ClusterMember>();
    const recordHost = (id: string, entry: KeyValueEntry | undefined): void => {
      const before = this.#membersById.get(id);
      const revision = entry?.revision ?? 0;
      const same = before !== undefined && before.revision === revision;
      const silentMs = same ? before.silentMs + passed : 0;
      const value = same ? before.value : entry ? parseHostRecord(entry.value) : UNKNOWN_HOST_RECORD;
      members.set(id, { id, value, revision, silentMs });
    };
    for (const [key, entry] of entries) {
      const id = hostIdOfRecordKey(key);
      if (id !== undefined) recordHost(id, entry);
    }
    for (const id of table.listOwnerHosts()) if (!members.has(id)) recordHost(id, undefined);
    this.#membersById = members;
    this.#tableMissingMs = table.revision === 0 ? this.#tableMissingMs + passed : 0;
    this.#doesTableExist = table.revision > 0;
    if (this.#doesTableExist) this.#wasTableEverSeen = true;
  }

  /** Records a failed read of the keys: the time since the last successful read must not count against any host. */
  recordFailedRead(): void {
    this.#lastReadAnsweredAt = undefined;
    this.#tableMissingMs = 0;
    for (const member of this.#membersById.values()) this.#membersById.set(member.id, { ...member, silentMs: 0 });
  }

  /** Records our own write of a host's key. */
  recordHostWrite(id: string, value: HostRecord, revision: number): void {
    this.#membersById.set(id, { id, value, revision, silentMs: 0 });
  }

  findMember(id: string): ClusterMember | undefined {
    return this.#membersById.get(id);
  }

  listMembers(): Iterable<ClusterMember> {
    return this.#membersById.values();
  }

  /** True if there is no other host, not even a dead one. */
  isOnlyMember(self: string): boolean {
    return this.#membersById.size === 1 && this.#membersById.has(self);
  }

  /**
   * True if the partition table existed before and is missing now (the bucket was removed): its hosts may not have
   * noticed yet.
   */
  get isTableRecentlyLost(): boolean {
    return this.#wasTableEverSeen && !this.#doesTableExist && this.#tableMissingMs < this.#leaseTimes.leaseMs;
  }

  /** Milliseconds until another host than `self` will have been silent for a whole lease. */
  msUntilNextExpiry(self: string): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { id, value, silentMs } of this.#membersById.values()) {
      if (value.end === null && id !== self) next = Math.min(next, this.#leaseTimes.leaseMs - silentMs);
    }
    return next;
  }
}
