/**
 * Simulation of the runtime with test kinds. Seeds 1 to 5000: `SEEDS=5000 node dist/test/cluster/runtime.test.js`.
 * One seed with its trace: `ONE_SEED=123 node dist/test/cluster/runtime.test.js`.
 */
import t from 'tap';
import { picked } from '../support/rounds.js';
import { RuntimeRun } from './runtime-run.js';

const onlySeed = process.env.ONE_SEED === undefined ? undefined : Number(process.env.ONE_SEED);
/** Number of seeds in a short run; a long run has 500. */
const SHORT_RUN_SEEDS = 125;
const all = Array.from({ length: Number(process.env.SEEDS ?? 500) }, (_, index) => index + 1);
const seedCount = process.env.SEEDS === undefined ? SHORT_RUN_SEEDS : all.length;
const seeds = onlySeed === undefined ? picked(all, seedCount, (seed) => `runtime ${seed}`) : [onlySeed];

t.test(
  'commits, replies, the outbox and the log stay correct under crashes, stale owners and lost frames',
  { timeout: 300_000 },
  async (t) => {
    const failed: number[] = [];
    let responses = 0;
    let steps = 0;
    const startMs = performance.now();
    for (const seed of seeds) {
      if (failed.length >= 20) break;
      const result = await new RuntimeRun(seed).run();
      responses += result.responses;
      steps += result.steps;
      if (result.problems.length === 0) continue;
      failed.push(seed);
      if (failed.length > 1 && onlySeed === undefined) continue;
      t.comment(`ONE_SEED=${seed}\n${result.trace.join('\n')}`);
      t.fail(`seed ${seed}`, { problems: result.problems });
    }
    t.same(failed, [], 'failing seeds');
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
    t.comment(`${seeds.length} seeds, ${steps} steps, ${responses} responses, ${seconds} s`);
    t.ok(responses > 0, 'some commands have a response');
  },
);

t.test('equal seeds give equal runs', async (t) => {
  for (const seed of [3, 4])
    t.equal((await new RuntimeRun(seed).run()).fingerprint, (await new RuntimeRun(seed).run()).fingerprint);
});
