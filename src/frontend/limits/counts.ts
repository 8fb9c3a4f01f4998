/** Counts the calls of one caller under one rule. Times are monotonic milliseconds. */
import type { RateLimitRule } from './rules.js';

export interface RateLimitCallCounter {
  /** Milliseconds until one more call may be counted; 0: now. */
  wait(now: number): number;
  /** Counts calls without checking the limit: other processes have already answered the calls that they counted. */
  add(calls: number, now: number): void;
  /** Number of calls that may be counted now. */
  remaining(now: number): number;
  /** Monotonic time (ms) at which the full quota is available again. */
  fullAt(now: number): number;
}

/** Number of parts of a window. Calls within one part are counted together, and expire together. */
const PARTS = 60;

/**
 * Sliding window: at most `rule.calls` calls in any window. Memory is bounded: times are kept to a sixtieth of the
 * window. The time of a part is that of its first call. A client that waits as long as requested is never refused again
 * for these calls.
 */
export class SlidingWindowCounter implements RateLimitCallCounter {
  /** Time of the first call and number of calls of each part, alternating, oldest first. */
  readonly #parts: number[] = [];
  readonly #width: number;
  #sum = 0;
  #newest = Number.NEGATIVE_INFINITY;

  constructor(private readonly rule: RateLimitRule) {
    this.#width = rule.windowMs / PARTS;
  }

  /** Number of parts that are kept: at most sixty and the current one. */
  get parts(): number {
    return this.#parts.length / 2;
  }

  #forget(now: number): void {
    const parts = this.#parts;
    let gone = 0;
    while (gone < parts.length && parts[gone]! + this.rule.windowMs <= now) {
      this.#sum -= parts[gone + 1]!;
      gone += 2;
    }
    if (gone > 0) parts.splice(0, gone);
  }

  wait(now: number): number {
    if (this.#sum < this.rule.calls) return 0;
    this.#forget(now);
    if (this.#sum < this.rule.calls) return 0;
    // Calls of other processes may have raised the sum above the limit: the excess must expire first.
    let left = this.#sum;
    for (let i = 0; i < this.#parts.length; i += 2) {
      left -= this.#parts[i + 1]!;
      if (left < this.rule.calls) return this.#parts[i]! + this.rule.windowMs - now;
    }
    return this.rule.windowMs;
  }

  add(calls: number, now: number): void {
    const parts = this.#parts;
    const last = parts.length - 2;
    if (last >= 0 && now - parts[last]! < this.#width) parts[last + 1]! += calls;
    else {
      this.#forget(now);
      parts.push(now, calls);
    }
    this.#sum += calls;
    this.#newest = now;
  }

  remaining(now: number): number {
    this.#forget(now);
    return Math.max(0, this.rule.calls - this.#sum);
  }

  fullAt(now: number): number {
    return Math.max(now, this.#newest + this.rule.windowMs);
  }
}

/** Tolerance for sums of fractional milliseconds, which may exceed the true sum a little, ms. */
const ROUNDING = 1e-6;

/**
 * Leaky bucket: each call moves the time at which the bucket is empty by window / calls. A call that would move it past
 * the window is refused.
 */
export class LeakyBucketCounter implements RateLimitCallCounter {
  #emptyAt = Number.NEGATIVE_INFINITY;
  readonly #step: number;

  constructor(private readonly rule: RateLimitRule) {
    this.#step = rule.windowMs / rule.calls;
  }

  wait(now: number): number {
    const over = Math.max(now, this.#emptyAt) + this.#step - (now + this.rule.windowMs);
    return over > ROUNDING ? over : 0;
  }

  add(calls: number, now: number): void {
    this.#emptyAt = Math.max(now, this.#emptyAt) + calls * this.#step;
  }

  remaining(now: number): number {
    const room = now + this.rule.windowMs - Math.max(now, this.#emptyAt);
    return Math.max(0, Math.floor(room / this.#step + ROUNDING));
  }

  fullAt(now: number): number {
    return Math.max(now, this.#emptyAt);
  }
}
