/**
 * Applies the configured rate rules, or those of the account, to calls (conventions.md § Rate limits). A refused call
 * (`waitMs` > 0) is not counted.
 */
import type { RateLimitStatus } from '#base';
import type { Clock } from '#base/clock';
import type { RealmId } from '#model';
import type { DirectoryUser } from '#model/records';
import { type RateBucketKind, RateBuckets, type RateLimitVerdict, type SharedRateBucketCount } from './buckets.js';
import { parseAccountRateRulesOrUnlimited, type RateLimitRules } from './rules.js';

/** Configured rate limits; an empty list means no limit. */
interface ConfiguredRateRules {
  /** Rules for an account without rules of its own: polls and all other calls are counted separately. */
  readonly user: RateLimitRules;
  /** Rules for calls without an account, for each network address. */
  readonly address: RateLimitRules;
  /** Rules for e-mails sent by calls without an account, for each network address. */
  readonly mails: RateLimitRules;
  /** Rules for downloads without an account, for each uploaded file. */
  readonly file: RateLimitRules;
}

/** Selects the limit that leaves fewer calls, which the headers of the answer show. */
export const selectTighterLimit = (
  one: RateLimitStatus | undefined,
  other: RateLimitStatus | undefined,
): RateLimitStatus | undefined => (one && (!other || one.remaining < other.remaining) ? one : other);

export class BucketRateLimiter {
  readonly buckets: RateBuckets;
  /** Number of refused calls, by the kind of bucket that refused them. */
  readonly refusedCountByKind: Record<RateBucketKind, number> = { user: 0, polls: 0, address: 0, mails: 0, file: 0 };

  constructor(
    clock: Clock,
    private readonly rules: ConfiguredRateRules,
  ) {
    this.buckets = new RateBuckets(clock);
  }

  /** Counts a call of an account under its limit. Returns undefined if there is no limit. */
  countUserCall(
    kind: 'user' | 'polls',
    realm: RealmId,
    { id, rateLimits }: DirectoryUser,
  ): RateLimitVerdict | undefined {
    const own = rateLimits;
    return this.#countCall(
      kind,
      `${realm}/${id}`,
      own === undefined ? this.rules.user : parseAccountRateRulesOrUnlimited(own),
      own,
    );
  }

  /** Counts a call without an account. @param address from `ClientAddressResolver.rateLimitedNetworkOf` */
  countAddressCall(address: string): RateLimitVerdict | undefined {
    return this.#countCall('address', address, this.rules.address);
  }

  /** Counts an e-mail that a call without an account is about to send. */
  countAnonymousMail(address: string): RateLimitVerdict | undefined {
    return this.#countCall('mails', address, this.rules.mails);
  }

  /** Counts a download of an uploaded file without an account. */
  countAnonymousFileDownload(path: string): RateLimitVerdict | undefined {
    return this.#countCall('file', path, this.rules.file);
  }

  #countCall(kind: RateBucketKind, key: string, rules: RateLimitRules, own?: string): RateLimitVerdict | undefined {
    if (rules.length === 0) return undefined;
    const standing = this.buckets.countCallUnlessOverLimit(kind, key, rules, own);
    if (standing.waitMs > 0) this.refusedCountByKind[kind]++;
    return standing;
  }

  /** Adds calls that another process counted. */
  addCallsOfOtherProcess(count: SharedRateBucketCount): void {
    const { ownRulesText, kind } = count;
    const rules =
      ownRulesText === undefined
        ? this.rules[kind === 'polls' ? 'user' : kind]
        : parseAccountRateRulesOrUnlimited(ownRulesText);
    if (rules.length > 0) this.buckets.addSharedCalls(count, rules);
  }
}
