/** The second attempt of a program that failed beside others. */
import type { Finished } from './child.js';
import { FILE_END } from './facts.js';
import { tapPatternOfTitles } from './options.js';
import type { Program } from './programs.js';

/**
 * True for programs that get a second attempt, alone, when all others have ended: those that wait for other processes
 * or a browser. On a crowded machine a key of the DevTools protocol is lost, or a lease lapses. A fault fails twice.
 */
export const getsSecondAttempt = ({ files }: Program): boolean => files.every((file) => !file.includes('/test/unit/'));

/** Titles of the outermost subtests with failures; empty if a failure is outside of them. */
const failedSubtestsOf = ({ facts: { failures } }: Finished): ReadonlySet<string> =>
  // The last title is that of the fact itself.
  new Set(failures.every(({ titles }) => titles.length > 1) ? failures.map(({ titles }) => titles[0]!) : []);

/** The program with the files that have failures alone. */
function withFailedFiles({ program, facts, fault }: Finished): Program {
  const failed = new Set(facts.failures.map(({ file }) => file));
  if (!program.bundle || fault !== undefined || failed.has(undefined)) return program;
  const files = program.files.filter((file) => failed.has(file));
  return { ...program, files, env: { ...program.env, TEST_FILES: files.join(' ') } };
}

/**
 * Runs a program for the second time: if it came to its end, only the subtests that failed, since each can be repeated
 * alone, as the message of its failure says.
 */
export async function attemptAgain(
  finished: Finished,
  attempt: (program: Program) => Promise<Finished>,
): Promise<Finished> {
  const program = withFailedFiles(finished);
  const titles = failedSubtestsOf(finished);
  if (finished.fault !== undefined || titles.size === 0) return attempt(program);
  const filter = { TAP_GREP: tapPatternOfTitles([...titles, FILE_END]), TAP_FILTER_QUIETLY: '1' };
  const again = await attempt({ ...program, env: { ...program.env, ...filter } });
  // A title that tap writes in another form is not found.
  return [...titles].every((title) => again.facts.outermostTitles.has(title)) ? again : attempt(program);
}

/** True if an attempt ran only a part of the program that has finished before. */
export const isPartOfProgram = ({ program: attempted }: Finished, { program }: Finished): boolean =>
  attempted.files.length < program.files.length || attempted.env.TAP_GREP !== program.env.TAP_GREP;
