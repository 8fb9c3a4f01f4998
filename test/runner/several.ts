/**
 * Runs test files one after the other in this process: starting Node, loading tap and loading the server take longer
 * than most unit tests. `TEST_FILES='FILE FILE' node dist/test/runner/several.js NAME`; each of the files also runs
 * alone. The name of the bundle keeps the temporary folders of `t.testdir` apart.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { endChildren, treeCpuSeconds } from './cpu-time.js';
import { FILE_END, FILE_MARK } from './facts.js';
import { endShared } from './shared.js';

/** Teardowns of the current file: as teardowns of the root, they would end the whole run at the first file. */
const teardowns: (() => unknown)[] = [];
t.teardown = (teardown: () => unknown) => {
  teardowns.unshift(teardown);
  return t;
};
/** Time of each file, ms, unless it sets another one. */
const FILE_MS = Number(process.env.TAP_TIMEOUT ?? 30) * 1_000;

const costs: string[] = [];

for (const file of (process.env.TEST_FILES ?? '').split(' ').filter(Boolean)) {
  t.comment(`${FILE_MARK}${file}`);
  // The time counts from here.
  t.setTimeout(FILE_MS);
  const [before, start] = [treeCpuSeconds(), performance.now()];
  try {
    await import(pathToFileURL(resolve(file)).href);
  } catch (error) {
    t.fail(`${file} can be loaded`, { error: String((error as Error).stack ?? error) });
  }
  // Subtests that the file did not wait for come first.
  await t.test(FILE_END, async () => {});
  for (const teardown of teardowns.splice(0)) await teardown();
  const took = (performance.now() - start) / 1e3;
  costs.push(`${(treeCpuSeconds() - before).toFixed(1)} s CPU, ${took.toFixed(1)} s: ${file}`);
}
t.comment(['cost of each file, with its child processes', ...costs].join('\n'));
await endChildren(endShared);
