/**
 * The `rate` step of the pipeline: counts calls, and states in answers how their limits stand (conventions.md § Rate
 * limits).
 */
import type { RateLimitStatus } from '#base';
import type { ApiOperation } from '#frontend/api';
import {
  type BucketRateLimiter,
  type ClientAddressResolver,
  type RateLimitVerdict,
  selectTighterLimit,
} from '#frontend/limits';
import { apiError } from '#model/errors';
import type { HttpExchange } from './server.js';
import type { AuthenticatedCaller } from './services.js';

/** A request as the limiter needs it; implemented by InboundRequest. */
export interface RateLimitedRequest {
  readonly exchange: HttpExchange;
  /** Value of X-Forwarded-For; '' where no proxy is trusted. */
  readonly forwardedFor: string;
  /** State of the tightest rate limit under which the request has been counted; undefined if none. */
  rateLimitStatus: RateLimitStatus | undefined;
}

export class ApiCallRateLimiter {
  constructor(
    private readonly limits: BucketRateLimiter,
    private readonly addresses: ClientAddressResolver,
  ) {}

  /** True if X-Forwarded-For has to be read with the head, because some proxy is trusted. */
  get readsForwardedFor(): boolean {
    return !this.addresses.trustsNoProxy;
  }

  /** Counts a call of an account. @throws ApiError RATE_LIMIT_HIT */
  countAccountCall(
    request: RateLimitedRequest,
    { rateLimit }: ApiOperation,
    { realm, user }: AuthenticatedCaller,
  ): void {
    if (rateLimit === undefined) applyRateLimitVerdict(request, this.limits.countUserCall('user', realm, user));
    else if (rateLimit === 'polls') applyRateLimitVerdict(request, this.limits.countUserCall('polls', realm, user));
  }

  /** Counts a call without credentials, by network address. @throws ApiError RATE_LIMIT_HIT */
  countAnonymousCall(request: RateLimitedRequest, { rateLimit }: ApiOperation): void {
    if (rateLimit !== 'none')
      applyRateLimitVerdict(request, this.limits.countAddressCall(this.#clientNetworkOf(request)));
  }

  /** Counts an e-mail that a call without credentials sends. @throws ApiError RATE_LIMIT_HIT */
  countAnonymousMail(request: RateLimitedRequest): void {
    applyRateLimitVerdict(request, this.limits.countAnonymousMail(this.#clientNetworkOf(request)));
  }

  /** Counts a download of one file without credentials. @throws ApiError RATE_LIMIT_HIT */
  countAnonymousFileDownload(request: RateLimitedRequest, path: string): void {
    applyRateLimitVerdict(request, this.limits.countAnonymousFileDownload(path));
  }

  #clientNetworkOf({ exchange, forwardedFor }: RateLimitedRequest): string {
    return this.addresses.rateLimitedNetworkOf(exchange.remoteAddress(), forwardedFor);
  }
}

/** Stores the state of a rate limit for the answer's headers. @throws ApiError RATE_LIMIT_HIT */
function applyRateLimitVerdict(request: RateLimitedRequest, verdict: RateLimitVerdict | undefined): void {
  if (!verdict) return;
  request.rateLimitStatus = selectTighterLimit(verdict, request.rateLimitStatus);
  if (verdict.waitMs > 0) throw apiError('RATE_LIMIT_HIT', { 'retry-after': verdict.waitMs / 1000 });
}

/** Formats the rate-limit header lines for `HttpExchange.respond`; '' where no limit was counted. */
export const formatRateLimitHeaders = (rate: RateLimitStatus | undefined): string =>
  rate === undefined
    ? ''
    : `\r\nX-RateLimit-Limit: ${rate.limit}\r\nX-RateLimit-Remaining: ${rate.remaining}\r\nX-RateLimit-Reset: ${rate.reset}`;
