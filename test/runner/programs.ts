/**
 * The programs of a run. A file is a program of its own unless it is listed in a bundle. Few long programs take
 * less CPU than many short ones: each loads the server, 2.1 s, and its code is slow at first.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { JOURNEYS_WITH_FACES } from '../web/support/journeys.js';
import { type Options, titlesOf } from './options.js';
import type { Load } from './schedule.js';

export interface Program extends Load {
  readonly title: string;
  /** For `node`. */
  readonly argv: readonly string[];
  /** Compiled test files that it runs. */
  readonly files: readonly string[];
  /** `several.ts` runs the files. */
  readonly bundle?: boolean;
  readonly env: Readonly<Record<string, string>>;
}

const ROOT = 'dist/test';
const SEVERAL = 'dist/test/runner/several.js';

/** A test file as people name it. */
export const sourceOf = (file: string): string => file.replace(/^dist\//, '').replace(/\.js$/, '.ts');

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesUnder(path);
      return entry.name.endsWith('.test.js') ? [path] : [];
    });
}

/** The compiled form of a path of the command line. @throws Error when there is no such test */
function compiled(path: string): string {
  const inside = normalize(path).replace(/^dist\//, '');
  for (const candidate of [inside, `${inside}.ts`, `${inside}.test.ts`]) {
    const file = join('dist', candidate.replace(/\.ts$/, '.js'));
    if (existsSync(file)) return file;
  }
  throw new Error(`no such test: ${path}`);
}

function filesAt(path: string): string[] {
  const at = compiled(path);
  return statSync(at).isDirectory() ? filesUnder(at) : [at];
}

/**
 * Cost of a program, by the beginning of its path; the first row that fits counts. Measured on 2 cores, see
 * docs/how-to/run-tests.md.
 */
const LOADS: readonly (readonly [beginning: string, load: number, seconds: number])[] = [
  ['dist/test/api/cluster.', 0.6, 120],
  ['dist/test/api/embedded.', 0.9, 100],
  ['dist/test/api/hostile', 0.9, 20],
  ['dist/test/api', 0.6, 15],
  ['dist/test/chaos/checker', 1, 1],
  ['dist/test/chaos', 0.4, 25],
  ['dist/test/clients/cluster-hosts', 0.5, 30],
  ['dist/test/clients/zulip-terminal', 0.4, 35],
  ['dist/test/clients/leave', 0.5, 25],
  ['dist/test/clients/import', 0.6, 40],
  ['dist/test/clients', 0.55, 7],
  ['dist/test/load/faults', 0.1, 45],
  ['dist/test/load', 0.3, 25],
  ['dist/test/cluster', 1, 7],
  // Waits for leases of real hosts to lapse.
  ['dist/test/contract/placement-nats', 0.1, 25],
  ['dist/test/contract/placement-', 0.5, 8],
  ['dist/test/contract/store-', 0.4, 12],
  ['dist/test/contract/bus-link', 0.5, 8],
  // It waits for most of its 25 s. Its hosts count as dead after 2.5 s of silence, which a crowded machine can cause:
  // so it starts first, beside others that wait, and counts as half a core.
  ['dist/test/contract/bus-nats', 0.5, 100],
  ['dist/test/contract', 0.4, 4],
  // Waits for connections to time out.
  ['dist/test/unit/http', 0.3, 2],
  ['dist/test/unit', 0.9, 0.4],
  // Renderers of Chromium included.
  ['dist/test/web', 0.9, 20],
];

export function loadOf(file: string): Load {
  const [, load, seconds] = LOADS.find(([beginning]) => file.startsWith(beginning)) ?? ['', 1, 10];
  return { load, seconds };
}

/** A program that runs these files one after the other, in one process. */
function sharing(title: string, files: readonly string[]): Program {
  const loads = files.map(loadOf);
  const seconds = loads.reduce((sum, { seconds }) => sum + seconds, 0);
  const load = loads.reduce((sum, { load, seconds }) => sum + load * seconds, 0) / seconds;
  const env = { TEST_FILES: files.join(' ') };
  const argv = [...V8_FLAGS, SEVERAL, title.replaceAll(/\W+/g, '-')];
  return { title, argv, files, bundle: true, env, load, seconds };
}

/** Files of this folder run many in one process, by folders. */
const BUNDLED = 'dist/test/unit/';
const MAX_BUNDLE = 120;

function bundles(files: readonly string[]): Program[] {
  const byFolder = new Map<string, string[]>();
  for (const file of files) byFolder.set(dirname(file), [...(byFolder.get(dirname(file)) ?? []), file]);
  const programs: Program[] = [];
  let open: { folders: string[]; files: string[] } = { folders: [], files: [] };
  const close = (): void => {
    const { folders, files } = open;
    open = { folders: [], files: [] };
    if (files.length === 0) return;
    const last = folders.length > 1 ? ` … ${folders.at(-1)!.split('/').pop()}` : '';
    programs.push({ ...sharing(`${sourceOf(folders[0]!)}${last}`, files), inBackground: true });
  };
  for (const [folder, inside] of byFolder) {
    if (open.files.length + inside.length > MAX_BUNDLE) close();
    open.folders.push(folder);
    open.files.push(...inside);
  }
  close();
  return programs;
}

/**
 * Folders whose files share a few processes of similar length: a process that loads tap and the server takes 1.7 s of
 * CPU before its first fact. Those of the web client start one Chromium each, those of `clients` and `chaos` one
 * process for commands and one folder with which embedded servers begin.
 */
const SHARED: readonly (readonly [folder: string, processes: number])[] = [
  ['dist/test/web/', 2],
  ['dist/test/clients/', 3],
  ['dist/test/chaos/', 1],
  ['dist/test/api/', 2],
  ['dist/test/cluster/', 1],
  ['dist/test/contract/', 2],
  // Its servers wait to show their faults.
  ['dist/test/load/', 1],
  // Much of it waits for connections to end.
  ['dist/test/unit/http/', 1],
];
/** Files of these folders that run alone: they are long, or count what their process has done. */
const NOT_SHARED: readonly string[] = ['api/cluster', 'api/embedded', 'contract/bus-nats'].map(
  (name) => `dist/test/${name}.test.js`,
);

const folderOfShared = (file: string): string | undefined => SHARED.find(([folder]) => file.startsWith(folder))?.[0];

/** Files that can't run without Chromium end their process, so each gets one of its own where it is missing. */
const endsItsProcess = (file: string): boolean =>
  file.startsWith('dist/test/web/') &&
  process.env.CI === undefined &&
  !existsSync(process.env.CHROMIUM ?? '/usr/bin/chromium');

const isShared = (file: string): boolean =>
  folderOfShared(file) !== undefined && !NOT_SHARED.includes(file) && !endsItsProcess(file);

/** Parts that take similar time. Each part keeps the order of the files. */
function partsOf(files: readonly string[], count: number): string[][] {
  const parts = Array.from({ length: count }, () => ({ files: new Set<string>(), seconds: 0 }));
  for (const file of [...files].sort((a, b) => loadOf(b).seconds - loadOf(a).seconds)) {
    const shortest = parts.reduce((least, part) => (part.seconds < least.seconds ? part : least));
    shortest.files.add(file);
    shortest.seconds += loadOf(file).seconds;
  }
  return parts.map((part) => files.filter((file) => part.files.has(file)));
}

function sharedPrograms(files: readonly string[]): Program[] {
  return SHARED.flatMap(([folder, processes]) => {
    const inside = files.filter((file) => folderOfShared(file) === folder);
    return partsOf(inside, processes)
      .map((own, index) => {
        const name = sourceOf(folder).replace(/\/$/, '');
        return sharing(own.length === 1 ? sourceOf(own[0]!) : `${name} ${index + 1}/${processes}`, own);
      })
      .filter((program) => program.files.length > 0);
  });
}

const FILES_WITH_FACES: ReadonlySet<string> = new Set(
  JOURNEYS_WITH_FACES.map((name) => `dist/test/web/${name}.test.js`),
);

/** The program on the embedded face, and its files that have faces once more on the cluster. */
function onBothFaces(program: Program): Program[] {
  const files = program.files.filter((file) => FILES_WITH_FACES.has(file));
  if (files.length === 0) return [program];
  const again = sharing(`${program.title}, cluster face`, files);
  return [
    { ...program, env: { ...program.env, WEB_FACE: 'embedded' } },
    { ...again, env: { ...again.env, WEB_FACE: 'cluster' } },
  ];
}

/** As `npm start` runs the server: fewer collections of garbage, a twentieth of the CPU of the API suite. */
const HEAP_FLAGS = ['--min-semi-space-size=16', '--max-semi-space-size=64'];
/**
 * V8 optimizes a function after eight times as much work as usual: most functions of a test run too seldom to win back
 * the time of their compilation, a tenth of the CPU of the API suite. V8 has this option in Node 20 alone.
 */
const COMPILER_FLAGS = process.versions.v8.startsWith('11.') ? ['--interrupt-budget=1000000'] : [];
const V8_FLAGS = [...HEAP_FLAGS, ...COMPILER_FLAGS];

/** The text of a test file and of what it imports from the tests. */
function textOf(file: string, seen = new Set<string>()): string {
  if (seen.has(file)) return '';
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  const imported = [...text.matchAll(/from '(\.[^']+\.js)'/g)].map(([, path = '']) => join(dirname(file), path));
  return [
    text,
    ...imported.filter((path) => path.startsWith(ROOT) && existsSync(path)).map((path) => textOf(path, seen)),
  ].join('\n');
}

/** Files in which the outermost title of `--grep` is written; all when it is put together while they run. */
function having(grep: string, files: readonly string[]): readonly string[] {
  const [title = ''] = titlesOf(grep);
  const found = files.filter((file) => textOf(file).toLowerCase().includes(title.toLowerCase()));
  return found.length > 0 ? found : files;
}

const EMBEDDED_SUITE = 'dist/test/api/embedded.test.js';
const QUICK = ['dist/test/unit/', 'dist/test/contract/', EMBEDDED_SUITE];
/** Folders of unit tests that a quick run leaves out: builds of the product and promtool, 12 s of CPU. */
export const NOT_QUICK: readonly string[] = ['dist/test/unit/build/', 'dist/test/unit/deploy/'];

const isQuick = (file: string): boolean => {
  const startsFile = (beginning: string): boolean => file.startsWith(beginning);
  return QUICK.some(startsFile) && !NOT_QUICK.some(startsFile);
};

const alone = (file: string): Program => ({
  ...{ title: sourceOf(file), argv: [...V8_FLAGS, file], files: [file], env: {} },
  ...loadOf(file),
  // Its server runs in its own process, by a fake clock where time matters.
  inBackground: file === EMBEDDED_SUITE,
});

/** @throws Error for a path that is no test */
export function programsFor({ paths, grep, quick, long }: Options): Program[] {
  const named = paths.length > 0 ? [...new Set(paths.flatMap(filesAt))] : filesUnder(ROOT);
  const inTime = quick ? named.filter(isQuick) : named;
  const files = grep === undefined ? inTime : having(grep, inTime);
  const isBundled = (file: string): boolean => file.startsWith(BUNDLED) && !isShared(file);
  const programs = [
    ...bundles(files.filter(isBundled)),
    ...sharedPrograms(files.filter(isShared)).flatMap((program) => (long ? onBothFaces(program) : program)),
    ...files.filter((file) => !isBundled(file) && !isShared(file)).map(alone),
  ];
  // With nothing to run beside, a low priority would only favour other work of the machine.
  const areAllInBackground = programs.every(({ inBackground }) => inBackground);
  return areAllInBackground ? programs.map((program) => ({ ...program, inBackground: false })) : programs;
}
