/** Work on long lists in slices, so that other work gets its turn of the event loop between them. */

/** Of one slice, milliseconds: a tenth of what one request may keep the event loop for. */
const SLICE_MS = 10;
/** Items between two looks at the clock. */
const AT_ONCE = 16;

/** Tells when a slice is over, for loops that are no plain lists. */
export class Turns {
  #began = performance.now();
  #count = 0;

  /** @param atOnce items between two looks at the clock; 1 where each takes long */
  constructor(private readonly atOnce = AT_ONCE) {}

  /** Undefined: go on; else to be awaited. */
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
