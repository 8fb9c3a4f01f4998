/**
 * How often a password may be tried (conventions.md § Rate limits: 5 failed logins per 30 minutes). The times of failed
 * attempts are kept with the account, so that neither a restart nor another host gives new ones. Pure.
 */
const WINDOW_MS = 30 * 60_000;
const MOST = 5;

/** Milliseconds until the next attempt is allowed; 0: it is. @param failures times of failed attempts, ms, ascending */
export function waitForAttempt(failures: readonly number[], now: number): number {
  const fifth = failures.at(-MOST);
  return fifth === undefined ? 0 : Math.max(0, fifth + WINDOW_MS - now);
}

/** With one more; only those that still count. */
export const withFailure = (failures: readonly number[], now: number): number[] =>
  [...failures.filter((at) => at + WINDOW_MS > now), now].slice(-MOST);
