/**
 * One clock for all processes of the harness: the system's monotonic one. It is read as it is: an offset to this
 * process's own clock would be wrong by as long as the process waits for a core while it works the offset out.
 */

/** Milliseconds with fractions; the same in every process of this machine. */
export function now(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
