/** CPU time and memory of other processes, from Linux's /proc. */
import { readFileSync } from 'node:fs';

/** Linux counts in ticks of 10 ms. */
const TICK_MS = 10;
const PAGE_BYTES = 4_096;

/** @returns the sum of user and system time of the processes, ms; NaN without /proc */
export function cpuMs(pids: readonly number[]): number {
  let ticks = 0;
  for (const pid of pids) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      // The second field is the name in parentheses, which may hold spaces.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      return Number.NaN;
    }
  }
  return ticks * TICK_MS;
}

/** @returns the sum of the resident memory of the processes; NaN without /proc */
export function rssBytes(pids: readonly number[]): number {
  let pages = 0;
  for (const pid of pids) {
    try {
      pages += Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]);
    } catch {
      return Number.NaN;
    }
  }
  return pages * PAGE_BYTES;
}
