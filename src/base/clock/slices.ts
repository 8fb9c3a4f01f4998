/**
 * Entries that wait for a minute or so, thousands of them, of which hardly any is taken back: who gets one has to know whether it still
 * counts. Costs less than Deadlines, time and memory.
 */
import type { Clock } from './clock.js';
import { type Deadline, SHARED_GRAIN_MS, wheelOf } from './deadlines.js';

/** Entries expire up to so much late, and never early (unless the process stood still for longer than the slack). Milliseconds. */
const GRAIN_MS = SHARED_GRAIN_MS;
const SLACK_MS = 10_000;

export class Slices<T> {
  /** A ring; entries are in the slice in which they expire. */
  readonly #slices: T[][];
  #size = 0;
  /** Number of the last slice that has expired. */
  #done: number;
  /** In the wheel that all share: of many wheels each would wake the process. */
  readonly #turn: Deadline = { bucket: undefined, expire: () => this.#fire() };
  /** Slice that waits in it: the first that has entries. */
  #armed = Number.POSITIVE_INFINITY;
  #firing = false;

  /** @param longestMs no entry waits for longer @param expire is told the time, monotonic ms */
  constructor(
    private readonly clock: Clock,
    longestMs: number,
    private readonly expire: (entry: T, now: number) => void,
  ) {
    this.#slices = Array.from({ length: Math.ceil((longestMs + SLACK_MS) / GRAIN_MS) + 2 }, () => []);
    this.#done = Math.floor(clock.monotonic() / GRAIN_MS);
  }

  /** @param now monotonic ms, where it is known: reading the clock costs as much as the rest */
  add(entry: T, ms: number, now = this.clock.monotonic()): void {
    // Slices before the one that the timer waits for are empty.
    if (!this.#firing || this.#size === 0) {
      this.#done = Math.max(this.#done, Math.min(Math.floor(now / GRAIN_MS), this.#armed - 1));
    }
    const due = Math.ceil((now + ms) / GRAIN_MS);
    // No timer has run for long: what is due has to leave the ring before there is room.
    const last = this.#done + this.#slices.length - 1;
    const at = Math.min(Math.max(due, this.#done + 1), last);
    this.#slices[at % this.#slices.length]!.push(entry);
    this.#size++;
    if (at < this.#armed) this.#arm(at);
  }

  /** Nothing expires any more. */
  clear(): void {
    wheelOf(this.clock).cancel(this.#turn);
    this.#armed = Number.POSITIVE_INFINITY;
    this.#size = 0;
    for (let i = 0; i < this.#slices.length; i++) this.#slices[i] = [];
  }

  #arm(at: number): void {
    wheelOf(this.clock).remove(this.#turn);
    this.#armed = at;
    wheelOf(this.clock).at(this.#turn, at * GRAIN_MS);
  }

  #fire(): void {
    this.#armed = Number.POSITIVE_INFINITY;
    const now = this.clock.monotonic();
    this.#firing = true;
    const over = Math.floor(now / GRAIN_MS);
    while (this.#done < over && this.#size > 0) {
      const at = ++this.#done % this.#slices.length;
      const due = this.#slices[at]!;
      if (due.length === 0) continue;
      this.#slices[at] = [];
      this.#size -= due.length;
      for (const entry of due) this.expire(entry, now);
    }
    this.#firing = false;
    if (this.#size === 0) return;
    for (let at = this.#done + 1; ; at++) {
      if (this.#slices[at % this.#slices.length]!.length === 0) continue;
      if (at < this.#armed) this.#arm(at);
      return;
    }
  }
}
