/** CPU time and memory of processes, from outside: what a server costs, whatever else the machine does meanwhile. */
import { readFileSync } from 'node:fs';

/** Linux counts in ticks of 10 ms. */
const TICK_MS = 10;
const PAGE_BYTES = 4_096;

/** User and system time of these processes together, milliseconds; NaN where /proc isn't there. */
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

/** Resident memory of these processes together; NaN where /proc isn't there. */
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
