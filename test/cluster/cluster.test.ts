/** The whole cluster under faults, 20 of 50 seeds; many: `npm run simulate -- --seeds 2000` (simulate.ts). */
import t from 'tap';
import { picked } from '../support/rounds.js';
import { ClusterRun } from './cluster-run.js';
import { beginning } from './genesis.js';

const SEEDS = Array.from({ length: 50 }, (_, index) => index + 1);
/** How many of them a short run tries. */
const PICKED = 20;

t.test('nothing acknowledged is lost, no queue dies, whatever fails', { timeout: 300_000 }, async (t) => {
  const thrown: string[] = [];
  const uncaught = (error: unknown): void => void thrown.push(String(error));
  process.on('unhandledRejection', uncaught);
  t.teardown(() => process.off('unhandledRejection', uncaught));
  const start = await beginning();
  const sum = { answered: 0, events: 0, faults: 0 };
  for (const seed of picked(SEEDS, PICKED, String)) {
    const { problems, answered, events, faults } = await new ClusterRun(seed, start).run();
    t.same([...thrown.splice(0), ...problems], [], `seed ${seed}: npm run simulate -- --seed ${seed} --trace`);
    sum.answered += answered;
    sum.events += events;
    sum.faults += faults;
  }
  t.comment(JSON.stringify(sum));
  t.ok(sum.answered > 500 && sum.events > 1_000 && sum.faults > 100, 'much happened');
});

t.test('a seed gives the same run every time', { timeout: 100_000 }, async (t) => {
  const start = await beginning();
  const fingerprint = async (seed: number): Promise<string> => (await new ClusterRun(seed, start).run()).fingerprint;
  for (const seed of [3, 5, 8]) t.equal(await fingerprint(seed), await fingerprint(seed));
});
