/** Results of a run as a text table and as the data of report.json. */
import { cpus } from 'node:os';
import { machineText } from '../bench/report.js';
import { adviceText } from './advice.js';
import { type Capacity, capacityText } from './capacity.js';
import { encodeHistogram, type Summary, summaryOf } from './histograms.js';
import type { Mix } from './mix.js';
import type { LoadOptions } from './options.js';
import { RATE_LIMIT_HINT } from './prepare.js';
import { OPERATIONS } from './protocol.js';
import type { Outcome } from './run.js';
import type { Point } from './totals.js';

/** Row of the table: counts and latencies of one operation, or a sum. */
export interface Row {
  readonly name: string;
  readonly count: number;
  readonly perSecond: number;
  /** Latencies from the intended time. */
  readonly intended: Summary;
  /** Latencies from the write of the request; undefined for sums and deliveries. */
  readonly service: Summary | undefined;
  readonly errors: number;
}

/** Names of the two sum rows. */
export const ALL_CALLS = 'all calls';
export const DELIVERIES = 'message seen by a client';

export function rowsOf({ totals, seconds }: Pick<Outcome, 'totals' | 'seconds'>): Row[] {
  const rows: Row[] = [];
  for (const name of OPERATIONS) {
    const of = totals.operations.get(name);
    // The latency of a poll is the wait for an event, which says nothing about the server.
    if (!of || (name === 'GET /events' && of.errors === 0)) continue;
    const [intended, service] = [summaryOf(of.intended), summaryOf(of.service)];
    rows.push({ name, count: of.count, perSecond: of.count / seconds, intended, service, errors: of.errors });
  }
  rows.sort((a, b) => b.count - a.count);
  const calls = summaryOf(totals.calls);
  const deliveries = summaryOf(totals.deliveries);
  const callSum = { name: ALL_CALLS, count: calls.count, perSecond: calls.count / seconds, intended: calls };
  rows.push({ ...callSum, service: undefined, errors: totals.failed });
  const deliverySum = { name: DELIVERIES, count: deliveries.count, perSecond: deliveries.count / seconds };
  rows.push({ ...deliverySum, intended: deliveries, service: undefined, errors: 0 });
  return rows;
}

export const formatMs = (ms: number): string => {
  if (ms === 0) return '-';
  return ms >= 100 ? Math.round(ms).toLocaleString('en-US') : ms.toFixed(ms >= 10 ? 1 : 2);
};
export const formatRate = (rate: number): string =>
  rate >= 100 ? Math.round(rate).toLocaleString('en-US') : rate.toPrecision(2);

export const HEADINGS = [
  'ms from the intended time',
  'count',
  'per s',
  'mean',
  'p50',
  'p90',
  'p99',
  'p99.9',
  'max',
  'p99 of service',
  'errors',
];

export const cellsOf = ({ name, count, perSecond, intended, service, errors }: Row): string[] => [
  name,
  count.toLocaleString('en-US'),
  formatRate(perSecond),
  ...[intended.mean, intended.p50, intended.p90, intended.p99, intended.p999, intended.max].map(formatMs),
  service ? formatMs(service.p99) : '',
  errors === 0 ? '' : String(errors),
];

/** @returns the sentences below the table, about the whole run including the ramp */
export function findings({ balance, wholeRun, warnings, capacity, interrupted }: Outcome): string[] {
  const { expected, delivered, missing, unexpected, unacknowledged } = balance;
  const lines: string[] = [];
  if (capacity) {
    const { broke, limit } = capacity;
    lines.push(capacityText(capacity));
    lines.push(broke.length > 0 ? `broken thresholds with more users: ${broke.join('; ')}` : 'no threshold broke');
    if (limit !== '') lines.push(`resource at its limit then: ${limit}`);
  }
  lines.push(
    `deliveries: ${delivered.toLocaleString('en-US')} of ${expected.toLocaleString('en-US')} expected, ${missing} missing` +
      (unexpected + unacknowledged > 0
        ? `, ${unexpected} unexpected, ${unacknowledged} of unacknowledged messages`
        : ''),
  );
  if (wholeRun.lostQueues > 0)
    lines.push(`event queues lost: ${wholeRun.lostQueues} (the clients registered new ones)`);
  for (const [key, { count, sample }] of [...wholeRun.errors].sort(([, a], [, b]) => b.count - a.count)) {
    const [operation, code] = key.split('|');
    lines.push(`error ${code}, ${count} times in ${operation}: ${sample}`);
  }
  if (wholeRun.limited > 0)
    lines.push(`rate limits: ${wholeRun.limited} calls were refused with 429; ${RATE_LIMIT_HINT}`);
  if (interrupted) lines.push('interrupted: these are the figures so far');
  for (const warning of warnings) lines.push(`! ${warning}`);
  return lines;
}

/** @returns the lines of a table; the first column is aligned to the left, the others as given */
export function alignColumns(rows: readonly (readonly string[])[], others: 'left' | 'right' = 'right'): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)));
  const pad = (cell: string, i: number): string =>
    i === 0 || others === 'left' ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!);
  return rows.map((cells) => cells.map(pad).join('  ').trimEnd());
}

export const tableOf = (outcome: Outcome): string =>
  [
    ...alignColumns([HEADINGS, ...rowsOf(outcome).map(cellsOf)]),
    '',
    ...findings(outcome),
    ...adviceLines(outcome),
  ].join('\n');

export const adviceTitle = ({ of }: NonNullable<Outcome['next']>): string => `What to add next (${of})`;

const adviceLines = ({ next }: Outcome): string[] =>
  next ? ['', `${adviceTitle(next)}:`, ...adviceText(next).map((line) => `  ${line}`)] : [];

export interface RunFacts {
  readonly when: string;
  readonly machine: string;
  readonly site: string;
  readonly summary: string;
}

export function factsOf(options: LoadOptions, site: string, outcome: Outcome): RunFacts {
  const own =
    options.zuliprc === undefined
      ? `${options.cluster ? 'a cluster' : 'an embedded server'} that the harness started`
      : site;
  const kind = options.capacity
    ? `search for the capacity; the table is of ${outcome.users === 0 ? 'the whole search' : `the last step within the thresholds: ${outcome.users} users`}`
    : `${outcome.users} users, ${options.devices} each, measured ${outcome.seconds.toFixed(0)} s`;
  return {
    when: new Date().toISOString(),
    machine: machineText(),
    site: own,
    summary: `${kind}; seed ${options.seed}, ${options.workers} harness processes`,
  };
}

/** Options in the report, without service addresses and paths, which may contain passwords and user names. */
type ReportedOptions = Omit<LoadOptions, 'nats' | 'mongodb' | 'zuliprc' | 'against' | 'againstAnyway' | 'failIfWorse'>;

/** Contents of `report.json`. */
export interface ReportData extends RunFacts {
  readonly format: 1;
  /** Number of cores of the harness's machine. */
  readonly cores: number;
  readonly options: ReportedOptions;
  readonly mix: Mix;
  readonly seconds: number;
  readonly interrupted: boolean;
  readonly warnings: readonly string[];
  readonly balance: Outcome['balance'];
  readonly capacity?: Capacity | undefined;
  readonly errors: readonly { operation: string; code: string; count: number; sample: string }[];
  readonly limited: number;
  readonly lostQueues: number;
  readonly next?: Outcome['next'];
  readonly rows: readonly Row[];
  /** Latency histograms, µs, in HdrHistogram's compressed format, version 2. */
  readonly histograms: {
    readonly calls: string;
    readonly deliveries: string;
    readonly operations: Readonly<Record<string, { readonly intended: string; readonly service: string }>>;
  };
  readonly series: readonly Point[];
}

export function reportDataOf(outcome: Outcome, facts: RunFacts, options: LoadOptions, mix: Mix): ReportData {
  const { totals, wholeRun, points, seconds, balance, warnings, capacity, interrupted, next } = outcome;
  const { nats: _nats, mongodb: _mongodb, zuliprc: _zuliprc, ...rest } = options;
  const { against: _against, againstAnyway: _anyway, failIfWorse: _fail, ...shown } = rest;
  return {
    format: 1,
    ...facts,
    cores: cpus().length,
    options: shown,
    mix,
    seconds,
    interrupted,
    warnings,
    balance,
    capacity,
    errors: [...wholeRun.errors].map(([key, value]) => ({
      operation: key.split('|')[0]!,
      code: key.split('|')[1]!,
      ...value,
    })),
    limited: wholeRun.limited,
    lostQueues: wholeRun.lostQueues,
    next,
    rows: rowsOf(outcome),
    histograms: {
      calls: encodeHistogram(totals.calls),
      deliveries: encodeHistogram(totals.deliveries),
      operations: Object.fromEntries(
        [...totals.operations].map(([name, { intended, service }]) => [
          name,
          { intended: encodeHistogram(intended), service: encodeHistogram(service) },
        ]),
      ),
    },
    series: points,
  };
}
