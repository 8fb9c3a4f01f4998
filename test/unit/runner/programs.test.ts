import t from 'tap';
import type { Options } from '../../runner/options.js';
import { NOT_QUICK, programsFor } from '../../runner/programs.js';

const ALL: Options = {
  ...{ paths: [], grep: undefined, jobs: 2, seed: '1' },
  ...{ quick: false, long: false, verbose: false, list: false, help: false },
};
/** Files of a run, once for each program that runs them. Shards of one file count once. */
const filesOf = (options: Options): string[] =>
  programsFor(options).flatMap(({ title, files }) => (/ [2-9]\/\d$/.test(title) && files.length === 1 ? [] : files));

t.test('a run has each test file once', async (t) => {
  const files = filesOf(ALL);
  t.equal(new Set(files).size, files.length);
  for (const folder of ['web', 'clients', 'api', 'contract', 'unit/build', 'unit/deploy', 'unit/http'])
    t.ok(
      files.some((file) => file.startsWith(`dist/test/${folder}/`)),
      folder,
    );
});

t.test('a quick run has the unit and contract tests and the embedded API suite, without builds', async (t) => {
  const expected = filesOf(ALL)
    .filter((file) => /^dist\/test\/(unit|contract|api\/embedded\.)/.test(file))
    .filter((file) => !NOT_QUICK.some((folder) => file.startsWith(folder)));
  t.strictSame(filesOf({ ...ALL, quick: true }).sort(), expected.sort());
});

t.test('programs run at a low priority only beside others', async (t) => {
  const inBackground = (options: Options): readonly boolean[] => [
    ...new Set(programsFor(options).map(({ inBackground = false }) => inBackground)),
  ];
  t.strictSame(inBackground(ALL).toSorted(), [false, true]);
  t.strictSame(inBackground({ ...ALL, paths: ['test/unit/runner', 'test/api/embedded.test.ts'] }), [false]);
});
