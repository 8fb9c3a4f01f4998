/** Counts the calls of one caller under one rule. Times are monotonic milliseconds. */
import type { RateLimitRule } from './rules.js';

export interface RateLimitCallCounter {
  /** Milliseconds until one more call may be counted; 0: now. */
  msUntilNextCall(now: number): number;
  /** Counts calls without checking the limit: other processes have already answered the calls that they counted. */
  addCalls(calls: number, now: number): void;
  /** Number of calls that may be counted now. */
  remainingCalls(now: number): number;
  /** Monotonic time (ms) at which the full quota is available again. */
  fullQuotaAtMs(now: number): number;
}

/** Number of equal parts of a window. Calls of one part are counted together, and expire together. */
const PARTS_PER_WINDOW = 60;

/**
 * Sliding window: at most `rule.calls` calls in any window. Memory is bounded by the number of parts. The time of a
 * part is that of its first call. A client that waits as long as requested is never refused again
 * for these calls.
 */
export class SlidingWindowCounter implements RateLimitCallCounter {
  /** Time of the first call and number of calls of each part, alternating, oldest first. */
  readonly #partTimesAndCalls: number[] = [];
  readonly #partDurationMs: number;
  #callCount = 0;
  #newestCallAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly rule: RateLimitRule) {
    this.#partDurationMs = rule.windowMs / PARTS_PER_WINDOW;
  }

  /** Number of parts that are kept: at most sixty and the current one. */
  get keptPartCount(): number {
    return this.#partTimesAndCalls.length / 2;
  }

  #dropExpiredParts(now: number): void {
    const parts = this.#partTimesAndCalls;
    let gone = 0;
    while (gone < parts.length && parts[gone]! + this.rule.windowMs <= now) {
      this.#callCount -= parts[gone + 1]!;
      gone += 2;
    }
    if (gone > 0) parts.splice(0, gone);
  }

  msUntilNextCall(now: number): number {
    if (this.#callCount < this.rule.calls) return 0;
    this.#dropExpiredParts(now);
    if (this.#callCount < this.rule.calls) return 0;
    // Calls of other processes may have raised the sum above the limit: the excess must expire first.
    let left = this.#callCount;
    for (let i = 0; i < this.#partTimesAndCalls.length; i += 2) {
      left -= this.#partTimesAndCalls[i + 1]!;
      if (left < this.rule.calls) return this.#partTimesAndCalls[i]! + this.rule.windowMs - now;
    }
    return this.rule.windowMs;
  }

  addCalls(calls: number, now: number): void {
    const parts = this.#partTimesAndCalls;
    const last = parts.length - 2;
    if (last >= 0 && now - parts[last]! < this.#partDurationMs) parts[last + 1]! += calls;
    else {
      this.#dropExpiredParts(now);
      parts.push(now, calls);
    }
    this.#callCount += calls;
    this.#newestCallAtMs = now;
  }

  remainingCalls(now: number): number {
    this.#dropExpiredParts(now);
    return Math.max(0, this.rule.calls - this.#callCount);
  }

  fullQuotaAtMs(now: number): number {
    return Math.max(now, this.#newestCallAtMs + this.rule.windowMs);
  }
}

/** Tolerance for sums of fractional milliseconds, which may exceed the true sum a little, ms. */
const ROUNDING_TOLERANCE_MS = 1e-6;

/**
 * Leaky bucket: each call moves the time at which the bucket is empty by window / calls. A call that would move it past
 * the window is refused.
 */
export class LeakyBucketCounter implements RateLimitCallCounter {
  #emptyAtMs = Number.NEGATIVE_INFINITY;
  readonly #msPerCall: number;

  constructor(private readonly rule: RateLimitRule) {
    this.#msPerCall = rule.windowMs / rule.calls;
  }

  msUntilNextCall(now: number): number {
    const over = Math.max(now, this.#emptyAtMs) + this.#msPerCall - (now + this.rule.windowMs);
    return over > ROUNDING_TOLERANCE_MS ? over : 0;
  }

  addCalls(calls: number, now: number): void {
    this.#emptyAtMs = Math.max(now, this.#emptyAtMs) + calls * this.#msPerCall;
  }

  remainingCalls(now: number): number {
    const room = now + this.rule.windowMs - Math.max(now, this.#emptyAtMs);
    return Math.max(0, Math.floor(room / this.#msPerCall + ROUNDING_TOLERANCE_MS));
  }

  fullQuotaAtMs(now: number): number {
    return Math.max(now, this.#emptyAtMs);
  }
}
