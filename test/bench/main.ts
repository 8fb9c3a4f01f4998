/**
 * Figures of one server of each face beside their ceilings, measured in the same run.
 * `npm run bench -- --help` lists the options; docs/performance.md says what the figures mean. It asserts no times.
 */
import { BareTools } from './bare.js';
import { Bench, type Case } from './case.js';
import { CASES } from './cases/index.js';
import { type Face, startFace } from './faces.js';
import { type Figure, notMeasured } from './figures.js';
import { record, recordedOf, writeTables } from './history.js';
import { type BenchOptions, type FaceName, readOptions, usage } from './options.js';
import { Ceiling, Load } from './processes.js';
import { profiled, writeShares } from './profiler.js';
import { commit, hardware, machine, table, today } from './report.js';

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

interface Tools {
  readonly ceiling: Ceiling;
  readonly bare: BareTools;
  readonly load: Load;
  readonly options: BenchOptions;
}

/** Cases one after the other on one server. */
async function measureOn(name: FaceName, cases: readonly Case[], tools: Tools): Promise<Figure[]> {
  try {
    await cases[0]!.before?.(tools.options);
    return await measureOnServer(name, cases, tools);
  } finally {
    await cases[0]!.after?.();
  }
}

async function measureOnServer(
  name: FaceName,
  cases: readonly Case[],
  { ceiling, bare, load, options }: Tools,
): Promise<Figure[]> {
  const { nats, mongodb, profile } = options;
  const face = await startFace(name, { nats, mongodb, profile: profile?.profiles, ...cases[0]!.server });
  if (!face) return cases.map((one) => notMeasured(`${one.name}, ${name}`, 'not measured (no services)'));
  faces.add(face);
  const figures: Figure[] = [];
  const bench = new Bench(face, ceiling, bare, load, options);
  try {
    for (const one of cases) {
      try {
        say(`${one.name}, ${name}: preparing`);
        const prepared = await one.prepare(bench);
        say(`${one.name}, ${name}: measuring`);
        const measure = (): Promise<readonly Figure[]> => one.measure(bench, prepared);
        const measured = profile ? await profiled(face, one.name, profile, measure) : await measure();
        figures.push(...measured);
        say(`\n${table(measured, false)}`);
      } catch (error) {
        say(String(error instanceof Error ? error.stack : error));
        figures.push(notMeasured(`${one.name}, ${name}`, `failed: ${String(error).split('\n', 1)[0]}`));
        process.exitCode = 1;
      }
    }
  } finally {
    const begun = performance.now();
    await face.stop();
    faces.delete(face);
    say(`${name}: stopped in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  }
  return figures;
}

async function measureFace(name: FaceName, tools: Tools): Promise<Figure[]> {
  const { options } = tools;
  const cases = CASES.filter((one) => options.cases.includes(one.name) && (one.faces ?? [name]).includes(name));
  const shared = cases.filter(({ server }) => server === undefined);
  const groups = [...cases.filter(({ server }) => server !== undefined).map((one) => [one]), shared];
  const figures: Figure[] = [];
  for (const group of groups) {
    if (group.length > 0) figures.push(...(await measureOn(name, group, tools)));
  }
  return figures;
}

async function main(options: BenchOptions): Promise<void> {
  const ceiling = await Ceiling.start();
  const bare = new BareTools(options);
  const load = new Load();
  const figures: Figure[] = [];
  try {
    for (const face of options.faces) figures.push(...(await measureFace(face, { ceiling, bare, load, options })));
  } finally {
    await load.stop();
    await bare.stop();
    await ceiling.stop();
  }
  process.stdout.write(`\n${table(figures, options.markdown)}\n\n${machine()}; ${options.runs} runs\n`);
  if (options.profile) {
    await writeShares(options.profile, machine());
    process.stdout.write(`profiles in ${options.profile.profiles}, graphs in ${options.profile.flames}\n`);
  }
  if (options.record) await keep(figures, options);
}

async function keep(figures: readonly Figure[], { runs }: BenchOptions): Promise<void> {
  const { id, changed } = commit();
  // Figures of a state that is in no commit can't be reproduced.
  if (changed) throw new Error('not recorded: src or actors have changes that are in no commit');
  const run = { commit: id, date: today(), machine: hardware(), node: process.versions.node, runs };
  await record(recordedOf(run, figures));
}

try {
  const options = readOptions(process.argv.slice(2), process.env, CASES);
  if (options?.history) await writeTables();
  else if (options) await main(options);
  else process.stdout.write(usage(CASES));
} catch (error) {
  say(String(error instanceof Error ? error.stack : error));
  process.exitCode = 2;
}
