/**
 * Times of the weekly digest: which days are digest days, and at which moment of such a day the digest of a user is
 * made. Days and weekdays are those of UTC. The functions have no side effects.
 */
import type { RealmId, UserId } from '#model';

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** Weekday of 1 January 1970, a Thursday, as the setting digest_weekday counts: 0 is Monday. */
const WEEKDAY_OF_DAY_ZERO = 3;

/** Digests of a digest day are planned in waves; a wave plans the digests of this many milliseconds. */
export const DIGEST_WAVE_MS = 15 * 60_000;
/** Time without activity after which a user gets a digest, ms. */
export const INACTIVITY_BEFORE_DIGEST_MS = 5 * DAY_MS;
/** Age at which a planned digest that could not be made is left out, ms. */
export const MAX_DIGEST_DELAY_MS = DAY_MS;
/** Minimum time between two digests of a user, ms. */
export const MIN_DIGEST_INTERVAL_MS = WEEK_MS;

/** Returns the weekday of a moment, as the setting digest_weekday counts: 0 is Monday. */
export const digestWeekdayOf = (time: number): number => (Math.floor(time / DAY_MS) + WEEKDAY_OF_DAY_ZERO) % 7;

/** Returns the begin of the newest digest day that has begun. */
export const latestDigestDayStart = (now: number, weekday: number): number =>
  (Math.floor(now / DAY_MS) - ((digestWeekdayOf(now) - weekday + 7) % 7)) * DAY_MS;

/**
 * Returns the time from the begin of a digest day until the digest of this user is made, ms. Consecutive users are
 * spread evenly over the day, and the same user gets each digest at the same time of day.
 */
export const digestTimeOfDay = (realm: RealmId, user: UserId): number =>
  Math.floor((((Math.imul(user, 0x9e3779b1) ^ Math.imul(realm, 0x85ebca6b)) >>> 0) / 2 ** 32) * DAY_MS);

/** The part of a digest day whose digests are planned together, wall time, ms. */
export interface DigestWave {
  readonly dayStart: number;
  readonly from: number;
  /** End of the wave; the wave does not contain it. */
  readonly until: number;
}

/** Returns the wave that is to be planned now, with all that was not planned before on the same day. */
export function findDigestWave(plannedUntil: number, weekday: number, now: number): DigestWave | undefined {
  const dayStart = latestDigestDayStart(now, weekday);
  const from = Math.max(plannedUntil, dayStart);
  const until = Math.min(now + DIGEST_WAVE_MS, dayStart + DAY_MS);
  return from < until ? { dayStart, from, until } : undefined;
}

/** Returns the time at which the next wave is to be planned, ms. */
export function nextDigestWaveTime(plannedUntil: number, weekday: number): number {
  const dayStart = latestDigestDayStart(plannedUntil, weekday);
  return plannedUntil < dayStart + DAY_MS ? plannedUntil : dayStart + WEEK_MS;
}
