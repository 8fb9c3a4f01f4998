/**
 * `npm run chaos` in short: 15 seconds of load, in which an actor host and a frontend are killed, and a host loses
 * the store.
 */
import t from 'tap';
import { services } from '../clients/support/missing.js';
import { rounds } from '../support/rounds.js';
import { faultsIn } from './command.js';
import { formatReport } from './report.js';
import { CleanupSteps, chaos } from './run.js';

const found = services();
if (found) {
  t.test('kill -9 of an actor host and a frontend under load, and a host that alone loses the store', async (test) => {
    const ends = new CleanupSteps();
    test.teardown(() => ends.run());
    const options = {
      ...({ face: 'cluster', services: found, seed: Number(process.env.SEED ?? Date.now() % 1e6) } as const),
      ...{ seconds: rounds(15, 75), kills: 2, cuts: 1, cutSeconds: rounds(9, 15) },
      ...{ every: rounds(5, 18), rate: rounds(12, 50) },
      ...{ clients: rounds(6, 40), subscribers: 10, hosts: rounds(2, 3), frontends: 2 },
      ...{ report: undefined, logs: undefined, logStreams: undefined },
    };
    const report = await chaos(options, ends, (words) => test.comment(words));
    for (const line of formatReport(report).split('\n')) test.comment(line);
    test.strictSame(faultsIn(report), [], 'nothing acknowledged is lost or repeated, no queue ends');
    test.equal(report.interruptions.length, 3, 'two were killed, and one was cut off from the store');
    test.ok(
      report.interruptions.every(({ silent }) => silent === 0),
      'each queue got events after each of them',
    );
    test.ok(report.acknowledged > rounds(150, 1_000), `sends went on: ${report.acknowledged}`);
  });
}
