/**
 * Preloaded by the runner: the program writes at its end how much CPU it and its child processes have used. The time on
 * the clock depends on what else the machine does; this figure hardly.
 */
import { existsSync, readdirSync } from 'node:fs';
import { readProcStat } from '../support/proc-stat.js';
import { CPU_MARK } from './facts.js';

/** Ticks per second of /proc, on every Linux that Node runs on. */
const TICKS = 100;

interface ProcessTimes {
  readonly parent: number;
  /** CPU seconds of the process and of its ended children. */
  readonly seconds: number;
}

/** Undefined for a process that has ended, and where there is no /proc. */
function timesOf(pid: string): ProcessTimes | undefined {
  const fields = readProcStat(pid);
  if (!fields) return undefined;
  // The parent is the 2nd, times are the 12th to 15th.
  const seconds = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS;
  return { parent: Number(fields[1]), seconds };
}

/** CPU seconds of this process, of its ended children and of all processes below it that still run. */
export function treeCpuSeconds(): number {
  const all = new Map<number, ProcessTimes>();
  for (const name of existsSync('/proc') ? readdirSync('/proc') : []) {
    const times = /^\d+$/.test(name) ? timesOf(name) : undefined;
    if (times) all.set(Number(name), times);
  }
  const isBelow = (pid: number): boolean => {
    for (let at: number | undefined = pid; at !== undefined; at = all.get(at)?.parent) {
      if (at === process.pid) return true;
    }
    return false;
  };
  return [...all].reduce((sum, [pid, { seconds }]) => sum + (isBelow(pid) ? seconds : 0), 0);
}

/** CPU of descendants that ended without a parent that waited for them. */
let unwaitedSeconds = 0;

/** Runs the end of child processes. Chromium's renderers are not waited for, so their CPU is read before it. */
export async function endChildren(end: () => Promise<void>): Promise<void> {
  const before = treeCpuSeconds();
  await end();
  unwaitedSeconds += Math.max(0, before - treeCpuSeconds());
}

process.on('exit', () => {
  const own = timesOf('self')?.seconds ?? 0;
  process.stdout.write(`# ${CPU_MARK}${(own + unwaitedSeconds).toFixed(2)}\n`);
});
