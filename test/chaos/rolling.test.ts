/** `npm run rolling` in short: two actor hosts and a frontend are replaced under load. */
import t from 'tap';
import { services } from '../clients/support/missing.js';
import { rounds } from '../support/rounds.js';
import { faultsIn } from './command.js';
import { rolling } from './replacements.js';
import { formatReport } from './report.js';
import { CleanupSteps } from './run.js';

const found = services();
if (found) {
  t.test('each process is replaced by another, and no request fails', async (test) => {
    const ends = new CleanupSteps();
    test.teardown(() => ends.run());
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
    const { report, replacements, failed } = await rolling(options, ends, (words) => test.comment(words));
    for (const line of formatReport(report).split('\n')) test.comment(line);
    test.equal(failed, 0, 'no request was refused or cut off');
    test.strictSame(faultsIn(report), [], 'nothing acknowledged is lost or repeated, no queue ends');
    test.strictSame(
      replacements.map(({ code }) => code),
      [0, 0, 0],
      'each ends by itself with 0',
    );
    test.ok(report.acknowledged > rounds(50, 100), `sends went on: ${report.acknowledged}`);
  });
}
