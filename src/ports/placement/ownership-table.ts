/** This host's copy of the partition table, and changes to the table by compare-and-set. */
import type { Partition } from '#model';
import type { KeyValueStore } from './kv.js';
import { PARTITION_TABLE_KEY, PartitionTable } from './partition-table.js';

/** Maximum number of attempts per change of the table: any other host may write first once or twice. */
const MAX_TABLE_WRITE_ATTEMPTS = 20;

export class PartitionTableCopy {
  currentTable = PartitionTable.parse(undefined);
  /** Number of this host's own writes of the table. */
  ownWriteCount = 0;
  /**
   * Text of the table that this host wrote last, by which the host recognizes its own writes among the announced ones.
   */
  lastWrittenText: string | undefined;

  constructor(private readonly kv: KeyValueStore) {}

  /** Assigns partitions to hosts. @param owner the wanted owner of a partition, given the table being changed */
  async assignOwners(
    partitions: readonly Partition[],
    owner: (table: PartitionTable, p: Partition) => string | undefined,
  ): Promise<void> {
    await this.#changeTable((table) => {
      const changes = new Map(partitions.map((p) => [p, owner(table, p)]));
      return [...changes].some(([p, to]) => to !== table.ownerOf(p)) ? table.withOwners(changes) : undefined;
    });
  }

  /** Records new epochs of the partitions for which `ours` still holds, and returns these partitions. */
  async raiseRecordedEpochs(
    epochs: ReadonlyMap<Partition, number>,
    ours: (table: PartitionTable, p: Partition) => boolean,
  ): Promise<Set<Partition>> {
    let raised = new Map<Partition, number>();
    await this.#changeTable((table) => {
      raised = new Map([...epochs].filter(([p]) => ours(table, p)));
      return raised.size > 0 ? table.withRaisedEpochs(raised) : undefined;
    });
    return new Set(raised.keys());
  }

  /** Changes the table by compare-and-set. @throws if the table can't be written now (unknown outcome) */
  async #changeTable(change: (table: PartitionTable) => PartitionTable | undefined): Promise<void> {
    for (let attempt = 0; attempt < MAX_TABLE_WRITE_ATTEMPTS; attempt++) {
      const next = change(this.currentTable);
      if (!next) return;
      const text = next.encode();
      this.lastWrittenText = text;
      const revision = await this.kv.put(PARTITION_TABLE_KEY, text, next.revision);
      this.ownWriteCount++;
      if (revision !== undefined) {
        this.currentTable = next.withRevision(revision);
        return;
      }
      this.currentTable = PartitionTable.parse(await this.kv.get(PARTITION_TABLE_KEY));
    }
    throw new Error('other hosts kept changing the partition table');
  }
}
