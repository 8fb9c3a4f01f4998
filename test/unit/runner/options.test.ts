import t from 'tap';
import { commandFor, readOptions, tapPatternOfTitles, tapPatterns } from '../../runner/options.js';

/** Whether tap runs the subtest of this title, at the level of the pattern. */
const matches = (pattern: string, title: string): boolean => {
  const [, source = '', flags] = /^\/(.*)\/([a-z]*)$/.exec(pattern)!;
  return new RegExp(source, flags).test(title);
};

t.test('paths and options are read', async (t) => {
  t.match(readOptions(['test/unit/http', '--grep', 'of polls', '--jobs', '3']), {
    ...{ paths: ['test/unit/http'], grep: 'of polls', jobs: 3, quick: false, long: false },
  });
  t.throws(() => readOptions(['--unknown']));
});

t.test('the words of --grep are words and no pattern, and each level has its own', async (t) => {
  const [first = '', second = '', ...more] = tapPatterns('a (b)* > C?', 'the end').split('\n');
  t.same(more, []);
  t.ok(matches(first, 'with A (B)* in it'));
  t.notOk(matches(first, 'a b'));
  t.ok(matches(first, 'the end'), 'the end of a file always runs');
  t.ok(matches(second, 'c?'));
  t.notOk(matches(second, 'b'));
});

t.test('titles of failed subtests are matched as they are', async (t) => {
  const pattern = tapPatternOfTitles(['a (b)*', 'c/d']);
  t.strictSame(
    ['a (b)*', 'c/d', 'A (b)*', 'a (b)* too', 'c'].map((title) => matches(pattern, title)),
    [true, true, false, false, false],
  );
});

t.test('the command that repeats a fact names its subtests', async (t) => {
  t.equal(commandFor('test/a.test.ts', ['a fact']), 'npm test -- test/a.test.ts');
  t.equal(
    commandFor('test/a.test.ts', ["it's", 'inner', 'fact']),
    `npm test -- test/a.test.ts --grep 'it'\\''s > inner'`,
  );
});
