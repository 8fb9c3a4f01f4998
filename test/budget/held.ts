/**
 * For how long the event loop was kept from other requests: by how much a timer of 1 ms was late. On Linux the time in
 * which the thread waited for a processor is taken off, so that another process on the machine is not counted.
 */
import { openSync, readSync } from 'node:fs';

const EVERY_MS = 1;

export class HeldLoop {
  /** Longest since the last reset, ms. */
  #longest = 0;
  #last = performance.now();
  #waited: number;
  readonly #buffer = Buffer.alloc(128);
  readonly #file: number | undefined;

  constructor() {
    this.#file = openSchedule();
    this.#waited = this.#waitedMs();
    const look = (): void => {
      const now = performance.now();
      const waited = this.#waitedMs();
      const held = now - this.#last - EVERY_MS - (waited - this.#waited);
      if (held > this.#longest) this.#longest = held;
      this.#last = now;
      this.#waited = waited;
      setTimeout(look, EVERY_MS);
    };
    look();
  }

  /** Returns the longest time and starts again from 0. */
  take(): number {
    const longest = this.#longest;
    this.#longest = 0;
    return longest;
  }

  /** In all its life, on the run queue of the scheduler. */
  #waitedMs(): number {
    if (this.#file === undefined) return 0;
    const length = readSync(this.#file, this.#buffer, 0, this.#buffer.length, 0);
    return Number(this.#buffer.toString('latin1', 0, length).split(' ')[1]) / 1e6;
  }
}

/** Time on a processor, time of waiting for one, slices; of the main thread. */
function openSchedule(): number | undefined {
  try {
    return openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  } catch {
    return undefined;
  }
}
