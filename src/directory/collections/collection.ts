/** Records of one kind by id. `changeCount` counts the changes of the collection. */
export class DirectoryRecordCollection<Id, Entry> {
  changeCount = 0;
  protected readonly entries = new Map<Id, Entry>();

  constructor(private readonly idOf: (entry: Entry) => Id) {}

  get(id: Id): Entry | undefined {
    return this.entries.get(id);
  }

  allRecords(): Iterable<Entry> {
    return this.entries.values();
  }

  put(entry: Entry): void {
    this.entries.set(this.idOf(entry), entry);
    this.changeCount++;
  }

  remove(id: Id): void {
    if (this.entries.delete(id)) this.changeCount++;
  }
}
