/** The last check of a whole run, when the API suite of the embedded face was run by several programs. */
import t from 'tap';
import { contractGate } from './contract.js';
import { readCoverage } from './support/coverage-files.js';

const folder = process.env.API_TEST_COVERAGE;
if (folder === undefined) t.pass('judged by embedded.test.ts', { skip: 'only where several programs run the suite' });
else {
  t.not(readCoverage(folder), 0, 'the suite was run');
  await t.test('the contract was tried completely', contractGate);
}
