import t from 'tap';
import { COUNTED_MARK, CPU_MARK, Facts, FILE_END, FILE_MARK } from '../../runner/facts.js';

const OUTPUT = `TAP version 14
# ${FILE_MARK}dist/test/unit/a.test.js
# Subtest: outer
    ok 1 - one
    # Subtest: inner
        not ok 1 - two # time=3ms
          ---
          diff: |
            not ok 9 - only a text of the details
          ...
        ok 2 - three
        1..2
    not ok 2 - inner # time=4ms
    1..2
not ok 1 - outer # time=5ms
# Subtest: ${FILE_END}
    1..0
ok 2 - ${FILE_END} # time=1ms
# ${FILE_MARK}dist/test/unit/b.test.js
not ok 3 - four
  ---
  found: 4
  ...
ok 4 - five # SKIP no service
# Subtest: ${FILE_END}
    1..0
ok 5 - ${FILE_END} # time=1ms
1..5
# { total: 7, pass: 4, fail: 2, skip: 1 }
# ${COUNTED_MARK}41
# ${CPU_MARK}1.25
`;

const readIn = (size: number): Facts => {
  const facts = new Facts();
  for (let at = 0; at < OUTPUT.length; at += size) facts.write(OUTPUT.slice(at, at + size));
  return facts;
};

t.test('failing facts are named with the subtests around them, and subtests are not counted again', async (t) => {
  const { failures } = readIn(OUTPUT.length);
  t.same(
    failures.map(({ file, titles }) => [file, ...titles]),
    [
      ['dist/test/unit/a.test.js', 'outer', 'inner', 'two'],
      ['dist/test/unit/b.test.js', 'four'],
    ],
  );
  t.same(failures[1]!.details, ['  found: 4']);
});

t.test('titles are read without the backslashes of TAP', async (t) => {
  const facts = new Facts();
  facts.write(
    '# Subtest: go to \\#general\n    not ok 1 - a \\\\ in \\#b # time=1ms\n    1..1\nnot ok 1 - go to \\#general\n',
  );
  t.strictSame(facts.failures[0]?.titles, ['go to #general', 'a \\ in #b']);
});

t.test('a subtest that --grep leaves out is a line without a start, and the end of a file is no subtest', async (t) => {
  const facts = new Facts();
  facts.write(`ok 1 - left out\n# Subtest: ${FILE_END}\n    1..0\nok 2 - ${FILE_END}\n1..2\n# { total: 2, pass: 2 }\n`);
  t.equal(facts.levels, 0);
});

t.test('the totals, the skipped facts and the files that ended are read', async (t) => {
  const { counts, skips, files, levels, outermostTitles } = readIn(OUTPUT.length);
  t.same(counts, { facts: 7, failed: 2, skipped: 1 });
  t.same(skips, ['five # SKIP no service']);
  t.equal(files, 2);
  t.equal(levels, 2, 'and how deep the subtests were');
  t.strictSame([...outermostTitles], ['outer', FILE_END]);
  t.equal(readIn(7).cpuSeconds, 1.25, 'and the CPU of the program');
  t.equal(readIn(7).counted, 41, 'and the facts that were only counted');
});

t.test('an interrupted program has no totals', async (t) => {
  const facts = new Facts();
  facts.write(OUTPUT.slice(0, OUTPUT.indexOf('# { total')));
  t.equal(facts.counts, undefined);
});

t.test('output is read alike in pieces of any size', async (t) => {
  const whole = readIn(OUTPUT.length);
  for (const size of [1, 2, 7, 100]) t.same({ ...readIn(size) }, { ...whole }, `${size} characters`);
});
