/** This host's copy of the partition table, and changes to the table by compare-and-set. */
import type { Partition } from '#model';
import type { KeyValueStore } from './kv.js';
import { PARTITION_TABLE_KEY, PartitionTable } from './partition-table.js';

/** Maximum number of attempts per change of the table: any other host may write first once or twice. */
const ATTEMPTS = 20;

export class PartitionTableCopy {
  now = PartitionTable.parse(undefined);
  /** Number of this host's own writes of the table. */
  writes = 0;
  /**
   * Text of the table that this host wrote last, by which the host recognizes its own writes among the announced ones.
   */
  lastWritten: string | undefined;

  constructor(private readonly kv: KeyValueStore) {}

  /** Assigns partitions to hosts. @param owner the wanted owner of a partition, given the table being changed */
  async assign(
    partitions: readonly Partition[],
    owner: (table: PartitionTable, p: Partition) => string | undefined,
  ): Promise<void> {
    await this.#change((table) => {
      const changes = new Map(partitions.map((p) => [p, owner(table, p)]));
      return [...changes].some(([p, to]) => to !== table.owner(p)) ? table.withOwners(changes) : undefined;
    });
  }

  /** Records new epochs of the partitions for which `ours` still holds, and returns these partitions. */
  async raise(
    epochs: ReadonlyMap<Partition, number>,
    ours: (table: PartitionTable, p: Partition) => boolean,
  ): Promise<Set<Partition>> {
    let raised = new Map<Partition, number>();
    await this.#change((table) => {
      raised = new Map([...epochs].filter(([p]) => ours(table, p)));
      return raised.size > 0 ? table.withEpochs(raised) : undefined;
    });
    return new Set(raised.keys());
  }

  /** Changes the table by compare-and-set. @throws if the table can't be written now (unknown outcome) */
  async #change(change: (table: PartitionTable) => PartitionTable | undefined): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const next = change(this.now);
      if (!next) return;
      const text = next.encode();
      this.lastWritten = text;
      const revision = await this.kv.put(PARTITION_TABLE_KEY, text, next.revision);
      this.writes++;
      if (revision !== undefined) {
        this.now = next.withRevision(revision);
        return;
      }
      this.now = PartitionTable.parse(await this.kv.get(PARTITION_TABLE_KEY));
    }
    throw new Error('other hosts kept changing the partition table');
  }
}
