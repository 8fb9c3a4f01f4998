/**
 * Figures of one server of each face beside their ceilings, measured in the same run.
 * `npm run bench -- --help` lists the options; docs/performance.md says what the figures mean. It asserts no times.
 */
import { BarePrograms } from './bare-programs.js';
import { Bench, type Case } from './case.js';
import { CASES } from './cases/index.js';
import { type Face, startFace } from './faces.js';
import { type Figure, makeUnmeasuredFigure } from './figures.js';
import { type BenchOptions, type FaceName, readOptions, usage } from './options.js';
import { BareHttpServer, LoadGenerator } from './processes.js';
import { runProfiled, writeSharesPage } from './profiler.js';
import { appendRun, toRecordedRun, writeTables } from './recorded-runs.js';
import { currentCommit, figureTable, hardwareText, machineText, today } from './report.js';

const log = (text: string): void => {
  process.stderr.write(`[${(performance.now() / 1000).toFixed(0)} s] ${text}\n`);
};

/** Running now. A benchmark that is interrupted must leave no servers, databases and streams behind. */
const runningFaces = new Set<Face>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    log(signal);
    void Promise.all([...runningFaces].map((face) => face.stop())).finally(() => process.exit(1));
  });
}

interface MeasuringTools {
  readonly ceiling: BareHttpServer;
  readonly bare: BarePrograms;
  readonly load: LoadGenerator;
  readonly options: BenchOptions;
}

/** Cases one after the other on one server. */
async function measureCases(name: FaceName, cases: readonly Case[], tools: MeasuringTools): Promise<Figure[]> {
  try {
    await cases[0]!.beforeServer?.(tools.options);
    return await measureCasesOnServer(name, cases, tools);
  } finally {
    await cases[0]!.afterServer?.();
  }
}

async function measureCasesOnServer(
  name: FaceName,
  cases: readonly Case[],
  { ceiling, bare, load, options }: MeasuringTools,
): Promise<Figure[]> {
  const { nats, mongodb, profile } = options;
  const face = await startFace(name, { nats, mongodb, profile: profile?.profiles, ...cases[0]!.server });
  if (!face) return cases.map((one) => makeUnmeasuredFigure(`${one.name}, ${name}`, 'not measured (no services)'));
  runningFaces.add(face);
  const figures: Figure[] = [];
  const bench = new Bench(face, ceiling, bare, load, options);
  try {
    for (const one of cases) {
      try {
        log(`${one.name}, ${name}: preparing`);
        const prepared = await one.prepare(bench);
        log(`${one.name}, ${name}: measuring`);
        const measure = (): Promise<readonly Figure[]> => one.measure(bench, prepared);
        const measured = profile ? await runProfiled(face, one.name, profile, measure) : await measure();
        figures.push(...measured);
        log(`\n${figureTable(measured, false)}`);
      } catch (error) {
        log(String(error instanceof Error ? error.stack : error));
        figures.push(makeUnmeasuredFigure(`${one.name}, ${name}`, `failed: ${String(error).split('\n', 1)[0]}`));
        process.exitCode = 1;
      }
    }
  } finally {
    const begun = performance.now();
    await face.stop();
    runningFaces.delete(face);
    log(`${name}: stopped in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  }
  return figures;
}

async function measureFace(name: FaceName, tools: MeasuringTools): Promise<Figure[]> {
  const { options } = tools;
  const cases = CASES.filter((one) => options.cases.includes(one.name) && (one.faces ?? [name]).includes(name));
  const shared = cases.filter(({ server }) => server === undefined);
  const groups = [...cases.filter(({ server }) => server !== undefined).map((one) => [one]), shared];
  const figures: Figure[] = [];
  for (const group of groups) {
    if (group.length > 0) figures.push(...(await measureCases(name, group, tools)));
  }
  return figures;
}

async function main(options: BenchOptions): Promise<void> {
  const ceiling = await BareHttpServer.start();
  const bare = new BarePrograms(options);
  const load = new LoadGenerator();
  const figures: Figure[] = [];
  try {
    for (const face of options.faces) figures.push(...(await measureFace(face, { ceiling, bare, load, options })));
  } finally {
    await load.stop();
    await bare.stop();
    await ceiling.stop();
  }
  process.stdout.write(`\n${figureTable(figures, options.markdown)}\n\n${machineText()}; ${options.runs} runs\n`);
  if (options.profile) {
    await writeSharesPage(options.profile, machineText());
    process.stdout.write(`profiles in ${options.profile.profiles}, graphs in ${options.profile.flames}\n`);
  }
  if (options.records) await recordFigures(figures, options);
}

async function recordFigures(figures: readonly Figure[], { runs }: BenchOptions): Promise<void> {
  const { id, changed } = currentCommit();
  // Figures of a state that is in no commit can't be reproduced.
  if (changed) throw new Error('not recorded: src or actors have changes that are in no commit');
  const run = { commit: id, date: today(), machine: hardwareText(), node: process.versions.node, runs };
  await appendRun(toRecordedRun(run, figures));
}

try {
  const options = readOptions(process.argv.slice(2), process.env, CASES);
  if (options?.writesHistoryTables) await writeTables();
  else if (options) await main(options);
  else process.stdout.write(usage(CASES));
} catch (error) {
  log(String(error instanceof Error ? error.stack : error));
  process.exitCode = 2;
}
