/** Short form of `npm run rolling`: the actor hosts, one or two, and a frontend are replaced under load. */
import t from 'tap';
import { services } from '../clients/support/missing.js';
import { rounds } from '../support/rounds.js';
import { faultsIn } from './command.js';
import { runRolling } from './replace.js';
import { formatReport } from './report.js';
import { Cleanup } from './run.js';

const HOSTS = rounds(1, 2);

const found = services();
if (found) {
  t.test('a rolling restart of all processes fails no request', async (test) => {
    const cleanup = new Cleanup();
    test.teardown(() => cleanup.run());
    const options = {
      ...({ face: 'cluster', services: found, seed: Number(process.env.SEED ?? Date.now() % 1e6) } as const),
      ...{
        seconds: 0,
        kills: 0,
        cuts: 0,
        cutSeconds: 0,
        every: rounds(1, 2),
        rate: rounds(12, 50),
        clients: rounds(4, 20),
        subscribers: 10,
        hosts: HOSTS,
        frontends: 1,
      },
      ...{ report: undefined, logs: undefined, logStreams: undefined },
    };
    const { report, handovers, failed } = await runRolling(options, cleanup, (words) => test.comment(words));
    for (const line of formatReport(report).split('\n')) test.comment(line);
    test.equal(failed, 0, 'no request was refused or cut off');
    test.strictSame(faultsIn(report), [], 'nothing acknowledged is lost or repeated, no queue ends');
    test.strictSame(
      handovers.map(({ code }) => code),
      [...Array.from({ length: HOSTS }, () => 0), 0],
      'each old process exits with code 0 after SIGTERM',
    );
    test.ok(report.acknowledged > rounds(30, 100), `sends went on: ${report.acknowledged}`);
  });
}
