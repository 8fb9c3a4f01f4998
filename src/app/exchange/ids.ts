/** Maps the ids in an export to the ids that the same objects get on this server. */
import { makeExportRowError } from './format/problem.js';

/** Map from ids of an export to new ids, for one kind of object. */
export class ImportedIdMap {
  readonly #newIdByOldId = new Map<number, number>();

  constructor(
    /** Kind of object that the ids name, for messages to the operator. */
    private readonly kind: string,
  ) {}

  addNewId(old: number, id: number): void {
    if (this.#newIdByOldId.has(old)) throw makeExportRowError(this.kind, old, 'the id occurs twice');
    this.#newIdByOldId.set(old, id);
  }

  findNewId(old: number): number | undefined {
    return this.#newIdByOldId.get(old);
  }

  /** Returns the new id of an object. @throws ExportFormatError if the export has no object with this id */
  requireNewId(old: number, where: string): number {
    const id = this.#newIdByOldId.get(old);
    if (id === undefined) throw makeExportRowError(where, old, `there is no ${this.kind} with this id`);
    return id;
  }

  get mappedCount(): number {
    return this.#newIdByOldId.size;
  }
}

/** Map of message ids: both the old and the new ids ascend, so a million of them take 8 MB. */
export class ImportedMessageIdMap {
  #ascendingOldIds = new Float64Array(1024);
  #mappedCount = 0;

  /** Adds the next message. @returns the message's new id. @throws ExportFormatError if the ids don't ascend */
  assignNextNewId(old: number): number {
    if (this.#mappedCount > 0 && old <= this.#ascendingOldIds[this.#mappedCount - 1]!) {
      throw makeExportRowError('zerver_message', old, 'the ids of messages do not ascend');
    }
    if (this.#mappedCount === this.#ascendingOldIds.length) {
      const larger = new Float64Array(this.#mappedCount * 2);
      larger.set(this.#ascendingOldIds);
      this.#ascendingOldIds = larger;
    }
    this.#ascendingOldIds[this.#mappedCount++] = old;
    return this.#mappedCount;
  }

  findNewId(old: number): number | undefined {
    const at = this.#findFirstIndexNotBelow(old);
    return at < this.#mappedCount && this.#ascendingOldIds[at] === old ? at + 1 : undefined;
  }

  /** Returns the new id of the newest message with an old id up to this one; 0 if there is none. */
  newIdOfNewestUpTo(old: number): number {
    const at = this.#findFirstIndexNotBelow(old);
    return at < this.#mappedCount && this.#ascendingOldIds[at] === old ? at + 1 : at;
  }

  get mappedCount(): number {
    return this.#mappedCount;
  }

  #findFirstIndexNotBelow(old: number): number {
    let [low, high] = [0, this.#mappedCount];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#ascendingOldIds[middle]! < old) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
