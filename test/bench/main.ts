/**
 * Figures of one server of each face beside those of a bare uWebSockets.js server, measured in the same run.
 * `npm run bench -- --help` lists the options; docs/performance.md says what the figures mean. It asserts no times.
 */
import { type Face, startFace } from './faces.js';
import { measureHistory } from './history-bench.js';
import { makeHistory as fillHistory } from './history-fill.js';
import { type Bench, measureFanout, measureRate, RATE_CASES } from './measure.js';
import { type BenchOptions, type FaceName, readOptions, USAGE } from './options.js';
import { makeAccounts, makeHistory, makeQueues, makeStream } from './prepare.js';
import { Ceiling, Load } from './processes.js';
import { measureRegister } from './register-bench.js';
import { type Figure, machine, notMeasured, table } from './report.js';

const SUBSCRIBERS = 10;
const HISTORY = 200;
/** Who registers or fetches messages at once. */
const READERS = 16;
/** Held polls of one account, as of somebody with many devices: accounts are dear to make. */
const QUEUES_EACH = 10;

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
    if (options.cases.includes('fanout')) {
      const listeners = await makeAccounts(face, 1, Math.ceil(options.polls / QUEUES_EACH));
      await makeStream(face, 'many', listeners);
      const polls = await makeQueues(face, listeners, options.polls);
      keep(await measureFanout(bench, listeners[0]!, 'many', polls));
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

/** Cases that are at home in an organization of their own, on a server of its own. */
async function measureApart(name: FaceName, ceiling: Ceiling, load: Load, options: BenchOptions): Promise<Figure[]> {
  const figures: Figure[] = [];
  const measure = async (dataDir: string | undefined, work: (bench: Bench) => Promise<Figure[]>): Promise<void> => {
    const face = await startFace(name, dataDir === undefined ? options : { ...options, dataDir });
    if (!face) return void figures.push(notMeasured(name, 'not measured (no services)'));
    faces.add(face);
    try {
      const measured = await work({ face, ceiling, load, options });
      figures.push(...measured);
      say(`\n${table(measured, false)}`);
    } catch (error) {
      say(String(error));
      figures.push(notMeasured(name, `failed: ${String(error).split('\n', 1)[0]}`));
      process.exitCode = 1;
    } finally {
      await face.stop();
      faces.delete(face);
    }
  };
  if (options.cases.includes('register')) await measure(undefined, (bench) => measureRegister(bench, READERS));
  // Only the embedded face has a directory that can be filled beforehand.
  if (options.cases.includes('history') && name === 'embedded') {
    say(`history: ${options.messages} messages in ${options.history}`);
    const history = await fillHistory(options.history, options.messages);
    await measure(options.history, (bench) => measureHistory(bench, history, READERS));
  }
  return figures;
}

async function main(options: BenchOptions): Promise<void> {
  const ceiling = await Ceiling.start();
  const load = new Load();
  const figures: Figure[] = [];
  try {
    for (const face of options.faces) {
      if (options.cases.some((one) => one !== 'register' && one !== 'history')) {
        figures.push(...(await measureFace(face, ceiling, load, options)));
      }
      figures.push(...(await measureApart(face, ceiling, load, options)));
    }
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
