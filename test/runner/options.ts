/** Command line of the test runner. */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

export const USAGE = `Usage: npm test -- [options] [path...]

  path              a test file or folder, as in 'npm test -- test/unit/http'; default: all
  --grep WORDS      only subtests of a file (of the API suite: families) whose title contains the words, in any case;
                    'family > subtest' names the levels below
  --quick           unit tests, contract tests and a third of the API suite on the embedded face, by SEED
  --long            all rounds: every hostile value, every family on both faces, long chaos runs
  --jobs N          cores to use; default: those of the machine
  --verbose         everything that the test programs write
  --list            which programs would run`;

export interface Options {
  readonly paths: readonly string[];
  readonly grep: string | undefined;
  readonly quick: boolean;
  /** Picks the families of a quick run: that of the environment, or another one each time. */
  readonly seed: string;
  readonly long: boolean;
  readonly jobs: number;
  readonly verbose: boolean;
  readonly list: boolean;
  readonly help: boolean;
}

/** @throws TypeError for an option that does not exist */
export function readOptions(argv: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      grep: { type: 'string', short: 'g' },
      quick: { type: 'boolean', default: false },
      long: { type: 'boolean', default: false },
      jobs: { type: 'string', short: 'j' },
      verbose: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const { grep, quick, long, verbose, list, help } = values;
  const jobs = Math.max(1, Number(values.jobs ?? availableParallelism()) || 1);
  const seed = process.env.SEED ?? String(Math.floor(Math.random() * 1e6));
  return { paths: positionals, grep, quick, seed, long, jobs, verbose, list, help };
}

const escaped = (words: string): string => words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Separates the titles of nested subtests in `--grep`, and in the command that a failure prints. */
const BELOW = ' > ';

/** The titles of `--grep`, outermost first. */
export const titlesOf = (grep: string): string[] => grep.split(BELOW);

/** As tap reads it from TAP_GREP: one pattern for each level of subtests, each in a line of its own. */
export function tapPatterns(grep: string, always: string): string {
  const [first = '', ...below] = titlesOf(grep);
  return [`/${escaped(first)}|^${escaped(always)}$/i`, ...below.map((title) => `/${escaped(title)}/i`)].join('\n');
}

/** The same for the outermost subtests with exactly these titles, with all that they contain. */
export const tapPatternOfTitles = (titles: readonly string[]): string => `/^(?:${titles.map(escaped).join('|')})$/`;

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * Command that repeats a fact, and little else.
 * @param titles of the subtests around the fact and of the fact itself
 */
export function commandFor(file: string, titles: readonly string[]): string {
  const subtests = titles.slice(0, -1);
  return `npm test -- ${file}${subtests.length > 0 ? ` --grep ${quoted(subtests.join(BELOW))}` : ''}`;
}
