/** Agenda of a worker: entries in order of their intended times. */

interface Entry<T> {
  readonly at: number;
  /** Equal times keep their order. */
  readonly nth: number;
  readonly item: T;
}

const before = <T>(a: Entry<T>, b: Entry<T>): boolean => a.at < b.at || (a.at === b.at && a.nth < b.nth);

/** A binary heap. */
export class Agenda<T> {
  readonly #heap: Entry<T>[] = [];
  #count = 0;

  get size(): number {
    return this.#heap.length;
  }

  /** Time of the earliest entry. */
  get next(): number | undefined {
    return this.#heap[0]?.at;
  }

  add(at: number, item: T): void {
    const heap = this.#heap;
    const entry = { at, nth: this.#count++, item };
    let i = heap.length;
    heap.push(entry);
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!before(entry, heap[parent]!)) break;
      heap[i] = heap[parent]!;
      i = parent;
    }
    heap[i] = entry;
  }

  /** Takes the earliest entry, if its time has come. */
  take(now: number): { readonly at: number; readonly item: T } | undefined {
    const heap = this.#heap;
    const first = heap[0];
    if (first === undefined || first.at > now) return undefined;
    const last = heap.pop()!;
    if (heap.length > 0) this.#sink(last);
    return first;
  }

  clear(): void {
    this.#heap.length = 0;
  }

  #sink(entry: Entry<T>): void {
    const heap = this.#heap;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++;
      if (!before(heap[child]!, entry)) break;
      heap[i] = heap[child]!;
      i = child;
    }
    heap[i] = entry;
  }
}
