/** `npm run build` keeps every file in `dist` that a running server may still load. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import t from 'tap';

// Reading the types of browsers takes a second of CPU, five times the rest of a build.
const folder = t.testdir({
  'tsconfig.json': JSON.stringify({
    compilerOptions: { module: 'NodeNext', rootDir: '.', outDir: 'dist', noEmitOnError: true, types: [], lib: ['ES5'] },
    include: ['src', 'test'],
  }),
  'package.json': JSON.stringify({ type: 'module' }),
  src: { 'same.ts': 'export const same = 1;\n', 'changed.ts': 'export const changed = 1;\n' },
  test: { only: { 'old.test.ts': 'export const old = 1;\n' } },
});
const at = (path: string): string => join(folder, path);
mkdirSync(at('tools'));
copyFileSync('tools/build.mjs', at('tools/build.mjs'));
symlinkSync(resolve('node_modules'), at('node_modules'));

/** The environment without tap's hooks for child processes, with which the compiler does not load. */
function build(): number | null {
  return spawnSync('env', ['-u', 'NODE_OPTIONS', process.execPath, 'tools/build.mjs'], { cwd: folder }).status;
}

const inode = (path: string): number => statSync(at(path)).ino;
const leftovers = (): string[] => readdirSync(folder).filter((name) => name.startsWith('dist.'));

t.test('a build moves in files that differ, and leaves the other files where they are', async (test) => {
  test.equal(build(), 0);
  const before = { same: inode('dist/src/same.js'), changed: inode('dist/src/changed.js') };
  await writeFile(at('src/changed.ts'), 'export const changed = 22;\n');
  test.equal(build(), 0);
  test.equal(inode('dist/src/same.js'), before.same);
  test.not(inode('dist/src/changed.js'), before.changed, 'a reader of the old file keeps the old file');
  test.match(readFileSync(at('dist/src/changed.js'), 'utf8'), 'changed = 22');
  test.same(leftovers(), []);
});

t.test('the compiled file of a removed test is deleted, with its folder', async (test) => {
  test.ok(existsSync(at('dist/test/only/old.test.js')));
  rmSync(at('test/only'), { recursive: true });
  test.equal(build(), 0);
  test.notOk(existsSync(at('dist/test')));
});

t.test('unchanged sources are not compiled again, unless a compiled file is missing', async (test) => {
  const written = (): number => statSync(at('dist/.built')).mtimeMs;
  const before = written();
  test.equal(build(), 0);
  test.equal(written(), before, 'the stamp was not written again');
  rmSync(at('dist/src/same.js'));
  test.equal(build(), 0);
  test.ok(existsSync(at('dist/src/same.js')));
});

t.test('sources that do not compile leave everything unchanged', async (test) => {
  mkdirSync(at('dist.999999999'));
  await writeFile(at('src/changed.ts'), 'export const changed: string = 3;\n');
  test.not(build(), 0);
  test.match(readFileSync(at('dist/src/changed.js'), 'utf8'), 'changed = 22');
  test.same(leftovers(), [], 'what a killed build left behind is gone, too');
});

t.test('no script of the package removes the compiled files', async (test) => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  for (const [name, script] of Object.entries(scripts)) test.notMatch(script, /\brm\b/, name);
});
