/** Time slicing: long loops yield to the event loop between slices, so that other requests get their turn. */

/** Length of a time slice, ms: a tenth of the time for which one request may hold the event loop. */
export const TIME_SLICE_MS = 10;
/** Number of items that a loop processes between two reads of the clock. */
const ITEMS_PER_CLOCK_READ = 16;

/** Decides when a long loop must yield to the event loop; used directly by loops that don't run over a list. */
export class TimeSlicer {
  #sliceBeganAt = performance.now();
  #itemCount = 0;

  /** Makes a slicer. @param atOnce number of items between two reads of the clock; 1 for slow items */
  constructor(private readonly atOnce = ITEMS_PER_CLOCK_READ) {}

  /** A promise to await before the next item, if the time slice has ended; undefined while it lasts. */
  yieldIfSliceIsOver(): Promise<void> | undefined {
    if (++this.#itemCount % this.atOnce !== 0 || performance.now() - this.#sliceBeganAt < TIME_SLICE_MS)
      return undefined;
    return new Promise((resolve) =>
      setImmediate(() => {
        this.#sliceBeganAt = performance.now();
        resolve();
      }),
    );
  }
}

export async function mapInSlices<T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> {
  const slicer = new TimeSlicer();
  const mapped: R[] = [];
  for (const item of items) {
    const pause = slicer.yieldIfSliceIsOver();
    if (pause) await pause;
    mapped.push(map(item));
  }
  return mapped;
}

export async function filterInSlices<T>(items: readonly T[], keep: (item: T) => boolean): Promise<T[]> {
  const kept = await mapInSlices(items, keep);
  return items.filter((_, i) => kept[i]);
}
