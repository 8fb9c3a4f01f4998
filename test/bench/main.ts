/**
 * Figures of one server of each face beside those of a bare uWebSockets.js server, measured in the same run.
 * `npm run bench -- --help` lists the options; docs/performance.md says what the figures mean. It asserts no times.
 */
import { type Face, startFace } from './faces.js';
import { type Bench, measureFanout, measureRate, RATE_CASES } from './measure.js';
import { measureFanoutRate } from './measure-polls.js';
import { type BenchOptions, type FaceName, readOptions, USAGE } from './options.js';
import { type Account, makeAccounts, makeHistory, makeQueues, makeStream } from './prepare.js';
import { Ceiling, Load } from './processes.js';
import { type Figure, machine, notMeasured, table } from './report.js';

const SUBSCRIBERS = 10;
const HISTORY = 200;
const FANOUTS = ['fanout', 'fanout-rate'] as const;

const say = (text: string): void => {
  process.stderr.write(`[${(performance.now() / 1000).toFixed(0)} s] ${text}\n`);
};

/** Running now. A benchmark that is interrupted must leave no servers, databases and streams behind. */
const faces = new Set<Face>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    say(signal);
    void Promise.all([...faces].map((face) => face.stop())).finally(() => process.exit(1));
  });
}

async function measureFace(name: FaceName, ceiling: Ceiling, load: Load, options: BenchOptions): Promise<Figure[]> {
  const face = await startFace(name, options);
  if (!face) return [notMeasured(name, 'not measured (no services)')];
  faces.add(face);
  const figures: Figure[] = [];
  const bench: Bench = { face, ceiling, load, options };
  const keep = (measured: readonly Figure[]): void => {
    figures.push(...measured);
    say(`\n${table(measured, false)}`);
  };
  try {
    say(`${name}: making accounts`);
    // First, with accounts of its own: what later fills the stream must not fill these queues, too.
    if (FANOUTS.some((what) => options.cases.includes(what))) {
      const listeners = await makeAccounts(face, 1, Math.ceil(options.polls / options.queuesEach));
      await makeStream(face, 'many', listeners);
      const polls = await makeQueues(face, listeners, options.polls);
      const [sender] = listeners as [Account];
      if (options.cases.includes('fanout')) keep(await measureFanout(bench, sender, 'many', polls));
      if (options.cases.includes('fanout-rate')) keep(await measureFanoutRate(bench, sender, 'many', polls));
    }
    if (!RATE_CASES.some((what) => options.cases.includes(what))) return figures;
    const accounts = await makeAccounts(face, 1_001, SUBSCRIBERS);
    await makeStream(face, 'ten', accounts);
    await makeHistory(face, 'ten', accounts, HISTORY);
    for (const what of RATE_CASES) {
      if (!options.cases.includes(what)) continue;
      for (const at of options.concurrencies) keep(await measureRate(bench, what, accounts, 'ten', at));
    }
  } catch (error) {
    say(String(error));
    figures.push(notMeasured(name, `failed: ${String(error).split('\n', 1)[0]}`));
    process.exitCode = 1;
  } finally {
    const begun = performance.now();
    await face.stop();
    faces.delete(face);
    say(`${name}: stopped in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
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
