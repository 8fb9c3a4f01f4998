/** Timer wheel: thousands of cancellable timeouts share one timer of Node. */
import { memoizeByObject } from '#base';
import type { Clock, TimerHandle } from './clock.js';

/** A cancellable entry of the wheel; `bucket` belongs to the wheel. */
export interface TimerWheelEntry {
  timerWheelBucket: Set<TimerWheelEntry> | undefined;
  expire(): void;
}

/**
 * Minimum length of timeouts that may be up to 1 s late, ms. Otherwise an hour of timeouts would need a bucket for
 * every 20 ms.
 */
const COARSE_BUCKETS_FROM_DURATION_MS = 100_000;
const COARSE_BUCKET_WIDTH_MS = 1_000;

/**
 * Entries fall into buckets of `grainMs`, so an entry expires up to that much late and never early. Adding and removing
 * cost one operation on a set.
 */
export class TimerWheel {
  readonly #clock: Clock;
  readonly #bucketWidthMs: number;
  /** End times of the buckets, monotonic ms, ascending. */
  readonly #bucketEndsMs: number[] = [];
  readonly #bucketByEndMs = new Map<number, Set<TimerWheelEntry>>();
  #nextBucketTimer: TimerHandle | undefined;
  #armedForMs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, grainMs = 20) {
    this.#clock = clock;
    this.#bucketWidthMs = grainMs;
  }

  addAfter(entry: TimerWheelEntry, ms: number): void {
    const grain =
      ms < COARSE_BUCKETS_FROM_DURATION_MS
        ? this.#bucketWidthMs
        : Math.max(this.#bucketWidthMs, COARSE_BUCKET_WIDTH_MS);
    this.addAt(entry, Math.ceil((this.#clock.monotonic() + Math.max(0, ms)) / grain) * grain);
  }

  /** Adds an entry that expires at the time `end`. @param end monotonic ms, a multiple of the grain */
  addAt(entry: TimerWheelEntry, end: number): void {
    let bucket = this.#bucketByEndMs.get(end);
    if (!bucket) {
      bucket = new Set();
      this.#bucketByEndMs.set(end, bucket);
      let at = this.#bucketEndsMs.length;
      while (at > 0 && this.#bucketEndsMs[at - 1]! > end) at--;
      this.#bucketEndsMs.splice(at, 0, end);
      if (end < this.#armedForMs) this.#armTimerForFirstBucket();
    }
    bucket.add(entry);
    entry.timerWheelBucket = bucket;
  }

  remove(entry: TimerWheelEntry): void {
    entry.timerWheelBucket?.delete(entry);
    entry.timerWheelBucket = undefined;
  }

  /** Removes an entry for good. Without entries left, Node's timer stops. */
  removeAndStopTimerIfEmpty(entry: TimerWheelEntry): void {
    this.remove(entry);
    this.#dropEmptyBuckets();
    if (this.#bucketEndsMs.length === 0) this.clear();
  }

  /** Removes all entries without expiring them. */
  clear(): void {
    if (this.#nextBucketTimer) this.#clock.clearTimeout(this.#nextBucketTimer);
    this.#nextBucketTimer = undefined;
    this.#armedForMs = Number.POSITIVE_INFINITY;
    this.#bucketEndsMs.length = 0;
    this.#bucketByEndMs.clear();
  }

  #armTimerForFirstBucket(): void {
    if (this.#nextBucketTimer) this.#clock.clearTimeout(this.#nextBucketTimer);
    this.#nextBucketTimer = undefined;
    this.#armedForMs = this.#bucketEndsMs[0] ?? Number.POSITIVE_INFINITY;
    if (this.#armedForMs === Number.POSITIVE_INFINITY) return;
    this.#nextBucketTimer = this.#clock.setTimeout(
      () => this.#fireExpiredBuckets(),
      this.#armedForMs - this.#clock.monotonic(),
    );
  }

  #fireExpiredBuckets(): void {
    this.#nextBucketTimer = undefined;
    const now = this.#clock.monotonic();
    const due: Set<TimerWheelEntry>[] = [];
    while (this.#bucketEndsMs.length > 0 && this.#bucketEndsMs[0]! <= now) {
      const end = this.#bucketEndsMs.shift()!;
      due.push(this.#bucketByEndMs.get(end)!);
      this.#bucketByEndMs.delete(end);
    }
    this.#dropEmptyBuckets();
    this.#armTimerForFirstBucket();
    for (const bucket of due) {
      for (const entry of bucket) {
        entry.timerWheelBucket = undefined;
        bucket.delete(entry);
        entry.expire();
      }
    }
  }

  /**
   * Skips buckets without entries: most requests are answered long before their deadline, and their empty buckets must
   * not wake the process.
   */
  #dropEmptyBuckets(): void {
    let empty = 0;
    while (empty < this.#bucketEndsMs.length && this.#bucketByEndMs.get(this.#bucketEndsMs[empty]!)!.size === 0) {
      this.#bucketByEndMs.delete(this.#bucketEndsMs[empty]!);
      empty++;
    }
    if (empty > 0) this.#bucketEndsMs.splice(0, empty);
  }
}

/** Grain of the shared timer wheel, ms. Its users wait for seconds. */
export const SHARED_TIMER_WHEEL_GRAIN_MS = 500;

/** The wheel for everything in this process that waits for seconds on this clock. */
export const sharedTimerWheel = memoizeByObject(
  (clock: Clock): TimerWheel => new TimerWheel(clock, SHARED_TIMER_WHEEL_GRAIN_MS),
);
