/**
 * Coarse timer ring (500 ms slots) without removal: the callback checks whether the entry still matters. For thousands
 * of entries that wait about a minute and are hardly ever cancelled, it costs less time and memory than the wheel.
 */
import type { Clock } from './clock.js';
import { type Deadline, SHARED_GRAIN_MS, wheelOf } from './deadlines.js';

/** Entries expire up to one slot late and never early, unless the process stood still for longer than the slack. ms. */
const GRAIN_MS = SHARED_GRAIN_MS;
const SLACK_MS = 10_000;

export class Slices<T> {
  /** Ring of slots; an entry lies in the slot in which it expires. */
  readonly #slices: T[][];
  #size = 0;
  /** Number of the last expired slot. */
  #done: number;
  /** Entry in the shared wheel; a timer per ring would wake the process more often. */
  readonly #turn: Deadline = { bucket: undefined, expire: () => this.#fire() };
  /** Slot that the entry waits for: the first with entries. */
  #armed = Number.POSITIVE_INFINITY;
  #firing = false;

  /** @param longestMs upper bound of all waits @param expire gets the entry and the time, monotonic ms */
  constructor(
    private readonly clock: Clock,
    longestMs: number,
    private readonly expire: (entry: T, now: number) => void,
  ) {
    this.#slices = Array.from({ length: Math.ceil((longestMs + SLACK_MS) / GRAIN_MS) + 2 }, () => []);
    this.#done = Math.floor(clock.monotonic() / GRAIN_MS);
  }

  /** @param now monotonic ms if the caller has it: reading the clock costs as much as the rest */
  add(entry: T, ms: number, now = this.clock.monotonic()): void {
    // Slots before the armed one are empty.
    if (!this.#firing || this.#size === 0) {
      this.#done = Math.max(this.#done, Math.min(Math.floor(now / GRAIN_MS), this.#armed - 1));
    }
    const due = Math.ceil((now + ms) / GRAIN_MS);
    // No timer ran for long: due entries must leave the ring before there is room.
    const last = this.#done + this.#slices.length - 1;
    const at = Math.min(Math.max(due, this.#done + 1), last);
    this.#slices[at % this.#slices.length]!.push(entry);
    this.#size++;
    if (at < this.#armed) this.#arm(at);
  }

  /** Removes all entries without expiring them. */
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
