/**
 * Preloaded by the runner: the program writes at its end how much CPU it and the processes that it
 * started and waited for have used. The time on the clock depends on what else the machine does; this figure hardly.
 */
import { readFileSync } from 'node:fs';
import { CPU_MARK } from './facts.js';

/** Ticks per second of /proc, on every Linux that Node runs on. */
const TICKS = 100;

/** CPU seconds of this process and of its ended children; 0 where there is no /proc. */
function cpuSeconds(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // The name of the program, in parentheses, may contain blanks; the times of user and system follow as 12 to 15.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS;
  } catch {
    return 0;
  }
}

process.on('exit', () => process.stdout.write(`# ${CPU_MARK}${cpuSeconds()}\n`));
