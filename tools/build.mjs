/**
 * `npm run build`: compiles into a folder beside `dist`, then moves the files that differ, one by one. The program that
 * users start is bundled into `dist/program`: it starts in a fifth of the time of its 784 modules. Each bundle is a
 * `.js` file, which is src/launch.ts, a `.cjs` file with the code, and a `.cache` file with V8's compiled form of it
 * (docs/decisions/025-one-file-and-its-code-cache.md).
 *
 * A server that runs from `dist` keeps every file that it may still load: workers are loaded late. Compiled files of
 * removed sources are deleted, so that no stale test runs. Unchanged sources are not compiled again. This file is plain
 * JavaScript, because nothing is compiled before it.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';

const TARGET = 'dist';
const STAMP = join(TARGET, '.built');
const BESIDE = /^dist\.(\d+)$/;
const INPUTS = [
  'src',
  'actors',
  'test',
  'web/src',
  'tsconfig.json',
  'package.json',
  'tools/build.mjs',
  'tools/code-cache.mjs',
];
const COMPILER = join('node_modules', '.bin', 'tsc');
const LAUNCHER = 'src/launch.ts';
const CODE_CACHE_TOOL = 'tools/code-cache.mjs';
/** Scripts of threads. Tests start hundreds of threads, so these are bundled in place of the compiled files too. */
const THREADS = [
  'src/domain/markdown/render-worker',
  'src/domain/secrets/strength-worker',
  'src/app/exchange/export/receiver-rows-worker',
  'src/app/exchange/import/message-file-worker',
];
/** Scripts of threads of the program alone; in a test their compiled files find the scripts above. */
const PROGRAM_THREADS = ['src/app/exchange/import/message-writer-worker'];
/** Scripts of processes that the program starts. */
const PROCESSES = ['src/app/server/worker-process'];
/** Time for the start that fills the code cache; it takes a second. */
const CODE_CACHE_MS = 60_000;
const PROGRAM = 'program/main';
/**
 * Sources of the bundles by their places in `dist`. The program looks for the scripts of its threads and processes
 * beside itself.
 */
const BUNDLES = {
  [PROGRAM]: 'src/main.ts',
  ...Object.fromEntries(
    [...THREADS, ...PROCESSES].flatMap((path) => [path, `program/${basename(path)}`].map((at) => [at, `${path}.ts`])),
  ),
  ...Object.fromEntries(PROGRAM_THREADS.map((path) => [`program/${basename(path)}`, `${path}.ts`])),
};
/** Packages that only some servers use: each is evaluated when a value of it is first read. */
const LOADED_LATE = ['mongodb', 'nats', 'nodemailer', 'tar', 'web-push', 'htmlparser2', 'katex'];
/**
 * Variable of the environment: `load` loads these packages at once, so that a code cache has them; `tell` writes the
 * names of those that are loaded to stderr, for tests.
 */
const LATE_PACKAGES = 'CONCLAVE_LATE_PACKAGES';
/** Packages that load binaries from their own folders, or that the program loads only where they are installed. */
const NOT_BUNDLED = ['lmdb', 'sharp', 'msgpackr-extract', '@uwsjs/*'];

/** Files of the web client, which tools/build-web.mjs makes: all of dist/web but the compiled core. */
const isOfWeb = (path) => /^(?:dist\/)?web\/(?!src\/)/.test(path);

/** @returns files below a folder, by their paths in it */
function filesOf(folder, inside = '') {
  const found = [];
  for (const entry of readdirSync(join(folder, inside), { withFileTypes: true })) {
    const path = join(inside, entry.name);
    if (entry.isDirectory()) found.push(...filesOf(folder, path));
    else found.push(path);
  }
  return found;
}

/** @returns a hash over sources and compiled files; it changes when a file is written, added or removed */
function state() {
  const hash = createHash('sha256').update(execFileSync(process.execPath, [COMPILER, '--version']));
  for (const input of [...INPUTS, TARGET]) {
    const at = statSync(input, { throwIfNoEntry: false });
    if (!at) continue;
    const paths = at.isDirectory() ? filesOf(input).map((path) => join(input, path)) : [input];
    for (const path of paths.sort()) {
      if (path === STAMP || (input === TARGET && isOfWeb(path))) continue;
      const { size, mtimeMs } = statSync(path);
      hash.update(`${path}\0${size}\0${mtimeMs}\n`);
    }
  }
  return hash.digest('hex');
}

const readOr = (path, otherwise) => {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error.code === 'ENOENT') return otherwise;
    throw error;
  }
};

const runs = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};

/** Removes the folders of builds that were killed. */
function removeLeftovers() {
  for (const name of readdirSync('.')) {
    const [, pid] = BESIDE.exec(name) ?? [];
    if (pid !== undefined && !runs(Number(pid))) rmSync(name, { recursive: true });
  }
}

function moveIn(made) {
  const fresh = filesOf(made);
  mkdirSync(TARGET, { recursive: true });
  const stale = new Set(filesOf(TARGET).filter((path) => !isOfWeb(path)));
  for (const path of fresh) {
    stale.delete(path);
    const before = readOr(join(TARGET, path));
    if (before?.equals(readFileSync(join(made, path)))) continue;
    mkdirSync(dirname(join(TARGET, path)), { recursive: true });
    renameSync(join(made, path), join(TARGET, path));
  }
  for (const path of stale) {
    rmSync(join(TARGET, path), { force: true });
    removeEmpty(dirname(join(TARGET, path)));
  }
}

function removeEmpty(folder) {
  if (folder === TARGET || readdirSync(folder).length > 0) return;
  rmdirSync(folder);
  removeEmpty(dirname(folder));
}

/** Resolves `#model` and its like to the sources, because package.json names the compiled files of the last build. */
const ownImports = {
  name: 'own imports',
  setup(build) {
    build.onResolve({ filter: /^#/ }, ({ path: own }) => {
      const folder = own.slice(1);
      const path = resolve(folder.startsWith('actors/') ? '.' : 'src', folder, 'index.ts');
      return { path, sideEffects: false };
    });
  },
};

/** Puts a module with a getter for each export before each package of LOADED_LATE. */
const loadedLate = {
  name: 'loaded late',
  setup(build) {
    const require = createRequire(resolve('package.json'));
    build.onResolve({ filter: new RegExp(`^(?:${LOADED_LATE.join('|')})$`) }, ({ path, importer, namespace }) =>
      namespace === loadedLate.name || importer.includes('node_modules')
        ? undefined
        : { path, namespace: loadedLate.name },
    );
    build.onLoad({ filter: /./, namespace: loadedLate.name }, ({ path }) => ({
      resolveDir: resolve('.'),
      contents: [
        'let loaded;',
        `const how = process.env.${LATE_PACKAGES};`,
        'const load = () => {',
        `  if (loaded === undefined && how === 'tell') console.error('package loaded: ${path}');`,
        `  return (loaded ??= require('${path}'));`,
        '};',
        "if (how === 'load') load();",
        `for (const name of ${JSON.stringify(Object.keys(require(path)))})`,
        '  Object.defineProperty(exports, name, { enumerable: true, get: () => load()[name] });',
      ].join('\n'),
    }));
  },
};

async function bundleProgram(target) {
  if (!existsSync(BUNDLES[PROGRAM])) return;
  const { build } = await import('esbuild');
  const options = { outdir: target, allowOverwrite: true, platform: 'node', target: 'node20', logLevel: 'warning' };
  const launchers = Object.fromEntries(Object.keys(BUNDLES).map((at) => [at, LAUNCHER]));
  await build({ ...options, entryPoints: launchers, format: 'esm' });
  const { outputFiles } = await build({
    ...options,
    entryPoints: BUNDLES,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    format: 'cjs',
    external: NOT_BUNDLED,
    // `import()` does not work in a script from a code cache; all packages that load late can be required.
    supported: { 'dynamic-import': false },
    plugins: [ownImports, loadedLate],
    define: { 'import.meta.url': 'bundleUrl' },
    banner: { js: "const bundleUrl = require('node:url').pathToFileURL(__filename).href;" },
    legalComments: 'external',
    sourcemap: 'linked',
    sourcesContent: false,
    write: false,
  });
  for (const { path, text } of outputFiles) writeFileSync(path, path.endsWith('.cjs') ? withHash(inAscii(text)) : text);
  await Promise.all(Object.keys(BUNDLES).map((at) => writeCodeCache(join(target, `${at}.cjs`), at)));
}

/** Escapes what esbuild leaves in regular expressions and comments: the launcher reads one byte per character. */
function inAscii(text) {
  if (/\\[^\0-\x7f]/.test(text)) throw new Error('a backslash before a character that is not ASCII');
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const withHash = (text) => `/*${createHash('sha256').update(text).digest('hex')}*/${text}`;

/**
 * Runs a bundle, so that V8 compiles what a start uses. Without the cache a start only takes longer.
 *
 * @param at place of the bundle in `dist`, without its ending
 */
async function writeCodeCache(bundle, at) {
  const folder = mkdtempSync(join(tmpdir(), 'conclave-build-'));
  // Without workers the program itself runs the code of the frontend.
  const serve = ['serve', '--workers', '0', '--data-dir', folder, '--port', '0', '--log-level', 'error'];
  const isThread = [...THREADS, ...PROGRAM_THREADS].some((path) => basename(path) === basename(at));
  const run = isThread
    ? new Worker(resolve(CODE_CACHE_TOOL), { argv: [bundle], env: { ...process.env, [LATE_PACKAGES]: 'load' } })
    : spawn(process.execPath, [CODE_CACHE_TOOL, bundle, ...(at === PROGRAM ? serve : [])], {
        // Settings of a server in the environment must not reach this start.
        env: { PATH: process.env.PATH, [LATE_PACKAGES]: 'load' },
        // A worker process has its link at descriptor 3.
        stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
        timeout: CODE_CACHE_MS,
        killSignal: 'SIGKILL',
      });
  await once(run, 'exit');
  rmSync(folder, { recursive: true, force: true });
  if (!existsSync(bundle.replace(/cjs$/, 'cache'))) console.warn(`${bundle} has no code cache`);
}

if (readOr(STAMP, '').toString() === state()) process.exit(0);
removeLeftovers();
const beside = `${TARGET}.${process.pid}`;
let status = 1;
try {
  ({ status } = spawnSync(process.execPath, [COMPILER, '-p', 'tsconfig.json', '--outDir', beside], {
    stdio: 'inherit',
  }));
  if (status === 0) {
    await bundleProgram(beside);
    moveIn(beside);
    writeFileSync(STAMP, state());
  }
} finally {
  rmSync(beside, { recursive: true, force: true });
}
process.exit(status ?? 1);
