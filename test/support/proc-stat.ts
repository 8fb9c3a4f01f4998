import { readFileSync } from 'node:fs';

/**
 * Reads the fields of a process or thread behind its name, so from its state on, in the order of proc_pid_stat(5).
 * Undefined if it has ended, and where there is no /proc.
 * @param task number of the process, `self`, or `PID/task/TID`
 */
export function readProcStat(task: number | string): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${task}/stat`, 'latin1');
    // The name, in parentheses, may contain blanks.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
