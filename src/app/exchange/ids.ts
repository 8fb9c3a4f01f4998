/** Maps the ids in an export to the ids that the same objects get on this server. */
import { withDoubledLength } from '#base';
import { makeExportRowError } from './format/problem.js';
import type { CheckedExportRow } from './format/row.js';

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

  /**
   * Returns the new id of the object that a row names. @param old the id in the export, if it is not the column's value
   * @throws ExportFormatError if the export has no object with this id
   */
  requireNewId(row: CheckedExportRow, column: string, old = row.requireNonNegativeInteger(column)): number {
    const id = this.#newIdByOldId.get(old);
    if (id === undefined) throw row.makeRowError(`${column}: there is no ${this.kind} with id ${old}`);
    return id;
  }

  get mappedCount(): number {
    return this.#newIdByOldId.size;
  }
}

/**
 * Map of message ids. New ids ascend with the order of assignment. Old ids usually do, too: then a million of them take
 * 8 MB. An export that is sorted by date may have old ids in any order; an index of 4 MB more finds them.
 */
export class ImportedMessageIdMap {
  /** Old ids in the order of the new ones, which begin at 1. */
  #oldIds = new Float64Array(1024);
  #mappedCount = 0;
  #isAscending = true;
  /** Positions in `#oldIds`, sorted by old id; undefined while the old ids ascend, or until the first look-up. */
  #positionsByOldId: Uint32Array | undefined;

  /**
   * Adds the next message. @param mayDescend whether its old id may be below that of the message before
   * @returns the message's new id
   * @throws ExportFormatError if the ids don't ascend
   */
  assignNextNewId(old: number, mayDescend = false): number {
    if (this.#mappedCount > 0 && old <= this.#oldIds[this.#mappedCount - 1]!) {
      if (!mayDescend) throw makeExportRowError('zerver_message', old, 'the ids of messages do not ascend');
      this.#isAscending = false;
    }
    if (this.#mappedCount === this.#oldIds.length) this.#oldIds = withDoubledLength(this.#oldIds);
    this.#oldIds[this.#mappedCount++] = old;
    this.#positionsByOldId = undefined;
    return this.#mappedCount;
  }

  findNewId(old: number): number | undefined {
    if (!this.#isAscending) this.#positionsByOldId ??= this.#sortPositions();
    const at = this.#findFirstIndexNotBelow(old);
    if (at === this.#mappedCount || this.#oldIdAt(at) !== old) return undefined;
    return (this.#positionsByOldId?.[at] ?? at) + 1;
  }

  get mappedCount(): number {
    return this.#mappedCount;
  }

  #oldIdAt(index: number): number {
    return this.#oldIds[this.#positionsByOldId?.[index] ?? index]!;
  }

  /** @throws ExportFormatError if an id occurs twice */
  #sortPositions(): Uint32Array {
    const sorted = Uint32Array.from({ length: this.#mappedCount }, (_, at) => at);
    sorted.sort((a, b) => this.#oldIds[a]! - this.#oldIds[b]!);
    for (let i = 1; i < sorted.length; i++) {
      const old = this.#oldIds[sorted[i]!]!;
      if (old === this.#oldIds[sorted[i - 1]!]) throw makeExportRowError('zerver_message', old, 'the id occurs twice');
    }
    return sorted;
  }

  #findFirstIndexNotBelow(old: number): number {
    let [low, high] = [0, this.#mappedCount];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#oldIdAt(middle) < old) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
