/**
 * The benchmark: measures the cases on a server of each face, and the ceilings of bare programs in the same run.
 * `npm run bench -- --help` lists the options; docs/performance.md explains the figures. A slow figure fails no run.
 *
 * Files of this folder:
 * - `cases/`: the cases. They share the options, the load generator, the bare programs, goals and recorded runs.
 * - `*-bench.ts`, `scale-model.ts`: programs beside the benchmark, run by `node dist/test/bench/NAME.js`. Each one
 *   measures or computes one matter with options of its own, without goals and without recorded runs.
 * - `bare-*.ts`: bare programs, whose values are the ceilings.
 * - `load-generator*.ts`, `jobs.ts`, `processes.ts`: the load generator, its jobs, and child processes.
 * - `*-fill.ts`, `prepare.ts`, `organization.ts`, `large-directory.ts`: data of the measured organizations.
 * - `*-hook.ts`: modules that measured processes load with `node --import`.
 * - `profile.ts`, `flame.ts`, `heap-types.ts`: programs that show a CPU profile or a heap snapshot.
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

/** Running servers. An interrupted benchmark stops them, and with them removes its databases and log streams. */
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

/** Measures cases one after the other on one server. */
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
    for (const benchCase of cases) {
      try {
        log(`${benchCase.name}, ${name}: preparing`);
        const prepared = await benchCase.prepare(bench);
        log(`${benchCase.name}, ${name}: measuring`);
        const measure = (): Promise<readonly Figure[]> => benchCase.measure(bench, prepared);
        const measured = profile ? await runProfiled(face, benchCase.name, profile, measure) : await measure();
        figures.push(...measured);
        log(`\n${figureTable(measured, false)}`);
      } catch (error) {
        log(String(error instanceof Error ? error.stack : error));
        figures.push(makeUnmeasuredFigure(`${benchCase.name}, ${name}`, `failed: ${String(error).split('\n', 1)[0]}`));
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
  // Figures of uncommitted sources cannot be reproduced.
  if (changed) throw new Error('not recorded: src or actors have uncommitted changes');
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
