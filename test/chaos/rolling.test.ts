/** A short form of `npm run rolling`: two actor hosts and a frontend are replaced under load. */
import t from 'tap';
import { services } from '../clients/support/missing.js';
import { rounds } from '../support/rounds.js';
import { faultsIn } from './command.js';
import { runRolling } from './replacements.js';
import { formatReport } from './report.js';
import { CleanupSteps } from './run.js';

const found = services();
if (found) {
  t.test('no request fails while each process is replaced by another', async (test) => {
    const cleanup = new CleanupSteps();
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
        hosts: 2,
        frontends: 1,
      },
      ...{ report: undefined, logs: undefined, logStreams: undefined },
    };
    const { report, replacements, failed } = await runRolling(options, cleanup, (line) => test.comment(line));
    for (const line of formatReport(report).split('\n')) test.comment(line);
    test.equal(failed, 0, 'no request was refused or cut off');
    test.strictSame(faultsIn(report), [], 'no acknowledged write is lost or repeated, and no queue ends');
    test.strictSame(
      replacements.map(({ code }) => code),
      [0, 0, 0],
      'each replaced process ends with the exit code 0',
    );
    test.ok(report.acknowledged > rounds(50, 100), `acknowledged writes: ${report.acknowledged}`);
  });
}
