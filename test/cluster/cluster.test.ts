/** Simulated cluster under faults, 10 of 50 seeds in a short run; more seeds: `npm run simulate -- --seeds 2000`. */
import t from 'tap';
import { picked } from '../support/rounds.js';
import { ClusterRun } from './cluster-run.js';
import { makeStartState } from './start-state.js';

const SEEDS = Array.from({ length: 50 }, (_, index) => index + 1);
/** Number of seeds in a short run. */
const SHORT_RUN_SEEDS = 10;
/** Seeds whose runs are repeated; a short run repeats one of them. */
const REPEATED_SEEDS = [3, 5, 8];

t.test('acknowledged writes and event queues survive every fault', { timeout: 300_000 }, async (t) => {
  const unhandledRejections: string[] = [];
  const onUnhandledRejection = (error: unknown): void => void unhandledRejections.push(String(error));
  process.on('unhandledRejection', onUnhandledRejection);
  t.teardown(() => process.off('unhandledRejection', onUnhandledRejection));
  const start = await makeStartState();
  const sum = { responses: 0, events: 0, faults: 0 };
  const seeds = picked(SEEDS, SHORT_RUN_SEEDS, String);
  for (const seed of seeds) {
    const { problems, responses, events, faults } = await new ClusterRun(seed, start).run();
    t.same(
      [...unhandledRejections.splice(0), ...problems],
      [],
      `seed ${seed}: npm run simulate -- --seed ${seed} --trace`,
    );
    sum.responses += responses;
    sum.events += events;
    sum.faults += faults;
  }
  t.comment(JSON.stringify(sum));
  const { length } = seeds;
  t.ok(
    sum.responses > 25 * length && sum.events > 50 * length && sum.faults > 5 * length,
    'the runs had responses, events and faults',
  );
});

t.test('equal seeds give equal runs', { timeout: 100_000 }, async (t) => {
  const start = await makeStartState();
  const fingerprint = async (seed: number): Promise<string> => (await new ClusterRun(seed, start).run()).fingerprint;
  for (const seed of picked(REPEATED_SEEDS, 1, (seed) => `repeated ${seed}`))
    t.equal(await fingerprint(seed), await fingerprint(seed));
});
