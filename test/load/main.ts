/**
 * Load command: puts simulated clients on a server and reports latencies. `npm run load -- --help` lists the options;
 * docs/load.md explains the figures.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compare, exitCodeOf } from './comparison.js';
import { comparisonText } from './comparison-text.js';
import { readEarlierReport } from './earlier-report.js';
import { DEFAULT_MIX, type Mix, mixOf } from './mix.js';
import { type LoadOptions, readOptions, USAGE } from './options.js';
import { factsOf, type ReportData, reportDataOf, tableOf } from './report.js';
import { reportPageOf } from './report-html.js';
import { LoadRun } from './run.js';
import { openTarget } from './target.js';

const print = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

async function readMix(file: string | undefined): Promise<Mix> {
  if (file === undefined) return DEFAULT_MIX;
  try {
    return mixOf(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`);
  }
}

async function main(options: LoadOptions): Promise<void> {
  const mix = await readMix(options.mix);
  const earlier = await readEarlierReport(options, mix);
  let run: LoadRun | undefined;
  let interrupts = 0;
  const interrupt = (): void => {
    if (++interrupts > 2) process.exit(130);
    print(interrupts === 1 ? 'interrupted: ending with the report so far' : 'interrupt again to exit at once');
    run?.interrupt();
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  const target = await openTarget(options);
  try {
    print(`server: ${target.site}`);
    run = new LoadRun(target, options, mix, print);
    if (interrupts > 0) run.interrupt();
    const outcome = await run.run();
    const facts = factsOf(options, target.site, outcome);
    await mkdir(options.out, { recursive: true });
    const [page, data] = [join(options.out, 'report.html'), join(options.out, 'report.json')];
    const json = JSON.stringify(reportDataOf(outcome, facts, options, mix));
    const comparison = earlier && compare(earlier, JSON.parse(json) as ReportData);
    await writeFile(page, reportPageOf(outcome, facts, comparison));
    await writeFile(data, `${json}\n`);
    const parts = [
      tableOf(outcome),
      ...(comparison ? [comparisonText(comparison)] : []),
      `${facts.site}: ${facts.summary}\n${facts.machine}\n${page}\n${data}\n`,
    ];
    process.stdout.write(`\n${parts.join('\n\n')}`);
    if (comparison) process.exitCode = exitCodeOf(comparison, options.failIfWorse);
  } finally {
    await target.stop();
  }
}

try {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options === 'help') process.stdout.write(USAGE);
  else if (options === 'mix') process.stdout.write(`${JSON.stringify(DEFAULT_MIX, undefined, 2)}\n`);
  else await main(options);
} catch (error) {
  print(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
