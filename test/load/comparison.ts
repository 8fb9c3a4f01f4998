/** Comparison of two runs of the harness: the differences of their figures, and whether they exceed noise. */
import { isDeepStrictEqual } from 'node:util';
import type { AdviceSection } from './advice.js';
import type { Capacity, EndReason } from './capacity.js';
import { doubtsOf } from './doubts.js';
import type { Summary } from './histograms.js';
import { ALL_CALLS, DELIVERIES, type ReportData, type Row } from './report.js';
import { type Difference, differenceOf, probabilityOfAtLeast, type RatioSample, ratioOf } from './statistics.js';
import type { Point } from './totals.js';

type Option = keyof ReportData['options'];

/** Options that determine the load. Runs that differ in one of them are not comparable. */
const LOAD_OPTIONS: Readonly<Record<'all' | 'plain' | 'capacity', readonly (readonly [Option, flag: string])[]>> = {
  all: [
    ['capacity', '--capacity'],
    ['devices', '--devices'],
    ['streams', '--streams'],
    ['smallest', '--subscribers'],
    ['largest', '--subscribers'],
    ['seed', '--seed'],
    ['timeoutSeconds', '--timeout'],
  ],
  plain: [
    ['users', '--users'],
    ['rampSeconds', '--ramp'],
    ['seconds', '--seconds'],
  ],
  capacity: [
    ['holdSeconds', '--hold'],
    ['settleSeconds', '--settle'],
    ['thresholds', '--max-mean, --max-p99, --max-errors'],
  ],
};

/** Options of the deployment and the harness. Runs may differ in them; the comparison lists the differences. */
const DEPLOYMENT_OPTIONS: readonly (readonly [Option, flag: string])[] = [
  ['cluster', '--cluster'],
  ['hosts', '--hosts'],
  ['frontends', '--frontends'],
  ['workers', '--workers'],
  ['connections', '--connections'],
];

const shownValue = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value));

type LoadDefinition = Pick<ReportData, 'options' | 'mix'>;

const listDifferences = (
  before: LoadDefinition,
  after: LoadDefinition,
  options: readonly (readonly [Option, string])[],
): string[] => [
  ...new Set(
    options
      .filter(([option]) => !isDeepStrictEqual(before.options[option], after.options[option]))
      .map(([option, flag]) => `${flag} ${shownValue(before.options[option])} → ${shownValue(after.options[option])}`),
  ),
];

/** @returns the differences that make two runs incomparable, in words. Both reports come from JSON. */
export function loadDifferences(
  before: LoadDefinition & Pick<ReportData, 'interrupted'>,
  after: LoadDefinition,
): string[] {
  const kind = after.options.capacity ? LOAD_OPTIONS.capacity : LOAD_OPTIONS.plain;
  return [
    ...listDifferences(before, after, [...LOAD_OPTIONS.all, ...kind]),
    ...(isDeepStrictEqual(before.mix, after.mix) ? [] : ['--mix differs']),
    ...(before.interrupted ? ['the earlier run was interrupted'] : []),
  ];
}

interface Measure {
  readonly name: string;
  readonly unit: string;
  /** Words in the report for a larger and for a smaller value. */
  readonly words: readonly [larger: string, smaller: string];
  /** Direction of an improvement; undefined if neither direction is one. */
  readonly better: 'larger' | 'smaller' | undefined;
  /** Smallest relative change that counts: two runs of one server may differ by less although each is steady. */
  readonly least: number;
  /** @returns the numerator and denominator of one second; undefined if unknown */
  sample(point: Point): RatioSample | undefined;
}

const sampleIfKnown = (value: number | null, factor: number, per: number): RatioSample | undefined =>
  value === null ? undefined : [value * factor, per];
const TIME_WORDS = ['slower', 'faster'] as const;
const AMOUNT_WORDS = ['more', 'less'] as const;

/** Figures whose change is judged. */
const MEASURES: readonly Measure[] = [
  {
    ...{ name: 'calls', unit: 'per s', words: AMOUNT_WORDS, better: 'larger', least: 0.05 },
    sample: ({ requests, seconds }) => [requests * seconds, seconds],
  },
  {
    ...{ name: 'deliveries', unit: 'per s', words: AMOUNT_WORDS, better: 'larger', least: 0.05 },
    sample: ({ deliveries, seconds }) => [deliveries * seconds, seconds],
  },
  {
    ...{ name: 'mean of calls', unit: 'ms', words: TIME_WORDS, better: 'smaller', least: 0.05 },
    sample: ({ calls }) => [calls.mean * calls.count, calls.count],
  },
  {
    ...{ name: 'mean of deliveries', unit: 'ms', words: TIME_WORDS, better: 'smaller', least: 0.05 },
    sample: ({ delivery }) => [delivery.mean * delivery.count, delivery.count],
  },
  {
    ...{ name: 'p99 of calls in a second', unit: 'ms', words: TIME_WORDS, better: 'smaller', least: 0.1 },
    sample: ({ calls }) => [calls.p99, calls.count > 0 ? 1 : 0],
  },
  {
    ...{ name: 'p99 of deliveries in a second', unit: 'ms', words: TIME_WORDS, better: 'smaller', least: 0.1 },
    sample: ({ delivery }) => [delivery.p99, delivery.count > 0 ? 1 : 0],
  },
  {
    ...{ name: 'CPU of the server per call', unit: 'ms', words: AMOUNT_WORDS, better: 'smaller', least: 0.05 },
    sample: ({ serverCpu, seconds, requests }) => sampleIfKnown(serverCpu, 1_000 * seconds, requests * seconds),
  },
  {
    ...{ name: 'CPU of the server per delivery', unit: 'ms', words: AMOUNT_WORDS, better: 'smaller', least: 0.05 },
    sample: ({ serverCpu, seconds, deliveries }) => sampleIfKnown(serverCpu, 1_000 * seconds, deliveries * seconds),
  },
  {
    ...{ name: 'memory of the server', unit: 'MiB', words: AMOUNT_WORDS, better: 'smaller', least: 0.2 },
    sample: ({ serverMib, seconds }) => sampleIfKnown(serverMib, seconds, seconds),
  },
];

export type Judgement = 'better' | 'worse' | 'different' | 'same' | 'unknown';

export interface ComparedMeasure {
  readonly name: string;
  readonly unit: string;
  readonly before: number | undefined;
  readonly after: number | undefined;
  readonly judgement: Judgement;
  readonly words: string;
}

/** @returns the change in % of a factor, given its logarithm; the same for a factor and its inverse */
const percentOf = (logarithm: number): number => 100 * Math.expm1(Math.abs(logarithm));
const shownPercent = (percent: number): string => percent.toFixed(percent < 10 ? 1 : 0);

/** @returns the change as a range like "12–18 %"; both ends lie on one side of 0. A halved value is 50 % less. */
export function rangeText({ low, high }: Pick<Difference, 'low' | 'high'>): string {
  const shares = low >= 0 ? [low, high].map(percentOf) : [high, low].map((one) => -100 * Math.expm1(one));
  const [near, far] = shares.map(shownPercent);
  return near === far ? `${near} %` : `${near}–${far} %`;
}

/** Judges a difference by its 99 % range and by the smallest change that counts. */
export function judgeDifference(
  difference: Difference | undefined,
  { words: [larger, smaller], better, least }: Pick<Measure, 'words' | 'better' | 'least'>,
): Pick<ComparedMeasure, 'judgement' | 'words'> {
  if (!difference) return { judgement: 'unknown', words: 'not known: too few seconds or too few calls' };
  const { low, high } = difference;
  if (low <= 0 && high >= 0) return { judgement: 'same', words: 'no difference beyond noise' };
  const grew = low > 0;
  const words = `${grew ? larger : smaller} by ${rangeText(difference)}`;
  if (Math.min(Math.abs(low), Math.abs(high)) < Math.log1p(least)) {
    return { judgement: 'same', words: `${words}: no clear difference, runs differ by ${100 * least} % by chance` };
  }
  if (better === undefined) return { judgement: 'different', words };
  return { judgement: grew === (better === 'larger') ? 'better' : 'worse', words };
}

function compareMeasure(measure: Measure, before: readonly Point[], after: readonly Point[]): ComparedMeasure[] {
  const samples = (points: readonly Point[]): RatioSample[] | undefined => {
    const all = points.map((point) => measure.sample(point));
    return all.length > 0 && all.every((one) => one !== undefined) ? all : undefined;
  };
  const [a, b] = [samples(before), samples(after)];
  if (!a && !b) return [];
  const value = (of: readonly RatioSample[] | undefined): number | undefined => {
    const ratio = of ? ratioOf(of) : Number.NaN;
    return Number.isFinite(ratio) ? ratio : undefined;
  };
  const { name, unit } = measure;
  const judged = judgeDifference(a && b ? differenceOf(a, b) : undefined, measure);
  return [{ name, unit, before: value(a), after: value(b), ...judged }];
}

/** Probability below which a difference in failures counts as real. */
const MAX_CHANCE_PROBABILITY = 0.005;

/** Compares failures, each given with the number of attempts. */
function compareFailures(
  name: string,
  [before, ofBefore]: readonly [number, number],
  [after, ofAfter]: readonly [number, number],
): ComparedMeasure {
  const [all, share] = [before + after, ofAfter / Math.max(1, ofBefore + ofAfter)];
  const judged = (): Pick<ComparedMeasure, 'judgement' | 'words'> => {
    if (all === 0) return { judgement: 'same', words: 'none' };
    if (probabilityOfAtLeast(after, all, share) < MAX_CHANCE_PROBABILITY) return { judgement: 'worse', words: 'more' };
    if (probabilityOfAtLeast(before, all, 1 - share) < MAX_CHANCE_PROBABILITY)
      return { judgement: 'better', words: 'fewer' };
    return { judgement: 'same', words: 'no difference beyond noise' };
  };
  return { name, unit: '', before, after, ...judged() };
}

/** Ends of a search whose first broken step gives no upper bound of the server's capacity. */
const LIMITS_BESIDE_SERVER: ReadonlySet<EndReason> = new Set<EndReason>(['harness', 'machine', 'rate limits']);

/** @returns the lower and upper bound of a capacity */
const boundsOf = ({ users, brokeAt, end }: Capacity): readonly [least: number, most: number] => [
  users,
  brokeAt === undefined || LIMITS_BESIDE_SERVER.has(end) ? Number.POSITIVE_INFINITY : brokeAt,
];

const CAPACITY_MEASURE = { words: ['larger', 'smaller'], better: 'larger', least: 0.05 } as const;

/** Compares two capacities by their ranges; overlapping ranges may be the same capacity. */
export function compareCapacity(before: Capacity, after: Capacity): ComparedMeasure {
  const [[a, mostA], [b, mostB]] = [boundsOf(before), boundsOf(after)];
  const both = { name: 'capacity', unit: 'users', before: a, after: b };
  const [low, high] = [Math.log(b / mostA), Math.log(mostB / a)];
  if (Number.isFinite(low) && Number.isFinite(high))
    return { ...both, ...judgeDifference({ estimate: 0, low, high }, CAPACITY_MEASURE) };
  // A range without an upper bound can only lie clearly above the other one.
  const atLeast = (ratio: number): string => `by ${shownPercent(percentOf(Math.log(ratio)))} % at least`;
  if (a > 0 && b > mostA * (1 + CAPACITY_MEASURE.least)) {
    return { ...both, judgement: 'better', words: `larger ${atLeast(b / mostA)}` };
  }
  if (b > 0 && a > mostB * (1 + CAPACITY_MEASURE.least)) {
    return { ...both, judgement: 'worse', words: `smaller ${atLeast(a / mostB)}` };
  }
  return { ...both, judgement: 'unknown', words: 'not known: a search ended before it found the limit' };
}

/** Compared part of a run: its measured time, or one step of a search. */
interface ComparedPart {
  readonly points: readonly Point[];
  readonly rows: readonly Row[];
  readonly next: AdviceSection | undefined;
}

/** @returns the measured times of plain runs, or the largest step within the thresholds of both searches */
function comparedPartsOf(
  before: ReportData,
  after: ReportData,
): { of: string; before: ComparedPart; after: ComparedPart } | undefined {
  const [a, b] = [before.capacity, after.capacity];
  // The first second is left out, because it began before the measured time.
  const measured = ({ series, rows, next }: ReportData): ComparedPart => ({
    points: series.filter(({ phase }) => phase === 'measured').slice(1),
    rows,
    next,
  });
  if (!a && !b) return { of: 'the measured time', before: measured(before), after: measured(after) };
  if (!a || !b) return undefined;
  const goodSteps = ({ steps }: Capacity) => steps.filter(({ broke }) => broke.length === 0);
  const users = Math.max(
    ...goodSteps(a)
      .map((one) => one.users)
      .filter((n) => goodSteps(b).some((other) => other.users === n)),
  );
  const part = ({ series }: ReportData, capacity: Capacity): ComparedPart => {
    const { span, rows, next } = goodSteps(capacity).find((step) => step.users === users)!;
    return { points: series.filter(({ at }) => at > span[0] && at <= span[1]).slice(1), rows, next };
  };
  if (!Number.isFinite(users)) return undefined;
  return { of: `the step of ${users.toLocaleString('en-US')} users`, before: part(before, a), after: part(after, b) };
}

/** Compares CPU and memory from the processes' metrics. These cover the whole time, so their noise is unknown. */
function compareMetrics(before: ComparedPart, after: ComparedPart): ComparedMeasure[] {
  const sums = ({ rows, next }: ComparedPart): readonly (number | undefined)[] => {
    const { processes } = next ?? { processes: [] };
    const sum = (values: readonly (number | undefined)[]): number | undefined =>
      values.length === 0 || values.includes(undefined)
        ? undefined
        : values.reduce<number>((all, one) => all + (one ?? 0), 0);
    const cores = sum(processes.map(({ cpu }) => cpu));
    const per = (row: string): number | undefined => {
      const rate = rows.find(({ name }) => name === row)?.perSecond;
      return cores === undefined || !rate ? undefined : (1_000 * cores) / rate;
    };
    return [per(ALL_CALLS), per(DELIVERIES), sum(processes.map(({ memoryMib }) => memoryMib))];
  };
  const [a, b] = [sums(before), sums(after)];
  return [
    ['CPU of all processes per call', 'ms'] as const,
    ['CPU of all processes per delivery', 'ms'] as const,
    ['memory of all processes', 'MiB'] as const,
  ].flatMap(([name, unit], i) =>
    a[i] === undefined && b[i] === undefined
      ? []
      : [
          {
            name,
            unit,
            before: a[i],
            after: b[i],
            judgement: 'unknown' as const,
            words: 'not judged: one value for the whole time',
          },
        ],
  );
}

/** Share of doubtful seconds above which a run's figures are doubted. */
const MAX_DOUBTFUL_SHARE = 0.05;
/** @returns whether the harness measured the CPU of the server's processes every second */
const hasServerCpu = ({ points }: ComparedPart): boolean => points.every(({ serverCpu }) => serverCpu !== null);

/** Share of the machine's CPU above which other programs are a doubt. */
const MAX_OTHER_CPU_SHARE = 0.1;

/** @returns whether the harness or other programs influenced these figures */
function isDoubtful(points: readonly Point[], cores: number): boolean {
  const doubtful = points.filter((point) => {
    const doubts = new Set(doubtsOf(point));
    if (!doubts.delete('machine')) return doubts.size > 0;
    const { machineCpu, serverCpu, harnessCores } = point;
    // On a full machine only the CPU of other programs counts; lag and stalls follow from the load.
    return serverCpu === null || machineCpu * cores - serverCpu - harnessCores > MAX_OTHER_CPU_SHARE * cores;
  });
  return doubtful.length > points.length * MAX_DOUBTFUL_SHARE;
}

export interface ComparedRow {
  readonly name: string;
  readonly perSecond: readonly [before: number, after: number];
  readonly times: readonly (readonly [name: string, before: number, after: number])[];
  readonly errors: readonly [before: number, after: number];
}

export interface Comparison {
  readonly earlier: {
    readonly when: string;
    readonly site: string;
    readonly summary: string;
    readonly machine: string;
  };
  /** Differences between the deployments and machines of the runs. */
  readonly notes: readonly string[];
  /** Name of the compared parts. */
  readonly of: string;
  readonly rows: readonly ComparedRow[];
  readonly measures: readonly ComparedMeasure[];
  /** Reasons, other than the server, for a difference. */
  readonly doubts: readonly string[];
  /** Result of the comparison in one sentence. */
  readonly verdict: string;
  readonly isClearlyWorse: boolean;
}

const TIMES: readonly (readonly [string, keyof Summary])[] = [
  ['mean', 'mean'],
  ['p50', 'p50'],
  ['p99', 'p99'],
  ['p99.9', 'p999'],
];

function compareRows(before: readonly Row[], after: readonly Row[]): ComparedRow[] {
  return after.flatMap((row) => {
    const other = before.find(({ name }) => name === row.name);
    if (!other) return [];
    return [
      {
        name: row.name,
        perSecond: [other.perSecond, row.perSecond] as const,
        times: TIMES.map(([name, of]) => [name, other.intended[of], row.intended[of]] as const),
        errors: [other.errors, row.errors] as const,
      },
    ];
  });
}

const failuresOf = (rows: readonly Row[]): readonly [number, number] => {
  const { errors = 0, count = 0 } = rows.find(({ name }) => name === ALL_CALLS) ?? {};
  return [errors, Math.max(count, errors)];
};

function verdictOf(measures: readonly ComparedMeasure[], doubts: readonly string[]): string {
  const list = (judgement: Judgement): string =>
    measures
      .filter((one) => one.judgement === judgement)
      .map(({ name, words }) => `${name} ${words}`)
      .join('; ');
  const [worse, better] = [list('worse'), list('better')];
  const words = [...(worse === '' ? [] : [`worse: ${worse}`]), ...(better === '' ? [] : [`better: ${better}`])];
  if (words.length === 0) {
    if (measures.some(({ judgement, unit }) => judgement === 'same' && unit !== ''))
      return 'no difference beyond noise';
    const unknown = measures.filter(({ judgement }) => judgement === 'unknown').map((one) => one.words);
    return `no result: ${[...new Set(unknown)].join('; ')}`;
  }
  return `${words.join('. ')}${doubts.length > 0 ? '. Not clear: see the doubts' : ''}`;
}

/** Compares two reports, both as parsed from JSON. */
export function compare(before: ReportData, after: ReportData): Comparison {
  const { when, site, summary, machine } = before;
  const parts = comparedPartsOf(before, after);
  const inParts = parts
    ? [
        ...MEASURES.flatMap((measure) => compareMeasure(measure, parts.before.points, parts.after.points)),
        ...(hasServerCpu(parts.before) && hasServerCpu(parts.after) ? [] : compareMetrics(parts.before, parts.after)),
        compareFailures('failed calls', failuresOf(parts.before.rows), failuresOf(parts.after.rows)),
      ]
    : [];
  const measures = [
    ...(before.capacity && after.capacity ? [compareCapacity(before.capacity, after.capacity)] : []),
    ...inParts,
    compareFailures(
      'missing deliveries',
      [before.balance.missing, before.balance.expected],
      [after.balance.missing, after.balance.expected],
    ),
  ];
  const sides = parts
    ? ([
        ['earlier', parts.before, before.cores],
        ['new', parts.after, after.cores],
      ] as const)
    : [];
  const doubts = [
    ...sides
      .filter(([, { points }, cores]) => isDoubtful(points, cores ?? Number.NaN))
      .map(([which]) => `the harness or other programs influenced the figures of the ${which} run`),
    ...(after.interrupted ? ['the new run was interrupted'] : []),
    ...loadDifferences(before, after).map((obstacle) => `not the same load: ${obstacle}`),
  ];
  return {
    earlier: { when, site, summary, machine },
    notes: [
      ...(site === after.site ? [] : [`${site} → ${after.site}`]),
      // Reports of an older harness lack newer options; a missing option is no difference.
      ...listDifferences(
        before,
        after,
        DEPLOYMENT_OPTIONS.filter(([option]) => before.options[option] !== undefined),
      ),
      ...(machine === after.machine ? [] : [`${machine} → ${after.machine}`]),
    ],
    of: parts?.of ?? 'no seconds, because no step was within the thresholds in both runs',
    rows: parts ? compareRows(parts.before.rows, parts.after.rows) : [],
    measures,
    doubts,
    verdict: verdictOf(measures, doubts),
    isClearlyWorse: doubts.length === 0 && measures.some(({ judgement }) => judgement === 'worse'),
  };
}

/** Exit code of `--fail-if-worse`; errors exit with 2. */
const WORSE_EXIT_CODE = 3;

export const exitCodeOf = ({ isClearlyWorse }: Comparison, failIfWorse: boolean): number =>
  failIfWorse && isClearlyWorse ? WORSE_EXIT_CODE : 0;
