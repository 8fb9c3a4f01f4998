/** The modules that the runner loads before each test program. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { runProgram } from '../../runner/child.js';

const PROGRAM = `
import t from 'tap';
import { Same } from 'tcompare';
const { printCollection } = Same.prototype;
let compared = 0;
Same.prototype.printCollection = function () {
  compared++;
  return printCollection.call(this);
};
t.test('outer', async (t) => {
  for (let i = 0; i < 10; i++) t.same({ i, list: [1] }, { list: [1], i }, 'equal');
  const own = () => ({ constructor: { name: 'own' } });
  t.strictSame(own(), own(), 'equal values with a key that tcompare reads');
  t.equal(compared, 0, 'equal values are not written as text');
  await t.test('inner', async (t) => {
    t.equal(1, 1, 'first');
    t.equal(1, 2, 'wrong');
    t.same({ a: { b: 1 } }, { a: { b: 2 } }, 'wrong too');
    t.equal(1, 1, 'last');
  });
  t.pass('skipped', { skip: 'for a reason' });
  t.equal(1, 1, 'behind a subtest');
});
`;

t.test('facts that hold are counted, and those that fail are shown with their places', async (t) => {
  const folder = t.testdir();
  const file = join(folder, 'program.mjs');
  writeFileSync(file, PROGRAM);
  const program = { title: 'one', argv: [file], files: [file], env: {}, load: 1, seconds: 1 };
  const ended = await runProgram(program, {
    env: { TAP_BAIL: '0', TEST_EVERY_FACT: '0' },
    limitSeconds: 60,
    onOutput: () => {},
  });
  const { facts } = ended;
  t.equal((facts.counts?.facts ?? 0) + facts.counted, 18, ended.stderr);
  t.ok(facts.counted > 8, `${facts.counted} are counted`);
  t.same(
    facts.failures.map(({ titles }) => titles),
    [
      ['outer', 'inner', 'wrong'],
      ['outer', 'inner', 'wrong too'],
    ],
  );
  for (const { titles, details } of facts.failures)
    t.match(details.join('\n'), 'program.mjs', `place of ${titles.at(-1)}`);
  t.same(facts.skips.length, 1, 'skipped facts are named');
});
