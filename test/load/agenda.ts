/** Agenda of a worker: a priority queue of tasks by intended time. */

interface AgendaEntry<T> {
  readonly at: number;
  /** Order of addition, for tasks with equal times. */
  readonly sequence: number;
  readonly item: T;
}

const isEarlier = <T>(a: AgendaEntry<T>, b: AgendaEntry<T>): boolean =>
  a.at < b.at || (a.at === b.at && a.sequence < b.sequence);

/** Priority queue as a binary heap: adding and taking are logarithmic, with tens of thousands of tasks. */
export class Agenda<T> {
  readonly #heap: AgendaEntry<T>[] = [];
  #addedTasks = 0;

  get size(): number {
    return this.#heap.length;
  }

  /** Intended time of the earliest task; undefined if there is none. */
  get next(): number | undefined {
    return this.#heap[0]?.at;
  }

  add(at: number, item: T): void {
    const heap = this.#heap;
    const entry = { at, sequence: this.#addedTasks++, item };
    let i = heap.length;
    heap.push(entry);
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!isEarlier(entry, heap[parent]!)) break;
      heap[i] = heap[parent]!;
      i = parent;
    }
    heap[i] = entry;
  }

  /** Removes and returns the earliest task if its intended time is not after `now`. */
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

  #sink(entry: AgendaEntry<T>): void {
    const heap = this.#heap;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isEarlier(heap[child + 1]!, heap[child]!)) child++;
      if (!isEarlier(heap[child]!, entry)) break;
      heap[i] = heap[child]!;
      i = child;
    }
    heap[i] = entry;
  }
}
