/**
 * Rate-limit buckets: each counts the calls of one user, network address or file under the caller's rules. Counting is
 * local and synchronous; the counts of other processes are added as they arrive (sharing.ts).
 */
import type { RateLimitStatus } from '#base';
import type { Clock } from '#base/clock';
import { TwoGenerationBoundedMap } from './bounded-table.js';
import { LeakyBucketCounter, type RateLimitCallCounter, SlidingWindowCounter } from './counts.js';
import type { RateLimitRules } from './rules.js';

/**
 * Kind of a bucket. user: calls of an account, except polls; polls: polls of an account; address: calls without an
 * account, by network address; mails: e-mails sent by such calls, by network address; file: downloads of one file
 * without an account.
 */
export type RateBucketKind = 'user' | 'polls' | 'address' | 'mails' | 'file';

/** State of a bucket after a call, by the rule that leaves the fewest calls. */
export interface RateLimitVerdict extends RateLimitStatus {
  /** Milliseconds until the call may be repeated; 0 if the call was counted. */
  readonly waitMs: number;
}

/** Calls of one bucket that one process has counted and publishes to the others. */
export interface SharedRateBucketCount {
  readonly kind: RateBucketKind;
  readonly key: string;
  readonly calls: number;
  /**
   * The account's own rate rules, as text for `parseAccountRateRulesOrUnlimited`; undefined if the configured rules
   * apply.
   */
  readonly ownRulesText: string | undefined;
}

class RateBucket {
  readonly counters: readonly RateLimitCallCounter[];
  /** Calls counted by this process that the other processes don't know yet. */
  unsharedCallCount = 0;

  constructor(
    readonly kind: RateBucketKind,
    readonly key: string,
    readonly rules: RateLimitRules,
    readonly own: string | undefined,
  ) {
    const leaks = kind === 'polls';
    this.counters = rules.map((rule) => (leaks ? new LeakyBucketCounter(rule) : new SlidingWindowCounter(rule)));
  }
}

/**
 * Maximum of buckets of each kind. The least recently used buckets are dropped, and their callers start with full
 * limits.
 */
const MAX_BUCKETS_BY_KIND: Readonly<Record<RateBucketKind, number>> = {
  user: 100_000,
  polls: 100_000,
  address: 100_000,
  mails: 50_000,
  file: 50_000,
};

/**
 * Maximum of buckets with counts that are still to be shared. Calls of further buckets are not shared with other
 * processes.
 */
const MAX_UNSHARED_BUCKETS = 100_000;

export class RateBuckets {
  readonly #bucketsByKind: Readonly<Record<RateBucketKind, TwoGenerationBoundedMap<RateBucket>>>;
  /** Buckets with counts that are still to be shared with other processes. */
  #unsharedBuckets: RateBucket[] = [];
  #unsharedListener: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    maxBuckets: Readonly<Record<RateBucketKind, number>> = MAX_BUCKETS_BY_KIND,
  ) {
    const table = (kind: RateBucketKind) => new TwoGenerationBoundedMap<RateBucket>(maxBuckets[kind]);
    this.#bucketsByKind = {
      user: table('user'),
      polls: table('polls'),
      address: table('address'),
      mails: table('mails'),
      file: table('file'),
    };
  }

  /** Number of buckets of one kind. */
  bucketCount(kind: RateBucketKind): number {
    return this.#bucketsByKind[kind].size;
  }

  /**
   * Counts one call, unless it exceeds a rule.
   *
   * @param rules at least one rule
   * @param own text of the rules, if the account has its own
   */
  countCallUnlessOverLimit(kind: RateBucketKind, key: string, rules: RateLimitRules, own?: string): RateLimitVerdict {
    const now = this.clock.monotonic();
    const bucket = this.#findOrCreateBucket(kind, key, rules, own);
    const { counters } = bucket;
    let waitMs = 0;
    for (const count of counters) waitMs = Math.max(waitMs, count.msUntilNextCall(now));
    if (waitMs === 0) {
      for (const count of counters) count.addCalls(1, now);
      if (this.#unsharedListener) this.#addUnsharedCall(bucket, this.#unsharedListener);
    }
    let limit = 0;
    let remaining = Number.POSITIVE_INFINITY;
    let fullAt = now;
    for (let i = 0; i < counters.length; i++) {
      const left = counters[i]!.remainingCalls(now);
      if (left < remaining) {
        remaining = left;
        limit = rules[i]!.calls;
      }
      fullAt = Math.max(fullAt, counters[i]!.fullQuotaAtMs(now));
    }
    const inMs = waitMs > 0 ? waitMs : fullAt - now;
    return { limit, remaining, reset: Math.ceil((this.clock.now() + inMs) / 1000), waitMs };
  }

  #findOrCreateBucket(kind: RateBucketKind, key: string, rules: RateLimitRules, own: string | undefined): RateBucket {
    const table = this.#bucketsByKind[kind];
    const known = table.get(key);
    if (known && known.rules === rules) return known;
    const fresh = new RateBucket(kind, key, rules, own);
    table.set(key, fresh);
    return fresh;
  }

  #addUnsharedCall(bucket: RateBucket, listener: () => void): void {
    if (bucket.unsharedCallCount === 0) {
      if (this.#unsharedBuckets.length >= MAX_UNSHARED_BUCKETS) return;
      if (this.#unsharedBuckets.push(bucket) === 1) listener();
    }
    bucket.unsharedCallCount++;
  }

  /**
   * Collects counts for `takeUnsharedCounts` from now on.
   * @param listener called when the first unshared count arrives
   */
  setFirstUnsharedCountListener(listener: () => void): void {
    this.#unsharedListener = listener;
  }

  /** Returns and clears the unshared counts of at most this many buckets. */
  takeUnsharedCounts(maxBuckets: number): SharedRateBucketCount[] {
    return this.#unsharedBuckets.splice(0, maxBuckets).map((bucket) => {
      const { kind, key, unsharedCallCount: calls, own } = bucket;
      bucket.unsharedCallCount = 0;
      return { kind, key, calls, ownRulesText: own };
    });
  }

  get hasUnsharedCounts(): boolean {
    return this.#unsharedBuckets.length > 0;
  }

  /** Adds calls that another process counted. */
  addSharedCalls({ kind, key, calls, ownRulesText }: SharedRateBucketCount, rules: RateLimitRules): void {
    const now = this.clock.monotonic();
    for (const count of this.#findOrCreateBucket(kind, key, rules, ownRulesText).counters) count.addCalls(calls, now);
  }
}
