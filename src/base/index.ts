/**
 * Base: code without any knowledge of chat, used by every wing. It imports nothing but packages and Node.
 *
 * - JSON: `Json` (values that store, log and bus return unchanged), `parseJsonText` (safe parsing of parameters),
 *   `encodeResponseFields` (response bodies from encoded parts).
 * - Collections: `IdSet` (delta-encoded id sets), ascending lists of numbers, lazy maps and sets (shared while empty).
 * - Byte arrays whose memory is reused (`leased-bytes.ts`).
 * - Concurrency on one event loop: `SingleFlight`, `Semaphore`, `TimeSlicer`.
 * - `memoizeByObject`, rate limits over sliding windows (`rates.ts`), the safeguard of data against a clock that is
 *   ahead (`late-deletions.ts`), invisible characters of names, formats of dates
 *   and URLs, HTML escaping, the networks that outgoing requests may reach (`ip-networks.ts`).
 *
 * Folders with doors of their own: `clock` (time that tests can move), `threads` (worker pool), `disk` (private and
 * durable files), `metrics` (declared metrics and their Prometheus format).
 */
export {
  CachedResponseFields,
  EncodedJson,
  encodeAllResponseFieldParts,
  encodeResponseFieldParts,
  encodeResponseFields,
  joinSmallParts,
  type ResponseFields,
} from './encode-fields.js';
export { escapeHtml, unescapeHtml } from './escape-html.js';
export { isHttpOrFtpUrl, isIsoDate } from './formats.js';
export { AscendingIdSetEncoder, EncodedIdCursor, EncodedIdCursors, IdSet } from './id-set.js';
export { foldNameAsShown, hasVisibleCharacter, withoutInvisibleCharacters } from './invisible-characters.js';
export { ForbiddenAddressError, OutgoingAddressFilter, parseIpNetworkList } from './ip-networks.js';
export type { Json, JsonObject } from './json.js';
export { cleanParsedJson, JsonFloat, type ParsedJsonText, parseJsonText, TooManyJsonValuesError } from './json-text.js';
export { findPauseOfLateDeletion, LATE_DELETION_PAUSE_MS, mayClockBeAhead } from './late-deletions.js';
export { newLazyMap, newLazySet, toWritableMap, toWritableSet } from './lazy-collections.js';
export {
  copyOutOfLease,
  endLeaseOfBytes,
  keepLeasedBytes,
  LEASED_BUFFER_BYTES,
  leaseBytes,
  MIN_LEASED_BYTES,
} from './leased-bytes.js';
export type { Logger } from './logger.js';
export { memoizeByObject } from './memoize.js';
export {
  addRateLimitedCallTime,
  computeRateLimitStatus,
  isAnyCallStillCounted,
  msUntilCallAllowed,
  type RateLimit,
  type RateLimitStatus,
} from './rates.js';
export { Semaphore } from './semaphore.js';
export { SingleFlight } from './single-flight.js';
export { findLowerBoundIndex, sortedNumbersInclude, withNumberInOrOut } from './sorted-numbers.js';
export { filterInSlices, mapInSlices, TIME_SLICE_MS, TimeSlicer } from './time-slices.js';
export { withDoubledLength, withLength } from './typed-arrays.js';
export { PROCESS_START_SECONDS, SERVER_VERSION } from './version.js';
