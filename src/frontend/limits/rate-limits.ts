/** Which limits a call meets (conventions.md § Rate limits). A call that is one too many was not counted: `waitMs` tells. */

import type { RateStanding } from '#base';
import type { Clock } from '#base/clock';
import type { RealmId } from '#model';
import type { DirectoryUser } from '#model/records';
import { type BucketKind, Buckets, type Standing, type Told } from './buckets.js';
import { type Rules, rulesOf } from './rules.js';

/** Empty rules: no limit. */
export interface RateRules {
  /** Of each account, where it has none of its own: once for polls, once for all other calls. */
  readonly user: Rules;
  /** Of each network address, for calls without account. */
  readonly address: Rules;
  /** Letters that such calls have sent, by address. */
  readonly mails: Rules;
  /** Visitors' access to one uploaded file. */
  readonly file: Rules;
}

export const NO_LIMITS: RateRules = { user: [], address: [], mails: [], file: [] };

/** Of two limits that a call met, what its answer shows: the one that leaves less. */
export const narrower = (one: RateStanding | undefined, other: RateStanding | undefined): RateStanding | undefined =>
  one && (!other || one.remaining < other.remaining) ? one : other;

export class RateLimits {
  readonly buckets: Buckets;
  /** Calls that were refused, by the bucket that did. */
  readonly refused: Record<BucketKind, number> = { user: 0, polls: 0, address: 0, mails: 0, file: 0 };

  constructor(
    clock: Clock,
    private readonly rules: RateRules,
  ) {
    this.buckets = new Buckets(clock);
  }

  /** Counts a call of an account. Undefined: there is no limit. */
  user(kind: 'user' | 'polls', realm: RealmId, { id, rateLimits }: DirectoryUser): Standing | undefined {
    const own = rateLimits;
    return this.#take(kind, `${realm}/${id}`, own === undefined ? this.rules.user : rulesOf(own), own);
  }

  /** @param address as `networkOf` gives it */
  address(address: string): Standing | undefined {
    return this.#take('address', address, this.rules.address);
  }

  /** A letter is about to go to an address that somebody gave. */
  mails(address: string): Standing | undefined {
    return this.#take('mails', address, this.rules.mails);
  }

  /** */
  /** A visitor opens it. */
  file(path: string): Standing | undefined {
    return this.#take('file', path, this.rules.file);
  }

  #take(kind: BucketKind, key: string, rules: Rules, own?: string): Standing | undefined {
    if (rules.length === 0) return undefined;
    const standing = this.buckets.take(kind, key, rules, own);
    if (standing.waitMs > 0) this.refused[kind]++;
    return standing;
  }

  /** Another process counted this. */
  add(told: Told): void {
    const rules = told.own === undefined ? this.rules[told.kind === 'polls' ? 'user' : told.kind] : rulesOf(told.own);
    if (rules.length > 0) this.buckets.add(told, rules);
  }
}
