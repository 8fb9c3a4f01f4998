/**
 * Folder limits counts calls and decides whether they exceed a rate limit (conventions.md § Rate limits,
 * decisions/016-rate-limits.md). Failed logins are not counted here: the
 * rule is in `src/domain/secrets/login-attempts.ts`, counted by the account's actor, and for addresses without an
 * account by `actors/login-guard`.
 *
 * The way of a call: ApiCallRateLimiter of folder http → BucketRateLimiter (`rate-limits.ts`: the rules that apply) →
 * Buckets (`buckets.ts`: one bucket per user, address or file) → the counters of its rules (`counts.ts`: sliding
 * window, or leaky bucket for polls). `client-address.ts` gives the network address that a call without an account is
 * counted under; `rules.ts` parses rules; `sharing.ts` exchanges counts between frontends.
 *
 * Invariants: counting is synchronous and waits for no other process. Memory is bounded: `bounded-table.ts` drops the
 * least recently used buckets. A refused call is not counted. Importers: `frontend/http`, `app`.
 */
export type { RateLimitVerdict } from './buckets.js';
export { ClientAddressResolver } from './client-address.js';
export { BucketRateLimiter, selectTighterLimit } from './rate-limits.js';
export { parseRateLimitRules } from './rules.js';
export { RateLimitCountSharing } from './sharing.js';
