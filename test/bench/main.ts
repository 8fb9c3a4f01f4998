/**
 * Figures of one server of each face beside those of a bare uWebSockets.js server, measured in the same run.
 * `npm run bench -- --help` lists the options; docs/performance.md says what the figures mean. It asserts no times.
 */
import { startFace } from './faces.js';
import { type Bench, measureFanout, measureRate } from './measure.js';
import { type BenchOptions, type FaceName, readOptions, USAGE } from './options.js';
import { makeAccounts, makeQueues, makeStream } from './prepare.js';
import { Ceiling, Load } from './processes.js';
import { type Figure, machine, notMeasured, table } from './report.js';

const SUBSCRIBERS = 10;
/** Accounts behind the held polls; each has several queues, as somebody with several devices. */
const LISTENERS = 50;

const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

async function measureFace(name: FaceName, ceiling: Ceiling, load: Load, options: BenchOptions): Promise<Figure[]> {
  const face = await startFace(name, options);
  if (!face) return [notMeasured(name, 'not measured (no services)')];
  const figures: Figure[] = [];
  const bench: Bench = { face, ceiling, load, options };
  const keep = (measured: readonly Figure[]): void => {
    figures.push(...measured);
    say(table(measured, false));
  };
  try {
    say(`${name}: making accounts`);
    const accounts = await makeAccounts(face, 1, SUBSCRIBERS);
    await makeStream(face, 'ten', accounts);
    for (const what of ['me', 'send'] as const) {
      if (!options.cases.includes(what)) continue;
      for (const at of options.concurrencies) keep(await measureRate(bench, what, accounts, 'ten', at));
    }
    if (options.cases.includes('fanout')) {
      const listeners = [...accounts, ...(await makeAccounts(face, SUBSCRIBERS + 1, LISTENERS - SUBSCRIBERS))];
      await makeStream(face, 'many', listeners);
      const polls = await makeQueues(face, listeners, options.polls);
      keep(await measureFanout(bench, accounts[0]!, 'many', polls));
    }
  } catch (error) {
    say(String(error));
    figures.push(notMeasured(name, `failed: ${String(error).split('\n', 1)[0]}`));
    process.exitCode = 1;
  } finally {
    await face.stop();
  }
  return figures;
}

async function main(options: BenchOptions): Promise<void> {
  const ceiling = await Ceiling.start();
  const load = new Load();
  const figures: Figure[] = [];
  try {
    for (const face of options.faces) figures.push(...(await measureFace(face, ceiling, load, options)));
  } finally {
    await load.stop();
    await ceiling.stop();
  }
  process.stdout.write(`\n${table(figures, options.markdown)}\n\n${machine()}; ${options.runs} runs\n`);
}

try {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options) await main(options);
  else process.stdout.write(USAGE);
} catch (error) {
  say(String(error instanceof Error ? error.stack : error));
  process.exitCode = 2;
}
