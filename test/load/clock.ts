/**
 * Clock of all harness processes: the system's monotonic clock, read directly. An offset to `performance.now()` would
 * be wrong by the time that a process waits for a core while it computes the offset.
 */

/** @returns milliseconds with fractions, comparable between all processes of this machine */
export function now(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
