export type { BucketKind, CallVerdict } from './buckets.js';
export { ClientAddresses } from './client-address.js';
export { NO_LIMITS, RateLimits, type RateRules, tighterLimit } from './rate-limits.js';
export { parseRules, type Rule, type Rules } from './rules.js';
export { CountSharing, type FrontendBroadcast } from './sharing.js';
