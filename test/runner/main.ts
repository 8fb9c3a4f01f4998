/**
 * `npm test`: runs the test programs side by side, prints each failure with the command that repeats it alone, and ends
 * with the number of facts. The `tap` program is not used: it loads its own hooks into every process, and reads each
 * fact twice.
 */
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Finished, runProgram } from './child.js';
import { FILE_END } from './facts.js';
import { commandFor, type Options, readOptions, tapPatterns, titlesOf, USAGE } from './options.js';
import { NOT_QUICK, type Program, programsFor, sourceOf } from './programs.js';
import { runAll, watchIdleCores } from './schedule.js';
import { attemptAgain, getsSecondAttempt, isPartOfProgram } from './second-attempt.js';

const PROGRAM_SECONDS = 900;
/** A test of its own may take this long. */
const TEST_SECONDS = 420;
/** How much longer the long form takes at most. */
const LONG_FACTOR = 4;
/** Free space that the memory file system needs; with less, tests use the disk. */
const MIN_MEMORY_BYTES = 3 * 1024 ** 3;
const MEMORY = '/dev/shm';

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Folder for temporary data of tests: in memory if there is room, because the data need not survive a crash. */
function temporaryFolder(): string {
  let base = tmpdir();
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (process.env.TMPDIR === undefined && bavail * bsize >= MIN_MEMORY_BYTES) base = MEMORY;
  } catch {
    // No such file system here.
  }
  return mkdtempSync(join(base, 'conclave-tests-'));
}

function environmentOf({ grep, long, quick, seed, verbose }: Options, folder: string): Record<string, string> {
  return {
    TMPDIR: folder,
    TAP_TIMEOUT: String(TEST_SECONDS * (long ? LONG_FACTOR : 1)),
    ...(long ? { TEST_LONG: '1' } : {}),
    ...(quick ? { TEST_QUICK: '1', SEED: seed } : {}),
    ...(verbose ? { TEST_EVERY_FACT: '1' } : {}),
    ...(grep === undefined ? {} : { TAP_GREP: tapPatterns(grep, FILE_END), TAP_FILTER_QUIETLY: '1' }),
  };
}

const seconds = (value: number): string => `${value.toFixed(1)} s`;

/** Failing facts, as lines for people. */
function failuresOf({ program, facts, fault, stdout, stderr }: Finished): string[] {
  const first = sourceOf(program.files[0]!);
  const lines = facts.failures.flatMap(({ file, titles, details }) => {
    const source = file === undefined ? first : sourceOf(file);
    return [`not ok ${source}: ${titles.join(' > ')}`, ...details, `  again: ${commandFor(source, titles)}`, ''];
  });
  if (fault !== undefined) {
    const sources = program.files.map(sourceOf).join(' ');
    lines.push(`not ok ${program.title} ${fault}`, stdout.slice(-4_000), `  again: npm test -- ${sources}`, '');
  }
  if (lines.length > 0 && stderr.trim() !== '') lines.push(`stderr of ${program.title}:`, stderr, '');
  return lines;
}

class Report {
  facts = 0;
  failed = 0;
  readonly #failures: string[] = [];
  readonly #skips: string[] = [];
  #skipped = 0;
  #levels = 0;
  #cpuSeconds = 0;

  constructor(private readonly grep: string | undefined) {}

  /** @param attempt the one whose failures count, when the program ran twice */
  add(finished: Finished, attempt = finished): void {
    // If the second attempt ran only a part of the program, the facts of the rest come from the first one.
    const { program, facts } = isPartOfProgram(attempt, finished) ? finished : attempt;
    const { counts } = facts;
    // The end of a file is a fact to tap.
    const own = (counts?.facts ?? 0) + facts.counted - (program.bundle ? facts.files : 0);
    this.#levels = Math.max(this.#levels, facts.levels);
    const failures = failuresOf(attempt);
    const { fault, seconds: took } = attempt;
    this.#cpuSeconds += finished.facts.cpuSeconds + (attempt === finished ? 0 : attempt.facts.cpuSeconds);
    this.facts += own + (fault === undefined ? 0 : 1);
    this.failed += fault === undefined ? 0 : 1;
    this.failed += Math.max(attempt.facts.counts?.failed ?? 0, attempt.facts.failures.length);
    this.#skipped += counts?.skipped ?? 0;
    this.#skips.push(...facts.skips.map((skip) => `${program.title}: ${skip}`));
    this.#failures.push(...failures);
    if (own > 0 || failures.length > 0 || this.grep === undefined) {
      print(
        `${failures.length === 0 ? 'ok' : 'NOT OK'} ${program.title}: ${own} facts, ${seconds(took)} (CPU ${seconds(facts.cpuSeconds)})`,
      );
    }
    for (const line of failures) print(line);
  }

  /**
   * False, with a message, if no subtest ran that has the titles of `--grep`: a file then ends without a failure.
   * Titles in a file that was skipped are not known.
   */
  #hasTitle(): boolean {
    if (this.grep === undefined || this.#skipped > 0 || this.#levels >= titlesOf(this.grep).length) return true;
    print(`No subtest has the title '${this.grep}'.`);
    return false;
  }

  /** @returns whether all is well */
  end(took: number, programs: number): boolean {
    for (const skip of this.#skips) print(`skipped ${skip}`);
    if (this.#failures.length > 0 && programs > 1) print(['', 'What failed:', ...this.#failures].join('\n'));
    const passed = this.facts - this.failed - this.#skipped;
    const all = `total: ${this.facts}, pass: ${passed}, fail: ${this.failed}, skip: ${this.#skipped}`;
    print(`# { ${all} }\n# time=${seconds(took)}, CPU ${seconds(this.#cpuSeconds)}`);
    if (this.facts === 0) print('No test was found.');
    return this.failed === 0 && this.facts > 0 && this.#hasTitle();
  }
}

async function main(options: Options): Promise<boolean> {
  const programs = programsFor(options);
  if (options.list) {
    for (const { title, files } of programs) print(`${title}${files.length > 1 ? ` (${files.length} files)` : ''}`);
    return true;
  }
  if (options.quick) print(`SEED=${options.seed}\nleft to npm test: ${NOT_QUICK.map(sourceOf).join(', ')}`);
  const begun = performance.now();
  const folder = temporaryFolder();
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const env = environmentOf(options, folder);
  const report = new Report(options.grep);
  const onOutput = options.verbose ? (chunk: string) => void process.stdout.write(chunk) : () => {};
  const limitSeconds = PROGRAM_SECONDS * (options.long ? LONG_FACTOR : 1);
  const attempt = (program: Program): Promise<Finished> => runProgram(program, { env, limitSeconds, onOutput });
  const unsteady: Finished[] = [];
  const cores = { count: options.jobs, idle: watchIdleCores() };
  await runAll<Program>(programs, cores, async (program) => {
    const finished = await attempt(program);
    const lines = programs.length > 1 && getsSecondAttempt(program) ? failuresOf(finished) : [];
    if (lines.length === 0) return report.add(finished);
    print([`unsteady: ${program.title} failed beside others and runs again at the end:`, ...lines].join('\n'));
    unsteady.push(finished);
  });
  for (const finished of unsteady) report.add(finished, await attemptAgain(finished, attempt));
  const titles = unsteady.map(({ program }) => program.title);
  if (titles.length > 0) print(`unsteady programs, which ran twice: ${titles.join(', ')}`);
  return report.end((performance.now() - begun) / 1000, programs.length);
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) print(USAGE);
  else process.exitCode = (await main(options)) ? 0 : 1;
} catch (error) {
  print(`${(error as Error).message}\n\n${USAGE}`);
  process.exitCode = 2;
}
