import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type Finished, runProgram } from '../../runner/child.js';
import type { Program } from '../../runner/programs.js';
import { attemptAgain, isPartOfProgram } from '../../runner/second-attempt.js';

/** A test file that notes each of its subtests, and fails where the environment says so. */
const fileOf = (name: string, titles: readonly string[], outside = ''): string => `
import { appendFileSync } from 'node:fs';
import t from 'tap';
const fails = (title) => process.env.FAILS.split(',').includes(title);
for (const title of ${JSON.stringify(titles)}) {
  t.test(title, async (t) => {
    appendFileSync(process.env.NOTES, \`${name}: \${title}\\n\`);
    await t.test('inner', async (t) => t.notOk(fails(title), 'holds'));
  });
}
${outside}
`;

interface Attempts {
  readonly first: Finished;
  readonly second: Finished;
  /** Subtests that ran in the first and in the second attempt. */
  readonly ran: readonly (readonly string[])[];
}

/** Runs a bundle of two files twice; facts with these titles fail in the first attempt. */
async function runTwice(t: Test, failing: readonly string[], outside = ''): Promise<Attempts> {
  const folder = t.testdir();
  const files = ['a', 'b'].map((name) => join(folder, `${name}.mjs`));
  writeFileSync(files[0]!, fileOf('a', ['one', 'two #2']));
  writeFileSync(files[1]!, fileOf('b', ['three', 'three and more'], outside));
  const notes = join(folder, 'notes');
  const several = 'dist/test/runner/several.js';
  const env = { TEST_FILES: files.join(' '), NOTES: notes, TAP_BAIL: '0' };
  const program: Program = {
    title: 'two files',
    argv: [several, 'two'],
    files,
    bundle: true,
    env,
    load: 1,
    seconds: 1,
  };
  const ran: string[][] = [];
  const attempt = async (program: Program): Promise<Finished> => {
    writeFileSync(notes, '');
    const fails = ran.length === 0 ? failing.join() : '';
    const finished = await runProgram(program, { env: { FAILS: fails }, limitSeconds: 60, onOutput: () => {} });
    ran.push(readFileSync(notes, 'utf8').trim().split('\n'));
    return finished;
  };
  const first = await attempt(program);
  return { first, second: await attemptAgain(first, attempt), ran };
}

const ALL = ['a: one', 'a: two #2', 'b: three', 'b: three and more'];

t.test('the second attempt runs the subtests that failed, of the files that have them', async (t) => {
  const { first, second, ran } = await runTwice(t, ['two #2']);
  t.same(
    first.facts.failures.map(({ titles }) => titles),
    [['two #2', 'inner', 'holds']],
  );
  t.strictSame(ran, [ALL, ['a: two #2']]);
  t.strictSame([second.facts.failures, second.fault], [[], undefined]);
  t.ok(isPartOfProgram(second, first), 'the other facts are those of the first attempt');
});

t.test('a subtest whose title begins with that of a failed one does not run again', async (t) => {
  const { ran } = await runTwice(t, ['three']);
  t.strictSame(ran[1], ['b: three']);
});

t.test('a file with a failure outside of its subtests runs again as a whole', async (t) => {
  const { first, second, ran } = await runTwice(t, ['outside'], "t.notOk(fails('outside'), 'outside');");
  t.same(first.facts.failures.length, 1);
  t.strictSame(ran, [ALL, ['b: three', 'b: three and more']]);
  t.strictSame(second.facts.failures, []);
});

t.test('a program that did not come to its end runs again as a whole', async (t) => {
  const { first, second, ran } = await runTwice(t, ['end'], "if (fails('end')) process.exit(1);");
  t.ok(first.fault);
  t.strictSame(ran[1], ALL);
  t.equal(second.fault, undefined);
  t.notOk(isPartOfProgram(second, first));
});
