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
  readonly #entriesBySlot: T[][];
  #entryCount = 0;
  /** Number of the slot that expired last. */
  #lastFiredSlotNumber: number;
  /** The ring's single entry in the shared timer wheel; a timer per ring would wake the process more often. */
  readonly #wheelEntry: TimerWheelEntry = { timerWheelBucket: undefined, expire: () => this.#fireExpiredSlots() };
  /** Number of the slot that the entry in the timer wheel waits for: the first slot with entries. */
  #armedSlotNumber = Number.POSITIVE_INFINITY;
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
    this.#entriesBySlot = Array.from({ length: Math.ceil((longestMs + SPARE_SLOTS_MS) / SLOT_WIDTH_MS) + 2 }, () => []);
    this.#lastFiredSlotNumber = Math.floor(clock.monotonic() / SLOT_WIDTH_MS);
  }

  /**
   * Adds an entry that expires after `ms`.
   *
   * @param now monotonic ms, if the caller has it: reading the clock costs as much as the rest of the call
   */
  addExpiringAfter(entry: T, ms: number, now = this.clock.monotonic()): void {
    // Slots before the armed one are empty, so the ring may skip them.
    if (!this.#isFiring || this.#entryCount === 0) {
      this.#lastFiredSlotNumber = Math.max(
        this.#lastFiredSlotNumber,
        Math.min(Math.floor(now / SLOT_WIDTH_MS), this.#armedSlotNumber - 1),
      );
    }
    const due = Math.ceil((now + ms) / SLOT_WIDTH_MS);
    // If the ring's timer has not run for a long time, the ring reaches less far than the longest wait from now. The
    // entry then goes into the last slot that the ring reaches.
    const last = this.#lastFiredSlotNumber + this.#entriesBySlot.length - 1;
    const at = Math.min(Math.max(due, this.#lastFiredSlotNumber + 1), last);
    this.#entriesBySlot[at % this.#entriesBySlot.length]!.push(entry);
    this.#entryCount++;
    if (at < this.#armedSlotNumber) this.#armTimer(at);
  }

  /** Removes all entries without expiring them. */
  clear(): void {
    sharedTimerWheel(this.clock).removeAndStopTimerIfEmpty(this.#wheelEntry);
    this.#armedSlotNumber = Number.POSITIVE_INFINITY;
    this.#entryCount = 0;
    for (let i = 0; i < this.#entriesBySlot.length; i++) this.#entriesBySlot[i] = [];
  }

  #armTimer(at: number): void {
    sharedTimerWheel(this.clock).remove(this.#wheelEntry);
    this.#armedSlotNumber = at;
    sharedTimerWheel(this.clock).addAt(this.#wheelEntry, at * SLOT_WIDTH_MS);
  }

  #fireExpiredSlots(): void {
    this.#armedSlotNumber = Number.POSITIVE_INFINITY;
    const now = this.clock.monotonic();
    this.#isFiring = true;
    const current = Math.floor(now / SLOT_WIDTH_MS);
    while (this.#lastFiredSlotNumber < current && this.#entryCount > 0) {
      const at = ++this.#lastFiredSlotNumber % this.#entriesBySlot.length;
      const due = this.#entriesBySlot[at]!;
      if (due.length === 0) continue;
      this.#entriesBySlot[at] = [];
      this.#entryCount -= due.length;
      for (const entry of due) this.expire(entry, now);
    }
    this.#isFiring = false;
    if (this.#entryCount === 0) return;
    for (let at = this.#lastFiredSlotNumber + 1; ; at++) {
      if (this.#entriesBySlot[at % this.#entriesBySlot.length]!.length === 0) continue;
      if (at < this.#armedSlotNumber) this.#armTimer(at);
      return;
    }
  }
}
