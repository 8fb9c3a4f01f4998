import type { ChangedIds } from '#model/records';
import { RecentChanges } from './recent-changes.js';

/** Records of one kind by id. */
export class DirectoryRecordCollection<Id, Entry> {
  protected readonly entries = new Map<Id, Entry>();
  protected readonly changes = new RecentChanges<Id>();

  constructor(private readonly idOf: (entry: Entry) => Id) {}

  /** Number of changes of the collection. */
  get changeCount(): number {
    return this.changes.count;
  }

  /** Ids of the records that changed after this number of changes; undefined: any may have changed. */
  changedSince(count: number): ChangedIds<Id> {
    return this.changes.since(count);
  }

  get(id: Id): Entry | undefined {
    return this.entries.get(id);
  }

  allRecords(): Iterable<Entry> {
    return this.entries.values();
  }

  put(entry: Entry): void {
    const id = this.idOf(entry);
    this.entries.set(id, entry);
    this.changes.add(id);
  }

  remove(id: Id): void {
    if (this.entries.delete(id)) this.changes.add(id);
  }
}
