/** Records of one kind by id. `version` counts the changes of the collection. */
export class DirectoryRecordCollection<Id, Entry> {
  version = 0;
  protected readonly entries = new Map<Id, Entry>();

  constructor(private readonly idOf: (entry: Entry) => Id) {}

  get(id: Id): Entry | undefined {
    return this.entries.get(id);
  }

  all(): Iterable<Entry> {
    return this.entries.values();
  }

  put(entry: Entry): void {
    this.entries.set(this.idOf(entry), entry);
    this.version++;
  }

  remove(id: Id): void {
    if (this.entries.delete(id)) this.version++;
  }
}
