/**
 * Buckets count the calls of one user, address, … under that caller's rules. Counting is local and synchronous; the
 * counts of other processes are added as they arrive (sharing.ts).
 */
import type { RateStanding } from '#base';
import type { Clock } from '#base/clock';
import { BoundedTable } from './bounded-table.js';
import { type CallCounter, LeakyBucket, SlidingWindow } from './counts.js';
import type { Rules } from './rules.js';

/**
 * user: calls of an account, except polls; polls: polls of an account; address: calls without an account, by network
 * address; mails: e-mails sent by such calls, by network address; file: access to one file without an account.
 */
export type BucketKind = 'user' | 'polls' | 'address' | 'mails' | 'file';

/** State of a bucket after a call, by the rule that leaves the fewest calls. */
export interface CallVerdict extends RateStanding {
  /** Milliseconds until the call may be repeated; 0: it was counted. */
  readonly waitMs: number;
}

/** Calls of one bucket that one process has counted and tells the others. */
export interface SharedCount {
  readonly kind: BucketKind;
  readonly key: string;
  readonly calls: number;
  /** The account's own rules, as text for `rulesOf`; undefined: the configured ones. */
  readonly own: string | undefined;
}

class Bucket {
  readonly counts: readonly CallCounter[];
  /** Calls counted here that the other processes don't know yet. */
  unshared = 0;

  constructor(
    readonly kind: BucketKind,
    readonly key: string,
    readonly rules: Rules,
    readonly own: string | undefined,
  ) {
    const leaks = kind === 'polls';
    this.counts = rules.map((rule) => (leaks ? new LeakyBucket(rule) : new SlidingWindow(rule)));
  }
}

/** Buckets of each kind. The least recently used are dropped, and their callers start with full limits. */
const MAX_BUCKETS: Readonly<Record<BucketKind, number>> = {
  user: 100_000,
  polls: 100_000,
  address: 100_000,
  mails: 50_000,
  file: 50_000,
};

/** Buckets with unshared calls. Calls of further buckets are not shared. */
const MAX_UNSHARED = 100_000;

export class Buckets {
  readonly #tables: Readonly<Record<BucketKind, BoundedTable<Bucket>>>;
  /** Buckets with unshared calls. */
  #unshared: Bucket[] = [];
  #unsharedListener: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    maxBuckets: Readonly<Record<BucketKind, number>> = MAX_BUCKETS,
  ) {
    const table = (kind: BucketKind) => new BoundedTable<Bucket>(maxBuckets[kind]);
    this.#tables = {
      user: table('user'),
      polls: table('polls'),
      address: table('address'),
      mails: table('mails'),
      file: table('file'),
    };
  }

  /** Number of buckets. */
  size(kind: BucketKind): number {
    return this.#tables[kind].size;
  }

  /**
   * Counts one call, unless it exceeds a rule.
   *
   * @param rules at least one
   * @param own text of the rules, where they are the account's own
   */
  count(kind: BucketKind, key: string, rules: Rules, own?: string): CallVerdict {
    const now = this.clock.monotonic();
    const bucket = this.#bucket(kind, key, rules, own);
    const { counts } = bucket;
    let waitMs = 0;
    for (const count of counts) waitMs = Math.max(waitMs, count.wait(now));
    if (waitMs === 0) {
      for (const count of counts) count.add(1, now);
      if (this.#unsharedListener) this.#markUnshared(bucket, this.#unsharedListener);
    }
    let limit = 0;
    let remaining = Number.POSITIVE_INFINITY;
    let fullAt = now;
    for (let i = 0; i < counts.length; i++) {
      const left = counts[i]!.remaining(now);
      if (left < remaining) {
        remaining = left;
        limit = rules[i]!.calls;
      }
      fullAt = Math.max(fullAt, counts[i]!.fullAt(now));
    }
    const inMs = waitMs > 0 ? waitMs : fullAt - now;
    return { limit, remaining, reset: Math.ceil((this.clock.now() + inMs) / 1000), waitMs };
  }

  #bucket(kind: BucketKind, key: string, rules: Rules, own: string | undefined): Bucket {
    const table = this.#tables[kind];
    const known = table.get(key);
    if (known && known.rules === rules) return known;
    const fresh = new Bucket(kind, key, rules, own);
    table.set(key, fresh);
    return fresh;
  }

  #markUnshared(bucket: Bucket, listener: () => void): void {
    if (bucket.unshared === 0) {
      if (this.#unshared.length >= MAX_UNSHARED) return;
      if (this.#unshared.push(bucket) === 1) listener();
    }
    bucket.unshared++;
  }

  /** Collects counts for `takeUnshared` from now on. @param listener called when the first unshared count arrives */
  onUnshared(listener: () => void): void {
    this.#unsharedListener = listener;
  }

  /** Takes the unshared counts of at most this many buckets. */
  takeUnshared(maxBuckets: number): SharedCount[] {
    return this.#unshared.splice(0, maxBuckets).map((bucket) => {
      const { kind, key, unshared, own } = bucket;
      bucket.unshared = 0;
      return { kind, key, calls: unshared, own };
    });
  }

  get hasUnshared(): boolean {
    return this.#unshared.length > 0;
  }

  /** Adds calls that another process counted. */
  add({ kind, key, calls, own }: SharedCount, rules: Rules): void {
    const now = this.clock.monotonic();
    for (const count of this.#bucket(kind, key, rules, own).counts) count.add(calls, now);
  }
}
