/** Comparisons of reports with known figures. */
import { writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import t from 'tap';
import type { Capacity, Step } from '../../load/capacity.js';
import {
  type ComparedMeasure,
  compare,
  compareCapacity,
  exitCodeOf,
  judgeDifference,
  loadDifferences,
  rangeText,
} from '../../load/comparison.js';
import { comparisonHtml, comparisonText } from '../../load/comparison-text.js';
import { readEarlierReport } from '../../load/earlier-report.js';
import type { Summary } from '../../load/histograms.js';
import { DEFAULT_MIX, mixOf } from '../../load/mix.js';
import { type LoadOptions, readOptions } from '../../load/options.js';
import { type ReportData, type Row, reportDataOf } from '../../load/report.js';
import { makeRandom } from '../../load/schedule.js';
import { type Point, Totals } from '../../load/totals.js';

const summary = (mean: number): Summary => ({
  ...{ count: 100, mean, p50: mean * 0.8, p90: mean * 2, p99: mean * 3, p999: mean * 4, max: mean * 5 },
});

interface Server {
  readonly mean?: number;
  readonly cpu?: number | null;
  readonly errors?: number;
  readonly missing?: number;
  readonly machine?: number;
  readonly lag?: number;
  readonly seed?: number;
}

/** @returns the points of thirty seconds with a hundred calls and a hundred deliveries each */
function pointsOf({ mean = 10, cpu = 0.4, machine = 0.5, lag = 1, seed = 1 }: Server, from = 0): Point[] {
  const random = makeRandom(seed, 0);
  const wandering = (value: number): number => value * (0.9 + 0.2 * random.next());
  return Array.from({ length: 30 }, (_, i) => ({
    ...{ at: from + i + 1, seconds: 1, phase: 'measured', clients: 50, held: 50, inFlight: 1 },
    ...{ requests: 100, messages: 5, deliveries: 100, errors: 0, limited: 0 },
    calls: summary(wandering(mean)),
    delivery: summary(wandering(mean * 2)),
    serverCpu: cpu === null ? null : wandering(cpu),
    serverBusiest: cpu,
    serverMib: cpu === null ? null : 300,
    ...{ harnessCpu: 0.1, harnessCores: 0.1, harnessMib: 64, machineCpu: machine, lagP99: lag, stallMs: 3 },
  }));
}

const rowsOf = ({ mean = 10, errors = 0 }: Server): Row[] =>
  ['POST /messages (stream)', 'all calls'].map((name) => {
    const intended = summary(mean);
    return { name, count: 3_000, perSecond: 100, intended, service: intended, errors };
  });

const FACTS = { when: '2026-01-01T00:00:00.000Z', machine: 'a machine', site: 'a server', summary: '50 users' };

const optionsOf = (...argv: string[]): LoadOptions => readOptions(argv, {}) as LoadOptions;

function reportOf(server: Server, options = optionsOf(), capacity?: Capacity): ReportData {
  const totals = new Totals();
  const outcome = {
    ...{
      points: pointsOf(server),
      totals,
      wholeRun: totals,
      seconds: 30,
      warnings: [],
      interrupted: false,
      users: 50,
    },
    balance: { expected: 3_000, delivered: 3_000, missing: server.missing ?? 0, unexpected: 0, unacknowledged: 0 },
    capacity,
    next: undefined,
  };
  const data = { ...reportDataOf(outcome, FACTS, options, DEFAULT_MIX), cores: 4, rows: rowsOf(server) };
  return JSON.parse(JSON.stringify(data)) as ReportData;
}

const differingMeasures = (measures: readonly ComparedMeasure[]): Record<string, string> =>
  Object.fromEntries(measures.filter(({ judgement }) => judgement !== 'same').map((one) => [one.name, one.judgement]));

t.test('a run does not differ from itself, nor from a run with other noise', async (test) => {
  for (const seed of [1, 2]) {
    const comparison = compare(reportOf({}), reportOf({ seed }));
    test.strictSame(differingMeasures(comparison.measures), {});
    test.equal(comparison.verdict, 'no difference beyond noise');
    test.notOk(comparison.isClearlyWorse);
    test.strictSame(comparison.doubts, []);
  }
});

t.test('slower calls are a change for the worse in percent, and the reverse is faster', async (test) => {
  const [fast, slow] = [reportOf({}), reportOf({ mean: 13, seed: 2 })];
  const worse = compare(fast, slow);
  test.strictSame(differingMeasures(worse.measures), {
    'mean of calls': 'worse',
    'mean of deliveries': 'worse',
    'p99 of calls in a second': 'worse',
    'p99 of deliveries in a second': 'worse',
  });
  test.ok(worse.isClearlyWorse);
  test.strictSame([exitCodeOf(worse, true), exitCodeOf(worse, false)], [3, 0]);
  test.match(worse.verdict, /^worse: mean of calls slower by \d+–\d+ %; mean of deliveries slower/);
  const better = compare(slow, fast);
  test.ok(Object.values(differingMeasures(better.measures)).every((one) => one === 'better'));
  test.match(better.verdict, /^better: mean of calls faster by \d+–\d+ %/);
  test.notOk(better.isClearlyWorse);
  test.equal(exitCodeOf(better, true), 0);
});

t.test('more CPU, more errors and missing deliveries each are a change for the worse', async (test) => {
  test.strictSame(differingMeasures(compare(reportOf({}), reportOf({ cpu: 0.6 })).measures), {
    'CPU of the server per call': 'worse',
    'CPU of the server per delivery': 'worse',
  });
  test.strictSame(differingMeasures(compare(reportOf({}), reportOf({ errors: 20 })).measures), {
    'failed calls': 'worse',
  });
  test.strictSame(differingMeasures(compare(reportOf({ errors: 20 }), reportOf({})).measures), {
    'failed calls': 'better',
  });
  test.strictSame(
    differingMeasures(compare(reportOf({}), reportOf({ errors: 1 })).measures),
    {},
    'a single error may be chance',
  );
  test.strictSame(differingMeasures(compare(reportOf({}), reportOf({ missing: 30 })).measures), {
    'missing deliveries': 'worse',
  });
});

t.test('CPU that only one run measured is not judged', async (test) => {
  const { measures } = compare(reportOf({}), reportOf({ cpu: null }));
  test.equal(measures.find(({ name }) => name.startsWith('CPU'))?.judgement, 'unknown');
  const neither = compare(reportOf({ cpu: null }), reportOf({ cpu: null }));
  test.notOk(neither.measures.some(({ name }) => /CPU|memory/.test(name)));
});

t.test('CPU from metrics alone is shown and not judged', async (test) => {
  const process = { name: 'frontend a:1', cpu: 0.5, memoryMib: 200, lateMs: 1 };
  const withMetrics = (cpu: number): ReportData => ({
    ...reportOf({ cpu: null }),
    next: { of: 'the measured time', advice: [], room: '', processes: [process, { ...process, cpu }] },
  });
  const { measures } = compare(withMetrics(0.5), withMetrics(1.5));
  test.match(
    measures.filter(({ name }) => /of all processes/.test(name)),
    [
      { name: 'CPU of all processes per call', before: 10, after: 20, judgement: 'unknown' },
      { name: 'memory of all processes', before: 400, after: 400, judgement: 'unknown' },
    ],
  );
});

t.test('an influence of the harness or of other programs makes the verdict unclear', async (test) => {
  for (const busy of [{ lag: 80 }, { machine: 0.99 }]) {
    const comparison = compare(reportOf({}), reportOf({ mean: 20, ...busy }));
    test.notOk(comparison.isClearlyWorse);
    test.match(comparison.verdict, /^worse: .*Not clear/);
    test.match(comparison.doubts.join(), /influenced the figures of the new run/);
  }
  const own = compare(reportOf({ machine: 0.99, cpu: 3.9 }), reportOf({ machine: 0.99, cpu: 3.9 }));
  test.strictSame(own.doubts, [], 'a machine that the server fills is no doubt');
});

t.test('a range of changes is text in percent', async (test) => {
  test.equal(rangeText({ low: Math.log(1.12), high: Math.log(1.18) }), '12–18 %');
  test.equal(rangeText({ low: Math.log(0.5), high: Math.log(0.75) }), '25–50 %');
  test.equal(rangeText({ low: Math.log(1.5), high: Math.log(1.5) }), '50 %');
  const measure = { words: ['slower', 'faster'], better: 'smaller', least: 0.05 } as const;
  const of = (low: number, high: number) =>
    judgeDifference({ estimate: 0, low: Math.log(low), high: Math.log(high) }, measure);
  test.strictSame(of(0.9, 1.2), { judgement: 'same', words: 'no difference beyond noise' });
  test.match(of(1.01, 1.2), { judgement: 'same', words: /^slower by 1\.0–20 %: no clear difference/ });
  test.strictSame(of(1.06, 1.2), { judgement: 'worse', words: 'slower by 6.0–20 %' });
  test.strictSame(of(0.5, 0.8), { judgement: 'better', words: 'faster by 20–50 %' });
  test.equal(judgeDifference(undefined, measure).judgement, 'unknown');
});

const capacityOf = (users: number, brokeAt?: number, end: Capacity['end'] = 'found', steps: Step[] = []): Capacity => ({
  ...{ users, brokeAt, end, steps, broke: [], limit: '' },
});

t.test('two capacities differ if their ranges do not overlap', async (test) => {
  const of = (a: Capacity, b: Capacity): string => compareCapacity(a, b).judgement;
  test.equal(of(capacityOf(1_000, 1_060), capacityOf(1_030, 1_090)), 'same');
  test.equal(of(capacityOf(1_000, 1_060), capacityOf(1_070, 1_130)), 'same', 'ranges with a small distance');
  test.equal(of(capacityOf(1_000, 1_060), capacityOf(1_500, 1_590)), 'better');
  test.equal(of(capacityOf(1_500, 1_590), capacityOf(1_000, 1_060)), 'worse');
  test.match(compareCapacity(capacityOf(1_000, 1_100), capacityOf(2_200, 2_300)).words, 'larger by 100–130 %');
  test.equal(of(capacityOf(1_000, 1_060), capacityOf(1_500, undefined, 'time')), 'better');
  test.equal(of(capacityOf(1_000, 1_060), capacityOf(900, 1_000, 'harness')), 'unknown');
  test.equal(of(capacityOf(1_500, undefined, 'max-users'), capacityOf(1_000, 1_060)), 'worse');
  test.equal(of(capacityOf(1_000, undefined, 'time'), capacityOf(1_000, undefined, 'time')), 'unknown');
  test.equal(of(capacityOf(0, 1), capacityOf(0, 1)), 'unknown');
  const opposite = { better: 'worse', worse: 'better' } as Readonly<Record<string, string>>;
  const users = fc.integer({ min: 1, max: 5_000 });
  fc.assert(
    fc.property(users, users, (a, b) => {
      const [there, back] = [capacityOf(a, a + 1 + Math.floor(a / 20)), capacityOf(b, b + 1 + Math.floor(b / 20))];
      return (opposite[of(there, back)] ?? of(there, back)) === of(back, there);
    }),
  );
});

t.test('two searches are compared at the largest step within the thresholds of both', async (test) => {
  const step = (users: number, from: number, server: Server, broke: string[] = []): Step => ({
    ...{ users, clients: users, arrived: users, callMean: 1, callP99: 1, deliveryMean: 1, deliveryP99: 1, errors: 0 },
    ...{ limited: 0, doubts: [], limit: '', limitedBy: 'server', facts: '', broke },
    ...{ span: [from, from + 30], rows: rowsOf(server), next: { advice: [], room: '', processes: [] } },
  });
  const search = (server: Server, held: readonly number[]): ReportData => {
    const steps = held.map((users, i) => step(users, i * 30, i === 1 ? server : { mean: 500 }));
    const capacity = capacityOf(held.at(-1)!, held.at(-1)! + 5, 'found', [...steps, step(800, 90, {}, ['slow'])]);
    const report = reportOf({}, optionsOf('--capacity'), capacity);
    const series = held.flatMap((_, i) => pointsOf(i === 1 ? server : { mean: 500 }, i * 30));
    return JSON.parse(JSON.stringify({ ...report, series })) as ReportData;
  };
  const comparison = compare(search({}, [50, 100, 200]), search({ mean: 15 }, [50, 100, 150]));
  test.equal(comparison.of, 'the step of 100 users');
  test.equal(differingMeasures(comparison.measures)['mean of calls'], 'worse');
  test.equal(differingMeasures(comparison.measures).capacity, 'worse');
  const [seen] = comparison.rows;
  test.strictSame(seen?.times[0], ['mean', 10, 15]);
  const nothing = compare(search({}, [50, 100]), search({}, [30, 60]));
  test.match(nothing.of, /no step was within the thresholds in both/);
  test.strictSame(nothing.rows, []);
});

t.test(
  'runs with another load are refused, by the name of each option, unless they are to be compared',
  async (test) => {
    const before = reportOf({});
    const obstacles = (...argv: string[]): string => {
      const after = reportOf({}, optionsOf(...argv));
      return loadDifferences(before, after).join('; ');
    };
    test.equal(obstacles(), '');
    test.equal(obstacles('--workers', '3', '--out', 'elsewhere'), '', 'options that do not change the load');
    test.match(obstacles('--users', '60'), '--users 50 → 60');
    test.match(obstacles('--seed', '2', '--seconds', '90'), '--seed 1 → 2; --seconds 60 → 90');
    test.match(obstacles('--subscribers', '3-9'), '--subscribers 5 → 3; --subscribers 200 → 9');
    test.match(obstacles('--capacity'), /^--capacity false → true/);
    const mix = mixOf({ actions: [{ action: 'search', perMinute: 1 }] });
    test.equal(loadDifferences(before, { ...before, mix }).join(), '--mix differs');
    test.match(loadDifferences({ ...before, interrupted: true }, before).join(), /interrupted/);

    const file = `${test.testdir({ 'report.json': JSON.stringify(before), 'other.json': '[]' })}/report.json`;
    const read = (...argv: string[]) => readEarlierReport(optionsOf('--against', file, ...argv), DEFAULT_MIX);
    test.match(await read(), { format: 1 });
    await test.rejects(read('--users', '60'), /not the same load: --users 50 → 60; .*--against-anyway/);
    const anyway = await read('--users', '60', '--against-anyway');
    test.match(compare(anyway!, reportOf({ mean: 30 }, optionsOf('--users', '60'))), {
      doubts: ['not the same load: --users 50 → 60', /--ramp/],
      isClearlyWorse: false,
    });
    await test.rejects(
      readEarlierReport(optionsOf('--against', file.replace('report', 'other')), DEFAULT_MIX),
      /not a report/,
    );
    await test.rejects(readEarlierReport(optionsOf('--against', `${file}x`), DEFAULT_MIX), /ENOENT/);
    await writeFile(file, '{');
    await test.rejects(read(), /--against .*report\.json: /);
    test.equal(await readEarlierReport(optionsOf(), DEFAULT_MIX), undefined);
  },
);

t.test('differences of the deployment are named and do not prevent a comparison', async (test) => {
  const after = { ...reportOf({}, optionsOf('--cluster', '--hosts', '3')), site: 'a cluster' };
  const { notes, doubts } = compare(reportOf({}), after);
  test.strictSame(notes, ['a server → a cluster', '--cluster false → true', '--hosts 1 → 3']);
  test.strictSame(doubts, []);
  const { frontends: _, ...older } = reportOf({}).options;
  test.strictSame(compare({ ...reportOf({}), options: older as ReportData['options'] }, reportOf({})).notes, []);
});

t.test('text and HTML of a comparison have every figure before and after', async (test) => {
  const comparison = compare(reportOf({}), reportOf({ mean: 20, errors: 30, lag: 80 }));
  for (const shown of [comparisonText(comparison), comparisonHtml(comparison)]) {
    test.match(shown, '10.0 → 20.0 +100 %');
    test.match(shown, /mean of calls, ms.*slower by \d+–\d+ %/);
    test.match(shown, 'failed calls');
    test.match(shown, '0 → 30');
    test.match(shown, /comparison: worse: /);
    test.notMatch(shown, /NaN|undefined|Infinity/);
  }
  test.match(comparisonText(comparison), /^POST \/messages \(stream\) +100 → 100 0 % /m);
});
