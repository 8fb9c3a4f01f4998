/** Command line of `npm run chaos` and `npm run rolling`: options, progress, report, cleanup, exit code. */
import { writeFile } from 'node:fs/promises';
import { type ChaosOptions, readOptions } from './options.js';
import { formatReport, type Report } from './report.js';
import { Cleanup, type LogProgress } from './run.js';

const FAILED = 1;
const BROKEN = 2;

export interface Verdict {
  readonly report: Report;
  /** Descriptions of violated guarantees; empty after a run without a fault. */
  readonly violations: readonly string[];
  readonly extraLines?: readonly string[];
}

const log: LogProgress = (words) => {
  process.stderr.write(`[${(performance.now() / 1000).toFixed(1)} s] ${words}\n`);
};

export async function runFromCommandLine(
  usage: string,
  work: (options: ChaosOptions, cleanup: Cleanup, log: LogProgress) => Promise<Verdict>,
): Promise<void> {
  const cleanup = new Cleanup();
  // An interrupted run must leave no processes, databases and JetStream streams behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void cleanup.run().finally(() => process.exit(BROKEN)));
  }
  try {
    const options = readOptions(process.argv.slice(2), process.env);
    if (!options) {
      process.stdout.write(usage);
      return;
    }
    const { report, violations, extraLines = [] } = await work(options, cleanup, log);
    process.stdout.write(`\n${[formatReport(report), ...extraLines].join('\n')}\n`);
    process.stdout.write(violations.length === 0 ? 'all checks passed\n' : `FAILED: ${violations.join('; ')}\n`);
    if (options.report !== undefined) {
      // The keys `told` and `held` of the file are older than the names of the fields, and kept for its readers.
      const { descriptions: told, skipped: held, ...figures } = report;
      await writeFile(options.report, `${JSON.stringify({ options, ...figures, told, held }, null, 1)}\n`);
    }
    process.exitCode = violations.length === 0 ? 0 : FAILED;
  } catch (error) {
    log(String(error instanceof Error ? error.stack : error));
    process.exitCode = BROKEN;
  } finally {
    await cleanup.run();
  }
}

/** @returns number and kind of the faults, an entry for each kind that occurred */
export const faultsIn = ({ faults }: Report): string[] =>
  Object.entries(faults).flatMap(([kind, n]) => (n > 0 ? [`${n} ${kind}`] : []));
