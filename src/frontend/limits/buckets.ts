/**
 * The buckets in which calls are counted: of a user, of an address, … Local and at once; what other processes counted is added
 * when they tell (sharing.ts).
 */

import type { RateStanding } from '#base';
import type { Clock } from '#base/clock';
import { BoundedTable } from './bounded-table.js';
import { type Count, LeakyCount, SlidingCount } from './counts.js';
import type { Rules } from './rules.js';

/**
 * user: all calls of an account but polls; polls: those; address: calls without account, by network address; mails: letters that
 * such a call has sent, by address; file: visitors' access to one file.
 */
export type BucketKind = 'user' | 'polls' | 'address' | 'mails' | 'file';

/** How a bucket stands after a call: by the rule that leaves least. */
export interface Standing extends RateStanding {
  /** Milliseconds until it may be repeated; 0: it was counted. */
  readonly waitMs: number;
}

/** Calls that another process counted. */
export interface Told {
  readonly kind: BucketKind;
  readonly key: string;
  readonly calls: number;
  /** Rules of this account, as `rulesOf` reads them; undefined: the usual ones. */
  readonly own: string | undefined;
}

class Bucket {
  readonly counts: readonly Count[];
  /** Counted here, and not told to others yet. */
  untold = 0;

  constructor(
    readonly kind: BucketKind,
    readonly key: string,
    readonly rules: Rules,
    readonly own: string | undefined,
  ) {
    const leaks = kind === 'polls';
    this.counts = rules.map((rule) => (leaks ? new LeakyCount(rule) : new SlidingCount(rule)));
  }
}

/** Entries of each kind; the longest quiet are forgotten, which lets their callers begin anew. */
const MOST: Readonly<Record<BucketKind, number>> = {
  user: 100_000,
  polls: 100_000,
  address: 100_000,
  mails: 50_000,
  file: 50_000,
};

/** Callers that may wait to be told of. Of more, others learn nothing. */
const MOST_NEWS = 100_000;

export class Buckets {
  readonly #tables: Readonly<Record<BucketKind, BoundedTable<Bucket>>>;
  /** Buckets with something untold. */
  #news: Bucket[] = [];
  #onNews: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    most: Readonly<Record<BucketKind, number>> = MOST,
  ) {
    const table = (kind: BucketKind) => new BoundedTable<Bucket>(most[kind]);
    this.#tables = {
      user: table('user'),
      polls: table('polls'),
      address: table('address'),
      mails: table('mails'),
      file: table('file'),
    };
  }

  /** Callers that are remembered. */
  size(kind: BucketKind): number {
    return this.#tables[kind].size;
  }

  /** Count one call, unless it is one too many. @param rules at least one @param own their text, where they are the caller's own */
  take(kind: BucketKind, key: string, rules: Rules, own?: string): Standing {
    const now = this.clock.monotonic();
    const bucket = this.#bucket(kind, key, rules, own);
    const { counts } = bucket;
    let waitMs = 0;
    for (const count of counts) waitMs = Math.max(waitMs, count.wait(now));
    if (waitMs === 0) {
      for (const count of counts) count.add(1, now);
      if (this.#onNews) this.#untold(bucket, this.#onNews);
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

  #untold(bucket: Bucket, onNews: () => void): void {
    if (bucket.untold === 0) {
      if (this.#news.length >= MOST_NEWS) return;
      if (this.#news.push(bucket) === 1) onNews();
    }
    bucket.untold++;
  }

  /** From now on what is counted is kept for `news`. @param onNews there is some, and was none before */
  watch(onNews: () => void): void {
    this.#onNews = onNews;
  }

  /** What was counted here and not told yet, of at most so many callers. */
  news(most: number): Told[] {
    return this.#news.splice(0, most).map((bucket) => {
      const { kind, key, untold, own } = bucket;
      bucket.untold = 0;
      return { kind, key, calls: untold, own };
    });
  }

  get hasNews(): boolean {
    return this.#news.length > 0;
  }

  /** Others counted this. */
  add({ kind, key, calls, own }: Told, rules: Rules): void {
    const now = this.clock.monotonic();
    for (const count of this.#bucket(kind, key, rules, own).counts) count.add(calls, now);
  }
}
