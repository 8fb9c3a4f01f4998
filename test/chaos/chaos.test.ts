/**
 * A short form of `npm run chaos`: 15 seconds of load, in which an actor host and a frontend are killed, and one host
 * can't reach the store.
 */
import t from 'tap';
import { services } from '../clients/support/missing.js';
import { rounds } from '../support/rounds.js';
import { faultsIn } from './command.js';
import { formatReport } from './report.js';
import { CleanupSteps, runChaos } from './run.js';

const found = services();
if (found) {
  t.test(
    'no write is lost when an actor host and a frontend are killed, and one host cannot reach the store',
    async (test) => {
      const cleanup = new CleanupSteps();
      test.teardown(() => cleanup.run());
      const options = {
        ...({ face: 'cluster', services: found, seed: Number(process.env.SEED ?? Date.now() % 1e6) } as const),
        ...{ seconds: rounds(15, 75), kills: 2, cuts: 1, cutSeconds: rounds(9, 15) },
        ...{ every: rounds(5, 18), rate: rounds(12, 50) },
        ...{ clients: rounds(6, 40), subscribers: 10, hosts: rounds(2, 3), frontends: 2 },
        ...{ report: undefined, logs: undefined, logStreams: undefined },
      };
      const report = await runChaos(options, cleanup, (line) => test.comment(line));
      for (const line of formatReport(report).split('\n')) test.comment(line);
      test.strictSame(faultsIn(report), [], 'no acknowledged write is lost or repeated, and no queue ends');
      test.equal(report.interruptions.length, 3, 'two processes were killed, and one host was cut off from the store');
      test.ok(
        report.interruptions.every(({ silent }) => silent === 0),
        'each queue delivered events after each fault',
      );
      test.ok(report.acknowledged > rounds(150, 1_000), `acknowledged writes: ${report.acknowledged}`);
    },
  );
}
