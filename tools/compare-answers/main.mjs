/**
 * `node tools/compare-answers/main.mjs BEFORE [FAMILY] [FILE]`: the API suite of another checkout, built, against its
 * own server twice and against the server of this checkout once. Then the answers to clients of level 184 are compared,
 * without texts that are new in every run (keys, times, ids of queues). Requests whose answers differ between the two
 * runs of the same server are left out, too.
 *
 * Ends with 1 if an answer differs. FAMILY is a part of the titles of families (API_TEST_ONLY), FILE another test that
 * runs families, such as dist/test/api/embedded-node-http.test.js.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { answersByRequest, compareAnswers } from './compare.mjs';

const WHOLE_SUITE = 'dist/test/api/embedded.test.js';
const LONGEST_RUN_MS = 1_800_000;
const MAX_SHOWN = 40;

const [before, family = '', suite = WHOLE_SUITE] = process.argv.slice(2);
if (before === undefined) {
  process.stderr.write('node tools/compare-answers/main.mjs BEFORE [FAMILY] [FILE]\n');
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'compare-answers-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** A copy of the tests of the older checkout beside the server of this one. */
function makeMixedCheckout() {
  const mixed = join(folder, 'mixed');
  for (const name of ['package.json', 'dist', 'test/fixtures', 'docs'])
    cpSync(resolve(name), join(mixed, name), { recursive: true });
  for (const name of ['dist/test', 'test/fixtures']) {
    rmSync(join(mixed, name), { recursive: true });
    cpSync(resolve(before, name), join(mixed, name), { recursive: true });
  }
  symlinkSync(resolve('node_modules'), join(mixed, 'node_modules'));
  return mixed;
}

function record(checkout, name) {
  const file = join(folder, `${name}.jsonl`);
  const hook = new URL('./record.mjs', import.meta.url).href;
  process.stderr.write(`${name}\n`);
  const env = { ...process.env, RECORD_ANSWERS: file, API_TEST_ONLY: family, SEED: '1' };
  const options = { cwd: checkout, env, encoding: 'utf8', maxBuffer: 1 << 30, timeout: LONGEST_RUN_MS };
  const { status, stdout } = spawnSync(process.execPath, ['--import', hook, suite], options);
  const failed = stdout.split('\n').filter((line) => /^\s*not ok/.test(line));
  process.stderr.write(`  ended with ${status}, ${failed.length} failed\n${failed.slice(0, 10).join('\n')}\n`);
  return answersByRequest(readFileSync(file, 'utf8').split('\n'));
}

const first = record(resolve(before), 'the other checkout');
const again = record(resolve(before), 'the other checkout, again');
const now = record(makeMixedCheckout(), 'its tests, the server of this checkout');
const { compared, differences } = compareAnswers(first, again, now);
for (const { request, gone, added } of differences.slice(0, MAX_SHOWN)) {
  process.stdout.write(`${request.slice(0, 300)}\n`);
  for (const text of gone) process.stdout.write(`  - ${text.slice(0, 1_000)}\n`);
  for (const text of added) process.stdout.write(`  + ${text.slice(0, 1_000)}\n`);
}
process.stdout.write(`${compared} requests compared, ${differences.length} with other answers\n`);
process.exitCode = compared === 0 || differences.length > 0 ? 1 : 0;
