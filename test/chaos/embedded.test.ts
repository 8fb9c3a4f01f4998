/** The embedded server is killed with SIGKILL at random times under load. */
import t from 'tap';
import { rounds } from '../support/rounds.js';
import { faultsIn } from './command.js';
import { formatReport } from './report.js';
import { CleanupSteps, runChaos } from './run.js';

const ROUNDS = rounds(1, 20);

t.test('no write is lost when the embedded server is killed while clients send, edit, react and poll', async (test) => {
  const cleanup = new CleanupSteps();
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
  const report = await runChaos(options, cleanup, (line) => test.comment(line));
  for (const line of formatReport(report).split('\n')) test.comment(line);
  test.strictSame(faultsIn(report), [], 'no acknowledged write is lost or repeated, and no queue ends');
  test.equal(report.interruptions.length, ROUNDS);
  test.ok(report.acknowledged > ROUNDS, `acknowledged writes: ${report.acknowledged}`);
});
