/**
 * Coarse timer ring (500 ms slots) without removal: the callback checks whether the entry still matters. For thousands
 * of entries that wait about a minute and are hardly ever cancelled, it costs less time and memory than the wheel.
 */
import type { Clock } from './clock.js';
import { SHARED_TIMER_WHEEL_GRAIN_MS, sharedTimerWheel, type TimerWheelEntry } from './timer-wheel.js';

/** Width of a slot, ms. Entries expire up to one slot late and never early. */
const SLOT_WIDTH_MS = SHARED_TIMER_WHEEL_GRAIN_MS;
const SPARE_SLOTS_MS = 10_000;

export class CoarseTimerRing<T> {
  /** Ring of slots; an entry lies in the slot in which it expires. */
  readonly #slots: T[][];
  #size = 0;
  /** Number of the slot that expired last. */
  #lastFiredSlot: number;
  /** The ring's single entry in the shared timer wheel; a timer per ring would wake the process more often. */
  readonly #wheelEntry: TimerWheelEntry = { bucket: undefined, expire: () => this.#fireExpiredSlots() };
  /** Number of the slot that the entry in the timer wheel waits for: the first slot with entries. */
  #armedSlot = Number.POSITIVE_INFINITY;
  #isFiring = false;

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
    this.#slots = Array.from({ length: Math.ceil((longestMs + SPARE_SLOTS_MS) / SLOT_WIDTH_MS) + 2 }, () => []);
    this.#lastFiredSlot = Math.floor(clock.monotonic() / SLOT_WIDTH_MS);
  }

  /**
   * Adds an entry that expires after `ms`.
   *
   * @param now monotonic ms, if the caller has it: reading the clock costs as much as the rest of the call
   */
  add(entry: T, ms: number, now = this.clock.monotonic()): void {
    // Slots before the armed one are empty, so the ring may skip them.
    if (!this.#isFiring || this.#size === 0) {
      this.#lastFiredSlot = Math.max(
        this.#lastFiredSlot,
        Math.min(Math.floor(now / SLOT_WIDTH_MS), this.#armedSlot - 1),
      );
    }
    const due = Math.ceil((now + ms) / SLOT_WIDTH_MS);
    // If the ring's timer has not run for a long time, the ring reaches less far than the longest wait from now. The
    // entry then goes into the last slot that the ring reaches.
    const last = this.#lastFiredSlot + this.#slots.length - 1;
    const at = Math.min(Math.max(due, this.#lastFiredSlot + 1), last);
    this.#slots[at % this.#slots.length]!.push(entry);
    this.#size++;
    if (at < this.#armedSlot) this.#armTimer(at);
  }

  /** Removes all entries without expiring them. */
  clear(): void {
    sharedTimerWheel(this.clock).cancel(this.#wheelEntry);
    this.#armedSlot = Number.POSITIVE_INFINITY;
    this.#size = 0;
    for (let i = 0; i < this.#slots.length; i++) this.#slots[i] = [];
  }

  #armTimer(at: number): void {
    sharedTimerWheel(this.clock).remove(this.#wheelEntry);
    this.#armedSlot = at;
    sharedTimerWheel(this.clock).addAt(this.#wheelEntry, at * SLOT_WIDTH_MS);
  }

  #fireExpiredSlots(): void {
    this.#armedSlot = Number.POSITIVE_INFINITY;
    const now = this.clock.monotonic();
    this.#isFiring = true;
    const current = Math.floor(now / SLOT_WIDTH_MS);
    while (this.#lastFiredSlot < current && this.#size > 0) {
      const at = ++this.#lastFiredSlot % this.#slots.length;
      const due = this.#slots[at]!;
      if (due.length === 0) continue;
      this.#slots[at] = [];
      this.#size -= due.length;
      for (const entry of due) this.expire(entry, now);
    }
    this.#isFiring = false;
    if (this.#size === 0) return;
    for (let at = this.#lastFiredSlot + 1; ; at++) {
      if (this.#slots[at % this.#slots.length]!.length === 0) continue;
      if (at < this.#armedSlot) this.#armTimer(at);
      return;
    }
  }
}
