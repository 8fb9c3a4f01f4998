/** The program starts from its code cache, and runs as well without one that fits. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import Module from 'node:module';
import { join } from 'node:path';
import t from 'tap';

const PROGRAM = 'dist/program/main';
const HASH_BYTES = 68;

/** @returns what a script prints, without tap's hooks for child processes */
function run(...words: string[]): string {
  const { stdout, stderr } = spawnSync('env', ['-u', 'NODE_OPTIONS', process.execPath, ...words], { encoding: 'utf8' });
  return `${stdout}${stderr}`.trim();
}

const withHash = (code: string): string => `/*${createHash('sha256').update(code).digest('hex')}*/${code}`;

t.test('V8 takes the code cache of this build', async (t) => {
  const [bundle, cache] = [readFileSync(`${PROGRAM}.cjs`), readFileSync(`${PROGRAM}.cache`)];
  t.equal(bundle.toString('latin1'), withHash(bundle.subarray(HASH_BYTES).toString('latin1')), 'all of it is ASCII');
  t.same(cache.subarray(0, HASH_BYTES), bundle.subarray(0, HASH_BYTES));
  // It fails in a script from a cache: pictures could not be read.
  t.notOk(/[^.\w]import\(["'](?!\.)/.test(bundle.toString('latin1')), 'no package is loaded by import()');
  const taking = `const { readFileSync } = require('node:fs');
    const source = require('node:module').wrap(readFileSync('${PROGRAM}.cjs', 'latin1'));
    const cachedData = readFileSync('${PROGRAM}.cache').subarray(${HASH_BYTES});
    console.log(new (require('node:vm').Script)(source, { cachedData }).cachedDataRejected);`;
  t.equal(run('-e', taking), 'false');
});

t.test('a bundle runs with a cache of another build, with a damaged one and with none', async (t) => {
  const folder = t.testdir();
  const at = (name: string): string => join(folder, name);
  copyFileSync(`${PROGRAM}.js`, at('bundle.js'));
  writeFileSync(at('package.json'), '{"type":"module"}');
  const bundle = withHash("console.log('it runs', __filename.endsWith('bundle.cjs'), require('node:path').sep)");
  writeFileSync(at('bundle.cjs'), bundle);
  const ran = 'it runs true /';
  t.equal(run(at('bundle.js')), ran, 'none');
  const script = `const { Script } = require('node:vm');
    const { readFileSync, writeFileSync } = require('node:fs');
    const code = ${JSON.stringify(Module.wrap(bundle.replace('it runs', 'another')))};
    writeFileSync(process.argv[1], Buffer.concat([Buffer.from(process.argv[2]), new Script(code).createCachedData()]));`;
  run('-e', script, at('bundle.cache'), bundle.replace(/./g, 'x').slice(0, HASH_BYTES));
  t.equal(run(at('bundle.js')), ran, 'of another build, whose length is the same');
  writeFileSync(at('bundle.cache'), `${bundle.slice(0, HASH_BYTES)} no cache`);
  t.equal(run(at('bundle.js')), ran, 'damaged');
  rmSync(at('bundle.cache'));
  t.equal(run('--enable-source-maps', at('bundle.js')), ran, "by Node's own loader");
});

t.test('the heap keeps the size that was asked for', async (t) => {
  const folder = t.testdir();
  copyFileSync(`${PROGRAM}.js`, join(folder, 'bundle.js'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(
    join(folder, 'bundle.cjs'),
    withHash(`const print = "console.log(require('node:v8').getHeapStatistics().heap_size_limit)";
      new (require('node:worker_threads').Worker)(print, { eval: true });`),
  );
  const limit = (...flags: string[]): number => Number(run(...flags, join(folder, 'bundle.js')));
  t.ok(limit('--max-old-space-size=300') < 500 * 2 ** 20, 'also in threads, which read the flag later');
  t.ok(limit() > 500 * 2 ** 20);
});
