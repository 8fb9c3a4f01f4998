/** The common part of `npm run chaos` and `npm run rolling`: options, progress, report and cleanup. */
import { writeFile } from 'node:fs/promises';
import { type ChaosOptions, readOptions } from './options.js';
import { formatReport, type Report } from './report.js';
import { CleanupSteps, type Log } from './run.js';

const EXIT_FAILED = 1;
const EXIT_ERROR = 2;

export interface Verdict {
  readonly report: Report;
  /** Descriptions of what is wrong; none if the run succeeded. */
  readonly wrong: readonly string[];
  readonly more?: readonly string[];
}

const log: Log = (line) => {
  process.stderr.write(`[${(performance.now() / 1000).toFixed(1)} s] ${line}\n`);
};

export async function runCommandLine(
  usage: string,
  work: (options: ChaosOptions, cleanup: CleanupSteps, log: Log) => Promise<Verdict>,
): Promise<void> {
  const cleanup = new CleanupSteps();
  // An interrupted run leaves no servers, databases and streams behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void cleanup.run().finally(() => process.exit(EXIT_ERROR)));
  }
  try {
    const options = readOptions(process.argv.slice(2), process.env);
    if (!options) {
      process.stdout.write(usage);
      return;
    }
    const { report, wrong, more = [] } = await work(options, cleanup, log);
    process.stdout.write(`\n${[formatReport(report), ...more].join('\n')}\n`);
    process.stdout.write(wrong.length === 0 ? 'no fault found\n' : `WRONG: ${wrong.join('; ')}\n`);
    if (options.report !== undefined)
      await writeFile(options.report, `${JSON.stringify({ options, ...report }, null, 1)}\n`);
    process.exitCode = wrong.length === 0 ? 0 : EXIT_FAILED;
  } catch (error) {
    log(String(error instanceof Error ? error.stack : error));
    process.exitCode = EXIT_ERROR;
  } finally {
    await cleanup.run();
  }
}

/** Lists the kinds of faults that were found, with their numbers. */
export const faultsIn = ({ faults }: Report): string[] =>
  Object.entries(faults).flatMap(([kind, n]) => (n > 0 ? [`${n} ${kind}`] : []));
