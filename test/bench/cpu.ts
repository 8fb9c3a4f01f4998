/** CPU time and memory of other processes, from Linux's /proc. */
import { readFileSync } from 'node:fs';
import { readProcStat } from '../support/proc-stat.js';

/** Linux counts in ticks of 10 ms. */
const TICK_MS = 10;
const PAGE_BYTES = 4_096;

/** @returns the sum of user and system time of the processes, ms; NaN without /proc */
export function cpuMs(pids: readonly number[]): number {
  let ticks = 0;
  for (const pid of pids) {
    const fields = readProcStat(pid);
    if (!fields) return Number.NaN;
    ticks += Number(fields[11]) + Number(fields[12]);
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
