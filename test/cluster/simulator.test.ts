/**
 * Seeds from 1 on: `SEEDS=5000 node dist/test/cluster/simulator.test.js`. One failing seed again:
 * `ONE_SEED=123 node dist/test/cluster/simulator.test.js`.
 */
import t from 'tap';
import { picked } from '../support/rounds.js';
import { Run } from './scenario.js';

const one = process.env.ONE_SEED === undefined ? undefined : Number(process.env.ONE_SEED);
/** Number of seeds that a short run tries. */
const PICKED = 250;
const all = Array.from({ length: Number(process.env.SEEDS ?? 500) }, (_, index) => index + 1);
const most = process.env.SEEDS === undefined ? PICKED : all.length;
const seeds = one === undefined ? picked(all, most, (seed) => `runtime ${seed}`) : [one];

t.test(
  'what the runtime promises holds under crashes, stale owners and lost frames',
  { timeout: 300_000 },
  async (t) => {
    const failed: number[] = [];
    let answered = 0;
    let steps = 0;
    const begun = performance.now();
    for (const seed of seeds) {
      if (failed.length >= 20) break;
      const result = await new Run(seed).run();
      answered += result.answered;
      steps += result.steps;
      if (result.problems.length === 0) continue;
      failed.push(seed);
      if (failed.length > 1 && one === undefined) continue;
      t.comment(`ONE_SEED=${seed}\n${result.trace.join('\n')}`);
      t.fail(`seed ${seed}`, { problems: result.problems });
    }
    t.same(failed, [], 'failing seeds');
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    t.comment(`${seeds.length} seeds, ${steps} steps, ${answered} answered commands, ${seconds} s`);
    t.ok(answered > 0);
  },
);

t.test('a seed gives the same run every time', async (t) => {
  for (const seed of [3, 4]) t.equal((await new Run(seed).run()).fingerprint, (await new Run(seed).run()).fingerprint);
});
