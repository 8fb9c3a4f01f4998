/** One clock for all processes of the harness: the system's monotonic one. */

/** performance.now() counts from this process's start. */
const OFFSET_MS: number = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** Milliseconds with fractions; the same in every process of this machine. */
export const now = (): number => performance.now() + OFFSET_MS;
