/** The table as this host knows it, and its changes by compare-and-set. */
import type { Partition } from '../core/index.js';
import type { KeyValue } from './kv.js';
import { PartitionTable, TABLE_KEY } from './partition-table.js';

/** Every other host may come first once or twice. */
const ATTEMPTS = 20;

export class OwnershipTable {
  now = PartitionTable.parse(undefined);
  /** Counts what we wrote. */
  writes = 0;
  /** To tell our own writes among those that are announced. */
  lastWritten: string | undefined;

  constructor(private readonly kv: KeyValue) {}

  /** @param owner who shall own this partition, by the table that is being changed */
  async assign(
    partitions: readonly Partition[],
    owner: (table: PartitionTable, p: Partition) => string | undefined,
  ): Promise<void> {
    await this.#change((table) => {
      const changes = new Map(partitions.map((p) => [p, owner(table, p)]));
      return [...changes].some(([p, to]) => to !== table.owner(p)) ? table.withOwners(changes) : undefined;
    });
  }

  /** Note epochs that were handed out, for those to which `ours` still applies. @returns these */
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

  /** @throws when it can't be written now; whether it was is not known then */
  async #change(change: (table: PartitionTable) => PartitionTable | undefined): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const next = change(this.now);
      if (!next) return;
      const text = next.encode();
      this.lastWritten = text;
      const revision = await this.kv.put(TABLE_KEY, text, next.revision);
      this.writes++;
      if (revision !== undefined) {
        this.now = next.withRevision(revision);
        return;
      }
      this.now = PartitionTable.parse(await this.kv.get(TABLE_KEY));
    }
    throw new Error('others changed the table again and again');
  }
}
