/**
 * Who owns each partition, and under which epoch: one small document, changed only by compare-and-set, so that every
 * change of an owner stands in one order.
 */
import { PARTITIONS, type Partition, partition } from '../core/index.js';
import type { KvEntry } from './kv.js';

export const TABLE_KEY = 'table';
const FORMAT = 1;

interface StoredTable {
  readonly v: number;
  readonly hosts: readonly string[];
  /** Index into `hosts` per partition; -1: nobody. */
  readonly owners: readonly number[];
  readonly epochs: readonly number[];
}

export const allPartitions: readonly Partition[] = Array.from({ length: PARTITIONS }, (_, i) => partition(i));

export class PartitionTable {
  private constructor(
    /** Of the key; 0: there is none yet. */
    readonly revision: number,
    private readonly owners: readonly (string | undefined)[],
    private readonly epochs: readonly number[],
  ) {}

  /** @throws Error when it is not a table, or one of a later version of the program */
  static parse(entry: KvEntry | undefined): PartitionTable {
    if (!entry) return new PartitionTable(0, new Array(PARTITIONS).fill(undefined), new Array(PARTITIONS).fill(0));
    const { v, hosts, owners, epochs } = JSON.parse(entry.value) as Partial<StoredTable>;
    if (v !== FORMAT || !hosts || owners?.length !== PARTITIONS || epochs?.length !== PARTITIONS) {
      throw new Error(`the table of partitions has a format that this version does not know (${v})`);
    }
    return new PartitionTable(
      entry.revision,
      owners.map((i) => hosts[i]),
      epochs,
    );
  }

  owner(p: Partition): string | undefined {
    return this.owners[p];
  }

  /** Largest epoch under which this partition was taken, as far as this table knows. */
  epoch(p: Partition): number {
    return this.epochs[p]!;
  }

  /** Every host that owns something. */
  hosts(): Set<string> {
    return new Set(this.owners.filter((host) => host !== undefined));
  }

  ownedBy(host: string): Partition[] {
    return allPartitions.filter((p) => this.owners[p] === host);
  }

  /** Unwritten. undefined as owner: nobody. */
  withOwners(changes: ReadonlyMap<Partition, string | undefined>): PartitionTable {
    const owners = this.owners.map((owner, p) => {
      const of = p as Partition;
      return changes.has(of) ? changes.get(of) : owner;
    });
    return new PartitionTable(this.revision, owners, this.epochs);
  }

  /** Unwritten. */
  withEpochs(changes: ReadonlyMap<Partition, number>): PartitionTable {
    const epochs = this.epochs.map((epoch, p) => Math.max(epoch, changes.get(p as Partition) ?? 0));
    return new PartitionTable(this.revision, this.owners, epochs);
  }

  withRevision(revision: number): PartitionTable {
    return new PartitionTable(revision, this.owners, this.epochs);
  }

  encode(): string {
    const hosts = [...this.hosts()].sort();
    const index = new Map(hosts.map((host, i) => [host, i]));
    const owners = this.owners.map((owner) => (owner === undefined ? -1 : index.get(owner)!));
    return JSON.stringify({ v: FORMAT, hosts, owners, epochs: this.epochs } satisfies StoredTable);
  }
}
