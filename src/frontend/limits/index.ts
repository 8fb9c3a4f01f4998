export type { BucketKind, Standing } from './buckets.js';
export { ClientAddresses } from './client-address.js';
export { NO_LIMITS, narrower, RateLimits, type RateRules } from './rate-limits.js';
export { parseRules, type Rule, type Rules } from './rules.js';
export { CallSharing, type Everybody } from './sharing.js';
