/**
 * Short form of `npm run chaos`: 15 s of load with SIGKILL of an actor host and of a frontend, and one actor host cut
 * off from the store.
 */
import t from 'tap';
import { services } from '../clients/support/missing.js';
import { rounds } from '../support/rounds.js';
import { faultsIn } from './command.js';
import { formatReport } from './report.js';
import { Cleanup, runChaos } from './run.js';

const found = services();
if (found) {
  t.test(
    'a cluster survives kill -9 of an actor host and a frontend, and a host cut off from the store',
    async (test) => {
      const cleanup = new Cleanup();
      test.teardown(() => cleanup.run());
      const options = {
        ...({ face: 'cluster', services: found, seed: Number(process.env.SEED ?? Date.now() % 1e6) } as const),
        ...{ seconds: rounds(15, 75), kills: 2, cuts: 1, cutSeconds: rounds(9, 15) },
        ...{ every: rounds(5, 18), rate: rounds(12, 50) },
        ...{ clients: rounds(6, 40), subscribers: 10, hosts: rounds(2, 3), frontends: 2 },
        ...{ report: undefined, logs: undefined, logStreams: undefined },
      };
      const report = await runChaos(options, cleanup, (words) => test.comment(words));
      for (const line of formatReport(report).split('\n')) test.comment(line);
      test.strictSame(faultsIn(report), [], 'nothing acknowledged is lost or repeated, no queue ends');
      test.equal(report.each.length, 3, 'two processes were killed, and one host was cut off from the store');
      test.ok(
        report.each.every(({ silent }) => silent === 0),
        'each queue got events after each fault',
      );
      test.ok(report.acknowledged > rounds(150, 1_000), `sends went on: ${report.acknowledged}`);
    },
  );
}
