/** Maps the ids in an export to the ids that the same objects get on this server. */
import { makeExportRowError } from './format/problem.js';

/** Map from ids of an export to new ids, for one kind of object. */
export class ImportedIdMap {
  readonly #ids = new Map<number, number>();

  constructor(
    /** Kind of object that the ids name, for messages to the operator. */
    private readonly kind: string,
  ) {}

  set(old: number, id: number): void {
    if (this.#ids.has(old)) throw makeExportRowError(this.kind, old, 'the id occurs twice');
    this.#ids.set(old, id);
  }

  find(old: number): number | undefined {
    return this.#ids.get(old);
  }

  /** Returns the new id of an object. @throws ExportFormatError if the export has no object with this id */
  getOrThrow(old: number, where: string): number {
    const id = this.#ids.get(old);
    if (id === undefined) throw makeExportRowError(where, old, `there is no ${this.kind} with this id`);
    return id;
  }

  get size(): number {
    return this.#ids.size;
  }
}

/** Map of message ids: both the old and the new ids ascend, so a million of them take 8 MB. */
export class ImportedMessageIdMap {
  #oldIds = new Float64Array(1024);
  #count = 0;

  /** Adds the next message. @returns the message's new id. @throws ExportFormatError if the ids don't ascend */
  add(old: number): number {
    if (this.#count > 0 && old <= this.#oldIds[this.#count - 1]!) {
      throw makeExportRowError('zerver_message', old, 'the ids of messages do not ascend');
    }
    if (this.#count === this.#oldIds.length) {
      const larger = new Float64Array(this.#count * 2);
      larger.set(this.#oldIds);
      this.#oldIds = larger;
    }
    this.#oldIds[this.#count++] = old;
    return this.#count;
  }

  find(old: number): number | undefined {
    const at = this.#findInsertPosition(old);
    return at < this.#count && this.#oldIds[at] === old ? at + 1 : undefined;
  }

  /** Returns the new id of the newest message with an old id up to this one; 0 if there is none. */
  newestIdUpTo(old: number): number {
    const at = this.#findInsertPosition(old);
    return at < this.#count && this.#oldIds[at] === old ? at + 1 : at;
  }

  get count(): number {
    return this.#count;
  }

  #findInsertPosition(old: number): number {
    let [low, high] = [0, this.#count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#oldIds[middle]! < old) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
