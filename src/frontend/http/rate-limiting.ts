/** Counts the calls that pass a frontend, and says in answers how their limits stand (conventions.md § Rate limits). */

import type { RateStanding } from '#base';
import type { Operation } from '#frontend/api';
import { type ClientAddresses, narrower, type RateLimits, type Standing } from '#frontend/limits';
import { apiError } from '#model/errors';
import type { Arrival } from './arrival.js';
import type { Caller } from './services.js';

export class RateLimiting {
  constructor(
    private readonly limits: RateLimits,
    private readonly addresses: ClientAddresses,
  ) {}

  /** Somebody's proxies are trusted: what they say must be read with the head. */
  get readsForwarded(): boolean {
    return !this.addresses.none;
  }

  /** @throws ApiError RATE_LIMIT_HIT */
  caller(arrival: Arrival, { rateLimit }: Operation, { realm, user }: Caller): void {
    if (rateLimit === undefined) meet(arrival, this.limits.user('user', realm, user));
    else if (rateLimit === 'polls') meet(arrival, this.limits.user('polls', realm, user));
  }

  /** A call without account. @throws ApiError RATE_LIMIT_HIT */
  nobody(arrival: Arrival, { rateLimit }: Operation): void {
    if (rateLimit !== 'none') meet(arrival, this.limits.address(this.#networkOf(arrival)));
  }

  /** @throws ApiError RATE_LIMIT_HIT */
  letter(arrival: Arrival): void {
    meet(arrival, this.limits.mails(this.#networkOf(arrival)));
  }

  /** @throws ApiError RATE_LIMIT_HIT */
  visit(arrival: Arrival, path: string): void {
    meet(arrival, this.limits.file(path));
  }

  #networkOf({ exchange, forwardedFor }: Arrival): string {
    return this.addresses.networkOf(exchange.remoteAddress(), forwardedFor);
  }
}

/** @throws ApiError RATE_LIMIT_HIT */
function meet(arrival: Arrival, standing: Standing | undefined): void {
  if (!standing) return;
  arrival.rate = narrower(standing, arrival.rate);
  if (standing.waitMs > 0) throw apiError('RATE_LIMIT_HIT', { 'retry-after': standing.waitMs / 1000 });
}

/** For `HttpExchange.respond`; '' where nothing was counted. */
export const rateHeaders = (rate: RateStanding | undefined): string =>
  rate === undefined
    ? ''
    : `\r\nX-RateLimit-Limit: ${rate.limit}\r\nX-RateLimit-Remaining: ${rate.remaining}\r\nX-RateLimit-Reset: ${rate.reset}`;
