/**
 * Starts workers from the built program. A server in this process starts the compiled script beside it, which takes
 * 1.0 s of CPU to load; the bundle with its code cache takes 0.45 s, and is the one that users run.
 */
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';

const SCRIPT = fileURLToPath(new URL('../../../program/worker-process.js', import.meta.url));

/**
 * The server passes the options of its own process to each worker, before the script. A path at their end is the
 * script for Node, and the path that follows is an argument that no worker reads. Options of the test runner are left
 * out: its preloaded files are for tests, and with its options of the compiler V8 refuses the code cache.
 */
export function startBuiltWorkers(t: Test): void {
  const { execArgv } = process;
  const before = [...execArgv];
  const heapSizes = before.filter((option) => option.includes('-semi-space-size='));
  execArgv.splice(0, before.length, ...heapSizes, SCRIPT);
  t.teardown(() => execArgv.splice(0, execArgv.length, ...before));
}
