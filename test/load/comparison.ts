/** Two runs of the harness side by side: what differs, and whether the difference is more than noise. */
import { isDeepStrictEqual } from 'node:util';
import type { Capacity, End } from './capacity.js';
import type { Summary } from './histograms.js';
import type { Next } from './next.js';
import { ALL_CALLS, type ReportData, type Row, SEEN } from './report.js';
import { chanceOfSoMany, type Difference, differenceOf, ratioOf, type Sample } from './statistics.js';
import type { Point } from './totals.js';
import { doubtsOf } from './trust.js';

type Option = keyof ReportData['options'];

/** Options that make the load: runs that differ in one of them are not comparable. */
const LOAD: Readonly<Record<'all' | 'plain' | 'capacity', readonly (readonly [Option, flag: string])[]>> = {
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

/** Options of the deployment and the harness: a comparison may be about them, and names their differences. */
const DEPLOYMENT: readonly (readonly [Option, flag: string])[] = [
  ['cluster', '--cluster'],
  ['hosts', '--hosts'],
  ['frontends', '--frontends'],
  ['workers', '--workers'],
  ['connections', '--connections'],
];

const shownValue = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value));

type Load = Pick<ReportData, 'options' | 'mix'>;

const differing = (before: Load, after: Load, options: readonly (readonly [Option, string])[]): string[] => [
  ...new Set(
    options
      .filter(([option]) => !isDeepStrictEqual(before.options[option], after.options[option]))
      .map(([option, flag]) => `${flag} ${shownValue(before.options[option])} → ${shownValue(after.options[option])}`),
  ),
];

/** Differences that make a comparison meaningless; empty: none. Both as they are in JSON. */
export function obstaclesTo(before: Load & Pick<ReportData, 'interrupted'>, after: Load): string[] {
  const kind = after.options.capacity ? LOAD.capacity : LOAD.plain;
  return [
    ...differing(before, after, [...LOAD.all, ...kind]),
    ...(isDeepStrictEqual(before.mix, after.mix) ? [] : ['--mix differs']),
    ...(before.interrupted ? ['the earlier run was interrupted'] : []),
  ];
}

interface Measure {
  readonly name: string;
  readonly unit: string;
  /** Words for a larger and a smaller value. */
  readonly words: readonly [larger: string, smaller: string];
  /** The better one of them; undefined: neither. */
  readonly better: 'larger' | 'smaller' | undefined;
  /** Share by which two runs of the same server differ now and then, although their seconds do not show it. */
  readonly least: number;
  /** Contribution of one second; undefined: not known. */
  sample(point: Point): Sample | undefined;
}

const known = (value: number | null, factor: number, per: number): Sample | undefined =>
  value === null ? undefined : [value * factor, per];
const SLOWER = ['slower', 'faster'] as const;
const MORE = ['more', 'less'] as const;

/** Figures that are judged, each with the change that counts. */
const MEASURES: readonly Measure[] = [
  {
    ...{ name: 'calls', unit: 'per s', words: MORE, better: 'larger', least: 0.05 },
    sample: ({ requests, seconds }) => [requests * seconds, seconds],
  },
  {
    ...{ name: 'deliveries', unit: 'per s', words: MORE, better: 'larger', least: 0.05 },
    sample: ({ deliveries, seconds }) => [deliveries * seconds, seconds],
  },
  {
    ...{ name: 'mean of calls', unit: 'ms', words: SLOWER, better: 'smaller', least: 0.05 },
    sample: ({ calls }) => [calls.mean * calls.count, calls.count],
  },
  {
    ...{ name: 'mean of deliveries', unit: 'ms', words: SLOWER, better: 'smaller', least: 0.05 },
    sample: ({ delivery }) => [delivery.mean * delivery.count, delivery.count],
  },
  {
    ...{ name: 'p99 of calls in a second', unit: 'ms', words: SLOWER, better: 'smaller', least: 0.1 },
    sample: ({ calls }) => [calls.p99, calls.count > 0 ? 1 : 0],
  },
  {
    ...{ name: 'p99 of deliveries in a second', unit: 'ms', words: SLOWER, better: 'smaller', least: 0.1 },
    sample: ({ delivery }) => [delivery.p99, delivery.count > 0 ? 1 : 0],
  },
  {
    ...{ name: 'CPU of the server per call', unit: 'ms', words: MORE, better: 'smaller', least: 0.05 },
    sample: ({ serverCpu, seconds, requests }) => known(serverCpu, 1_000 * seconds, requests * seconds),
  },
  {
    ...{ name: 'CPU of the server per delivery', unit: 'ms', words: MORE, better: 'smaller', least: 0.05 },
    sample: ({ serverCpu, seconds, deliveries }) => known(serverCpu, 1_000 * seconds, deliveries * seconds),
  },
  {
    ...{ name: 'memory of the server', unit: 'MiB', words: MORE, better: 'smaller', least: 0.2 },
    sample: ({ serverMib, seconds }) => known(serverMib, seconds, seconds),
  },
];

export type Judgement = 'better' | 'worse' | 'different' | 'same' | 'unknown';

export interface Compared {
  readonly name: string;
  readonly unit: string;
  readonly before: number | undefined;
  readonly after: number | undefined;
  readonly judgement: Judgement;
  readonly words: string;
}

/** Percent by which a factor differs from 1, as people say it. */
const percentOf = (logarithm: number): number => 100 * Math.expm1(Math.abs(logarithm));
const shownPercent = (percent: number): string => percent.toFixed(percent < 10 ? 1 : 0);

/** "12–18 %", of a range on one side of no difference. Something that shrinks to half is 50 % less. */
export function rangeText({ low, high }: Pick<Difference, 'low' | 'high'>): string {
  const shares = low >= 0 ? [low, high].map(percentOf) : [high, low].map((one) => -100 * Math.expm1(one));
  const [near, far] = shares.map(shownPercent);
  return near === far ? `${near} %` : `${near}–${far} %`;
}

/** @param least share that counts */
export function judge(
  difference: Difference | undefined,
  { words: [larger, smaller], better, least }: Pick<Measure, 'words' | 'better' | 'least'>,
): Pick<Compared, 'judgement' | 'words'> {
  if (!difference) return { judgement: 'unknown', words: 'too short a run, or too few of them, to tell' };
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

function comparedOf(measure: Measure, before: readonly Point[], after: readonly Point[]): Compared[] {
  const samples = (points: readonly Point[]): Sample[] | undefined => {
    const all = points.map((point) => measure.sample(point));
    return all.length > 0 && all.every((one) => one !== undefined) ? all : undefined;
  };
  const [a, b] = [samples(before), samples(after)];
  if (!a && !b) return [];
  const value = (of: readonly Sample[] | undefined): number | undefined => {
    const ratio = of ? ratioOf(of) : Number.NaN;
    return Number.isFinite(ratio) ? ratio : undefined;
  };
  const { name, unit } = measure;
  const judged = judge(a && b ? differenceOf(a, b) : undefined, measure);
  return [{ name, unit, before: value(a), after: value(b), ...judged }];
}

/** Chance below which more failures are no accident. */
const ACCIDENT = 0.005;

/** Failures, each with the number of attempts. */
function comparedFailures(
  name: string,
  [before, ofBefore]: readonly [number, number],
  [after, ofAfter]: readonly [number, number],
): Compared {
  const [all, share] = [before + after, ofAfter / Math.max(1, ofBefore + ofAfter)];
  const judged = (): Pick<Compared, 'judgement' | 'words'> => {
    if (all === 0) return { judgement: 'same', words: 'none' };
    if (chanceOfSoMany(after, all, share) < ACCIDENT) return { judgement: 'worse', words: 'more' };
    if (chanceOfSoMany(before, all, 1 - share) < ACCIDENT) return { judgement: 'better', words: 'fewer' };
    return { judgement: 'same', words: 'no difference beyond noise' };
  };
  return { name, unit: '', before, after, ...judged() };
}

/** Ends of a search whose first broken step says nothing about the server. */
const OTHER_LIMITS: ReadonlySet<End> = new Set<End>(['harness', 'machine', 'rate limits']);

/** Bounds of a capacity: what held, and what did not. */
const boundsOf = ({ users, brokeAt, end }: Capacity): readonly [least: number, most: number] => [
  users,
  brokeAt === undefined || OTHER_LIMITS.has(end) ? Number.POSITIVE_INFINITY : brokeAt,
];

const CAPACITY = { words: ['larger', 'smaller'], better: 'larger', least: 0.05 } as const;

/** Two searches know a range each: ranges that overlap may be the same capacity. */
export function comparedCapacity(before: Capacity, after: Capacity): Compared {
  const [[a, mostA], [b, mostB]] = [boundsOf(before), boundsOf(after)];
  const both = { name: 'capacity', unit: 'users', before: a, after: b };
  const [low, high] = [Math.log(b / mostA), Math.log(mostB / a)];
  if (Number.isFinite(low) && Number.isFinite(high)) return { ...both, ...judge({ estimate: 0, low, high }, CAPACITY) };
  // One of them has no upper end: the other one may be passed, and nothing else is known.
  const atLeast = (ratio: number): string => `by ${shownPercent(percentOf(Math.log(ratio)))} % at least`;
  if (a > 0 && b > mostA * (1 + CAPACITY.least)) {
    return { ...both, judgement: 'better', words: `larger ${atLeast(b / mostA)}` };
  }
  if (b > 0 && a > mostB * (1 + CAPACITY.least)) {
    return { ...both, judgement: 'worse', words: `smaller ${atLeast(a / mostB)}` };
  }
  return { ...both, judgement: 'unknown', words: 'not known: a search ended before it had found the limit' };
}

/** Seconds of a run that are compared: its measured time, or a step of a search. */
interface Part {
  readonly points: readonly Point[];
  readonly rows: readonly Row[];
  readonly next: Next | undefined;
}

/** Measured time of a plain run; of searches, the largest step that held in both. */
function partsOf(before: ReportData, after: ReportData): { of: string; before: Part; after: Part } | undefined {
  const [a, b] = [before.capacity, after.capacity];
  // The first second began before it was measured.
  const measured = ({ series, rows, next }: ReportData): Part => ({
    points: series.filter(({ phase }) => phase === 'measured').slice(1),
    rows,
    next,
  });
  if (!a && !b) return { of: 'the measured time', before: measured(before), after: measured(after) };
  if (!a || !b) return undefined;
  const held = ({ steps }: Capacity) => steps.filter(({ broke }) => broke.length === 0);
  const users = Math.max(
    ...held(a)
      .map((one) => one.users)
      .filter((n) => held(b).some((other) => other.users === n)),
  );
  const part = ({ series }: ReportData, capacity: Capacity): Part => {
    const { span, rows, next } = held(capacity).find((step) => step.users === users)!;
    return { points: series.filter(({ at }) => at > span[0] && at <= span[1]).slice(1), rows, next };
  };
  if (!Number.isFinite(users)) return undefined;
  return { of: `the step of ${users.toLocaleString('en-US')} users`, before: part(before, a), after: part(after, b) };
}

/** CPU and memory of processes whose metrics were read: sums of the whole time, whose noise is not known. */
function comparedMetrics(before: Part, after: Part): Compared[] {
  const sums = ({ rows, next }: Part): readonly (number | undefined)[] => {
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
    return [per(ALL_CALLS), per(SEEN), sum(processes.map(({ memoryMib }) => memoryMib))];
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
            words: 'not judged: of the whole time',
          },
        ],
  );
}

/** Share of the seconds. */
const MANY = 0.05;
/** Whether the CPU of the server's processes was measured from outside, second by second. */
const isWatched = ({ points }: Part): boolean => points.every(({ serverCpu }) => serverCpu !== null);

/** Share of the machine that others used. */
const OTHERS = 0.1;

/** Whether something else than the server took part in these figures. */
function isDoubtful(points: readonly Point[], cores: number): boolean {
  const doubtful = points.filter((point) => {
    const doubts = new Set(doubtsOf(point));
    if (!doubts.delete('machine')) return doubts.size > 0;
    const { machineCpu, serverCpu, harnessCores } = point;
    // A full machine makes all of it late.
    return serverCpu === null || machineCpu * cores - serverCpu - harnessCores > OTHERS * cores;
  });
  return doubtful.length > points.length * MANY;
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
  /** Differences of the runs themselves. */
  readonly notes: readonly string[];
  /** Name of the parts that are compared. */
  readonly of: string;
  readonly rows: readonly ComparedRow[];
  readonly measures: readonly Compared[];
  /** Reasons for which a difference may be one of the circumstances. */
  readonly doubts: readonly string[];
  /** In words. */
  readonly verdict: string;
  readonly isClearlyWorse: boolean;
}

const TIMES: readonly (readonly [string, keyof Summary])[] = [
  ['mean', 'mean'],
  ['p50', 'p50'],
  ['p99', 'p99'],
  ['p99.9', 'p999'],
];

function comparedRows(before: readonly Row[], after: readonly Row[]): ComparedRow[] {
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

function verdictOf(measures: readonly Compared[], doubts: readonly string[]): string {
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
    return `nothing can be told: ${[...new Set(unknown)].join('; ')}`;
  }
  return `${words.join('. ')}${doubts.length > 0 ? '. Not clear: see the doubts' : ''}`;
}

/** Both as they are in JSON. */
export function compare(before: ReportData, after: ReportData): Comparison {
  const { when, site, summary, machine } = before;
  const parts = partsOf(before, after);
  const inParts = parts
    ? [
        ...MEASURES.flatMap((measure) => comparedOf(measure, parts.before.points, parts.after.points)),
        ...(isWatched(parts.before) && isWatched(parts.after) ? [] : comparedMetrics(parts.before, parts.after)),
        comparedFailures('failed calls', failuresOf(parts.before.rows), failuresOf(parts.after.rows)),
      ]
    : [];
  const measures = [
    ...(before.capacity && after.capacity ? [comparedCapacity(before.capacity, after.capacity)] : []),
    ...inParts,
    comparedFailures(
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
      .map(([which]) => `the harness, or other programs, took part in the figures of the ${which} run`),
    ...(after.interrupted ? ['the new run was interrupted'] : []),
    ...obstaclesTo(before, after).map((obstacle) => `not the same load: ${obstacle}`),
  ];
  return {
    earlier: { when, site, summary, machine },
    notes: [
      ...(site === after.site ? [] : [`${site} → ${after.site}`]),
      // A report of an older harness lacks newer options.
      ...differing(
        before,
        after,
        DEPLOYMENT.filter(([option]) => before.options[option] !== undefined),
      ),
      ...(machine === after.machine ? [] : [`${machine} → ${after.machine}`]),
    ],
    of: parts?.of ?? 'nothing second by second: no step held in both',
    rows: parts ? comparedRows(parts.before.rows, parts.after.rows) : [],
    measures,
    doubts,
    verdict: verdictOf(measures, doubts),
    isClearlyWorse: doubts.length === 0 && measures.some(({ judgement }) => judgement === 'worse'),
  };
}

/** Exit code of `--fail-if-worse`; 2 is that of errors. */
const WORSE = 3;

export const exitCodeOf = ({ isClearlyWorse }: Comparison, failIfWorse: boolean): number =>
  failIfWorse && isClearlyWorse ? WORSE : 0;
