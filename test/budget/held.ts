/**
 * Monitor of event-loop blocking: by how much a timer of 1 ms was late. On Linux the time that the thread waited for a
 * CPU is subtracted, so that load by other processes is not counted.
 */
import { openSync, readSync } from 'node:fs';

const TIMER_MS = 1;

export class EventLoopMonitor {
  /** Longest blocking in ms since the last `take`. */
  #longest = 0;
  #last = performance.now();
  #waited: number;
  readonly #buffer = Buffer.alloc(128);
  readonly #file: number | undefined;

  constructor() {
    this.#file = openSchedstat();
    this.#waited = this.#waitedMs();
    const check = (): void => {
      const now = performance.now();
      const waited = this.#waitedMs();
      const held = now - this.#last - TIMER_MS - (waited - this.#waited);
      if (held > this.#longest) this.#longest = held;
      this.#last = now;
      this.#waited = waited;
      setTimeout(check, TIMER_MS);
    };
    check();
  }

  /** Returns the longest blocking in ms and resets it. */
  takeLongest(): number {
    const longest = this.#longest;
    this.#longest = 0;
    return longest;
  }

  /** Total time in ms that the thread has waited on the run queue of the scheduler. */
  #waitedMs(): number {
    if (this.#file === undefined) return 0;
    const length = readSync(this.#file, this.#buffer, 0, this.#buffer.length, 0);
    return Number(this.#buffer.toString('latin1', 0, length).split(' ')[1]) / 1e6;
  }
}

/** Opens the main thread's schedstat: time on a CPU, time on the run queue, number of time slices. */
function openSchedstat(): number | undefined {
  try {
    return openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  } catch {
    return undefined;
  }
}
