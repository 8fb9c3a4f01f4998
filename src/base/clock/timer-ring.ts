/**
 * Coarse timer ring (500 ms slots) without removal: the callback checks whether the entry still matters. For thousands
 * of entries that wait about a minute and are hardly ever cancelled, it costs less time and memory than the wheel.
 */
import type { Clock } from './clock.js';
import { SHARED_TIMER_WHEEL_GRAIN_MS, sharedTimerWheel, type TimerWheelEntry } from './timer-wheel.js';

/** Width of a slot, ms. Entries expire up to one slot late and never early. */
const GRAIN_MS = SHARED_TIMER_WHEEL_GRAIN_MS;
const SLACK_MS = 10_000;

export class CoarseTimerRing<T> {
  /** Ring of slots; an entry lies in the slot in which it expires. */
  readonly #slots: T[][];
  #size = 0;
  /** Number of the slot that expired last. */
  #lastSlot: number;
  /** The ring's single entry in the shared timer wheel; a timer per ring would wake the process more often. */
  readonly #entry: TimerWheelEntry = { bucket: undefined, expire: () => this.#fire() };
  /** Number of the slot that the entry in the timer wheel waits for: the first slot with entries. */
  #armed = Number.POSITIVE_INFINITY;
  #firing = false;

  /**
   * Makes an empty ring.
   *
   * @param longestMs upper bound of all waits, ms
   * @param expire function that gets an expired entry and the time, monotonic ms
   */
  constructor(
    private readonly clock: Clock,
    longestMs: number,
    private readonly expire: (entry: T, now: number) => void,
  ) {
    this.#slots = Array.from({ length: Math.ceil((longestMs + SLACK_MS) / GRAIN_MS) + 2 }, () => []);
    this.#lastSlot = Math.floor(clock.monotonic() / GRAIN_MS);
  }

  /**
   * Adds an entry that expires after `ms`.
   *
   * @param now monotonic ms, if the caller has it: reading the clock costs as much as the rest of the call
   */
  add(entry: T, ms: number, now = this.clock.monotonic()): void {
    // Slots before the armed one are empty, so the ring may skip them.
    if (!this.#firing || this.#size === 0) {
      this.#lastSlot = Math.max(this.#lastSlot, Math.min(Math.floor(now / GRAIN_MS), this.#armed - 1));
    }
    const due = Math.ceil((now + ms) / GRAIN_MS);
    // If the ring's timer has not run for a long time, the ring reaches less far than the longest wait from now. The
    // entry then goes into the last slot that the ring reaches.
    const last = this.#lastSlot + this.#slots.length - 1;
    const at = Math.min(Math.max(due, this.#lastSlot + 1), last);
    this.#slots[at % this.#slots.length]!.push(entry);
    this.#size++;
    if (at < this.#armed) this.#arm(at);
  }

  /** Removes all entries without expiring them. */
  clear(): void {
    sharedTimerWheel(this.clock).cancel(this.#entry);
    this.#armed = Number.POSITIVE_INFINITY;
    this.#size = 0;
    for (let i = 0; i < this.#slots.length; i++) this.#slots[i] = [];
  }

  #arm(at: number): void {
    sharedTimerWheel(this.clock).remove(this.#entry);
    this.#armed = at;
    sharedTimerWheel(this.clock).at(this.#entry, at * GRAIN_MS);
  }

  #fire(): void {
    this.#armed = Number.POSITIVE_INFINITY;
    const now = this.clock.monotonic();
    this.#firing = true;
    const current = Math.floor(now / GRAIN_MS);
    while (this.#lastSlot < current && this.#size > 0) {
      const at = ++this.#lastSlot % this.#slots.length;
      const due = this.#slots[at]!;
      if (due.length === 0) continue;
      this.#slots[at] = [];
      this.#size -= due.length;
      for (const entry of due) this.expire(entry, now);
    }
    this.#firing = false;
    if (this.#size === 0) return;
    for (let at = this.#lastSlot + 1; ; at++) {
      if (this.#slots[at % this.#slots.length]!.length === 0) continue;
      if (at < this.#armed) this.#arm(at);
      return;
    }
  }
}
