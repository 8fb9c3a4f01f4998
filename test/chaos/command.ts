/** Common part of both commands: options, progress, report, ending. */
import { writeFile } from 'node:fs/promises';
import { type ChaosOptions, readOptions } from './options.js';
import { formatReport, type Report } from './report.js';
import { CleanupSteps, type Say } from './run.js';

const EXIT_FAILED = 1;
const EXIT_ERROR = 2;

export interface Verdict {
  readonly report: Report;
  /** In words; empty when everything is as it must be. */
  readonly wrong: readonly string[];
  readonly more?: readonly string[];
}

const say: Say = (words) => {
  process.stderr.write(`[${(performance.now() / 1000).toFixed(1)} s] ${words}\n`);
};

export async function command(
  usage: string,
  work: (options: ChaosOptions, ends: CleanupSteps, say: Say) => Promise<Verdict>,
): Promise<void> {
  const ends = new CleanupSteps();
  // An interrupted run must leave no servers, databases and streams behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void ends.run().finally(() => process.exit(EXIT_ERROR)));
  }
  try {
    const options = readOptions(process.argv.slice(2), process.env);
    if (!options) {
      process.stdout.write(usage);
      return;
    }
    const { report, wrong, more = [] } = await work(options, ends, say);
    process.stdout.write(`\n${[formatReport(report), ...more].join('\n')}\n`);
    process.stdout.write(wrong.length === 0 ? 'all is as it must be\n' : `WRONG: ${wrong.join('; ')}\n`);
    if (options.report !== undefined)
      await writeFile(options.report, `${JSON.stringify({ options, ...report }, null, 1)}\n`);
    process.exitCode = wrong.length === 0 ? 0 : EXIT_FAILED;
  } catch (error) {
    say(String(error instanceof Error ? error.stack : error));
    process.exitCode = EXIT_ERROR;
  } finally {
    await ends.run();
  }
}

/** Kinds of faults that there were. */
export const faultsIn = ({ faults }: Report): string[] =>
  Object.entries(faults).flatMap(([kind, n]) => (n > 0 ? [`${n} ${kind}`] : []));
