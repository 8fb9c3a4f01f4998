/**
 * Loaded before each test program (`node --import`), in this order. Threads that a program starts load it too: they run
 * no tests, and tap's packages would cost each of them a quarter of a second.
 */
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  for (const name of ['no-async-hooks', 'equal-first', 'counted-facts', 'cpu-time']) await import(`./${name}.js`);
}
