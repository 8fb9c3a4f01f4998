/** Time slicing: long loops yield to the event loop between slices, so that other requests get their turn. */

/** Length of a slice in ms: a tenth of the time for which one request may hold the event loop. */
const SLICE_MS = 10;
/** Items between two reads of the clock. */
const AT_ONCE = 16;

/** Says when a slice is over; for loops that don't run over a list. */
export class Turns {
  #began = performance.now();
  #count = 0;

  /** @param atOnce items between two reads of the clock; 1 for slow items */
  constructor(private readonly atOnce = AT_ONCE) {}

  /** Undefined while the slice lasts; else a promise to await before the next item. */
  next(): Promise<void> | undefined {
    if (++this.#count % this.atOnce !== 0 || performance.now() - this.#began < SLICE_MS) return undefined;
    return new Promise((resolve) =>
      setImmediate(() => {
        this.#began = performance.now();
        resolve();
      }),
    );
  }
}

export async function mapInTurns<T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> {
  const turns = new Turns();
  const mapped: R[] = [];
  for (const item of items) {
    const turn = turns.next();
    if (turn) await turn;
    mapped.push(map(item));
  }
  return mapped;
}

export async function filterInTurns<T>(items: readonly T[], keep: (item: T) => boolean): Promise<T[]> {
  const kept = await mapInTurns(items, keep);
  return items.filter((_, i) => kept[i]);
}
