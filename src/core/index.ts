export { emptyMap, emptySet, ownMap, ownSet, slimMap } from './empty.js';
export { escapeHtml } from './escape-html.js';
export { isDate, isUrl } from './formats.js';
export { IdSet } from './id-set.js';
export * from './ids.js';
export * from './json.js';
export { madeOnce } from './made-once.js';
export { type Limit, type RateStanding, RecentTimes, standingOf, waitFor, withTime } from './rates.js';
export { SharedRuns } from './shared-runs.js';
