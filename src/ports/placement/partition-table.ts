/**
 * The partition table: the owner and the epoch of each partition, in one small document that is changed only by
 * compare-and-set, so that all changes of ownership are in one order.
 */
import { PARTITION_COUNT, type Partition, toPartition } from '#model';
import type { KeyValueEntry } from './kv.js';

export const PARTITION_TABLE_KEY = 'table';
const PARTITION_TABLE_FORMAT = 1;

interface StoredPartitionTable {
  readonly v: number;
  readonly hosts: readonly string[];
  /** Index into `hosts` of each partition's owner; -1: no owner. */
  readonly owners: readonly number[];
  readonly epochs: readonly number[];
}

export const ALL_PARTITIONS: readonly Partition[] = Array.from({ length: PARTITION_COUNT }, (_, i) => toPartition(i));

export class PartitionTable {
  private constructor(
    /** Revision of the key; 0 if the key doesn't exist. */
    readonly revision: number,
    private readonly owners: readonly (string | undefined)[],
    private readonly epochs: readonly number[],
  ) {}

  /** Parses the stored table. @throws Error if the entry isn't a table, or has the format of a later version */
  static parse(entry: KeyValueEntry | undefined): PartitionTable {
    if (!entry)
      return new PartitionTable(0, new Array(PARTITION_COUNT).fill(undefined), new Array(PARTITION_COUNT).fill(0));
    const { v, hosts, owners, epochs } = JSON.parse(entry.value) as Partial<StoredPartitionTable>;
    if (
      v !== PARTITION_TABLE_FORMAT ||
      !hosts ||
      owners?.length !== PARTITION_COUNT ||
      epochs?.length !== PARTITION_COUNT
    ) {
      throw new Error(`the partition table has a format unknown to this version (${v})`);
    }
    return new PartitionTable(
      entry.revision,
      owners.map((i) => hosts[i]),
      epochs,
    );
  }

  ownerOf(p: Partition): string | undefined {
    return this.owners[p];
  }

  /** Returns the largest epoch of the partition that this table records. */
  epochOf(p: Partition): number {
    return this.epochs[p]!;
  }

  /** Returns the hosts that own at least one partition. */
  listOwnerHosts(): Set<string> {
    return new Set(this.owners.filter((host) => host !== undefined));
  }

  listPartitionsOwnedBy(host: string): Partition[] {
    return ALL_PARTITIONS.filter((p) => this.owners[p] === host);
  }

  /**
   * Makes a copy of the table with other owners, without writing it.
   * @param changes new owner of each partition; undefined: no owner
   */
  withOwners(changes: ReadonlyMap<Partition, string | undefined>): PartitionTable {
    const owners = this.owners.map((owner, p) => {
      const of = p as Partition;
      return changes.has(of) ? changes.get(of) : owner;
    });
    return new PartitionTable(this.revision, owners, this.epochs);
  }

  /** Makes a copy of the table with other epochs, without writing it. */
  withRaisedEpochs(changes: ReadonlyMap<Partition, number>): PartitionTable {
    const epochs = this.epochs.map((epoch, p) => Math.max(epoch, changes.get(p as Partition) ?? 0));
    return new PartitionTable(this.revision, this.owners, epochs);
  }

  withRevision(revision: number): PartitionTable {
    return new PartitionTable(revision, this.owners, this.epochs);
  }

  encode(): string {
    const hosts = [...this.listOwnerHosts()].sort();
    const index = new Map(hosts.map((host, i) => [host, i]));
    const owners = this.owners.map((owner) => (owner === undefined ? -1 : index.get(owner)!));
    return JSON.stringify({
      v: PARTITION_TABLE_FORMAT,
      hosts,
      owners,
      epochs: this.epochs,
    } satisfies StoredPartitionTable);
  }
}
