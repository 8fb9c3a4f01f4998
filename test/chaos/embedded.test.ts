/** Short form of `npm run chaos -- --face embedded`: kill -9 of the single server at random times under load. */
import t from 'tap';
import { rounds } from '../support/rounds.js';
import { faultsIn } from './command.js';
import { formatReport } from './report.js';
import { Cleanup, runChaos } from './run.js';

const ROUNDS = rounds(1, 20);

t.test('an embedded server survives kill -9 while clients send, edit, react and poll', async (test) => {
  const cleanup = new Cleanup();
  test.teardown(() => cleanup.run());
  const options = {
    ...({ face: 'embedded', services: undefined, seed: Number(process.env.SEED ?? Date.now() % 1e6) } as const),
    ...{
      seconds: undefined,
      kills: ROUNDS,
      cuts: 0,
      cutSeconds: 0,
      every: 2.5,
      rate: rounds(12, 50),
      clients: rounds(6, 10),
      subscribers: 5,
      hosts: 0,
      frontends: 0,
    },
    ...{ report: undefined, logs: undefined, logStreams: undefined },
  };
  const report = await runChaos(options, cleanup, (words) => test.comment(words));
  for (const line of formatReport(report).split('\n')) test.comment(line);
  test.strictSame(faultsIn(report), [], 'nothing acknowledged is lost or repeated, no queue ends');
  test.equal(report.each.length, ROUNDS);
  test.ok(report.acknowledged > ROUNDS, `sends went on: ${report.acknowledged}`);
});
