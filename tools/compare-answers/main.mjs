/**
 * `node tools/compare-answers/main.mjs BEFORE [FAMILY] [FILE]`: the API suite of another checkout, built, twice against
 * its own server and twice against the server of this checkout. Then the answers to clients of level 184 are compared,
 * without texts that are new in every run (keys, times, ids of queues): requests whose answers are the same in both
 * runs of one server, to the byte; all others by the names and types of their fields.
 *
 * Ends with 1 if an answer differs. FAMILY is a part of the titles of families (API_TEST_ONLY), FILE another test that
 * runs families, such as dist/test/api/embedded-node-http.test.js. COMPARE_ANSWERS_RECORDS names a folder that keeps
 * the records of the four runs; runs that are recorded there are not repeated.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { answersByRequest, compareAnswers } from './compare.mjs';

const WHOLE_SUITE = 'dist/test/api/embedded.test.js';
const LONGEST_RUN_MS = 3_600_000;
const MAX_SHOWN = 60;

const [before, family = '', suite = WHOLE_SUITE] = process.argv.slice(2);
if (before === undefined) {
  process.stderr.write('node tools/compare-answers/main.mjs BEFORE [FAMILY] [FILE]\n');
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'compare-answers-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const records = resolve(process.env.COMPARE_ANSWERS_RECORDS ?? folder);
mkdirSync(records, { recursive: true });

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

/** Parts of the suite, one after the other: on a busy machine the whole would exceed its own time limit. */
const SHARDS = family === '' ? ['1/4', '2/4', '3/4', '4/4'] : ['1/1'];

function runShard(checkout, file, shard) {
  const hook = new URL('./record.mjs', import.meta.url).href;
  const chosen = { API_TEST_ONLY: family, API_TEST_SHARD: shard, SEED: '1' };
  const env = { ...process.env, RECORD_ANSWERS: file, ...chosen };
  const options = { cwd: checkout, env, encoding: 'utf8', maxBuffer: 1 << 30, timeout: LONGEST_RUN_MS };
  const { status, stdout } = spawnSync(process.execPath, ['--import', hook, suite], options);
  const failed = stdout.split('\n').filter((line) => /^\s*not ok/.test(line));
  process.stderr.write(`  ${shard} ended with ${status}, ${failed.length} failed\n${failed.slice(0, 30).join('\n')}\n`);
}

function record(checkout, name) {
  const file = join(records, `${name}.jsonl`);
  if (!existsSync(file)) {
    process.stderr.write(`${new Date().toISOString()} ${name}\n`);
    rmSync(`${file}.part`, { force: true });
    for (const shard of SHARDS) runShard(checkout, `${file}.part`, shard);
    renameSync(`${file}.part`, file);
  }
  return answersByRequest(readFileSync(file, 'utf8').split('\n'));
}

const other = resolve(before);
const mixed = makeMixedCheckout();
const older = [record(other, 'other-1'), record(other, 'other-2')];
const newer = [record(mixed, 'this-1'), record(mixed, 'this-2')];
const { compared, differences, comparedForms, newForms, missing } = compareAnswers(older, newer);
for (const { request, gone, added } of differences.slice(0, MAX_SHOWN)) {
  process.stdout.write(`${request.slice(0, 300)}\n`);
  for (const text of gone) process.stdout.write(`  - ${text.slice(0, 1_000)}\n`);
  for (const text of added) process.stdout.write(`  + ${text.slice(0, 1_000)}\n`);
}
for (const { operation, form } of newForms.slice(0, MAX_SHOWN)) process.stdout.write(`${operation}\n  + ${form}\n`);
process.stdout.write(
  `${compared} requests compared to the byte, ${differences.length} with other answers; ` +
    `${comparedForms} forms of answers compared, ${newForms.length} of them new; ` +
    `${missing} requests of both runs of one server that the other never got\n`,
);
process.exitCode = compared === 0 || differences.length + newForms.length > 0 ? 1 : 0;
