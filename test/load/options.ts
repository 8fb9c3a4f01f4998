/** Command line options of the load harness. */
import { parseArgs } from 'node:util';
import { addressesOf } from './metrics-watch.js';

export interface Thresholds {
  /** Largest mean and 99th percentile, ms. */
  readonly mean: number;
  readonly p99: number;
  /** Largest share of failed calls and missing deliveries, %. */
  readonly errors: number;
}

export interface LoadOptions {
  /** Address of the server; undefined together with `zuliprc` starts a server for the run. */
  readonly site: string | undefined;
  readonly zuliprc: string | undefined;
  readonly cluster: boolean;
  readonly hosts: number;
  readonly frontends: number;
  readonly insecure: boolean;
  readonly serverPids: readonly number[];
  /** Operator addresses of the server's processes, for their metrics. */
  readonly metrics: readonly string[];
  readonly prefix: string;
  readonly domain: string;
  readonly seed: number;
  readonly users: number;
  readonly devices: number;
  readonly streams: number | undefined;
  readonly smallest: number;
  readonly largest: number;
  readonly rampSeconds: number;
  readonly seconds: number;
  readonly mix: string | undefined;
  readonly workers: number;
  readonly connections: number;
  readonly timeoutSeconds: number;
  readonly progressSeconds: number;
  readonly out: string;
  /** File of the report to compare with. */
  readonly against: string | undefined;
  readonly againstAnyway: boolean;
  readonly failIfWorse: boolean;
  readonly capacity: boolean;
  readonly growth: number;
  /** New users per second between two steps of a search. */
  readonly arrivals: number;
  readonly holdSeconds: number;
  /** Wait before a step is measured, in which the registrations of new users finish, s. */
  readonly settleSeconds: number;
  readonly mostUsers: number;
  readonly mostMinutes: number;
  /** Distance between the largest good and the smallest bad number of users at which a search ends, %. */
  readonly precision: number;
  readonly thresholds: Thresholds;
  readonly nats: string | undefined;
  readonly mongodb: string | undefined;
}

export const USAGE = `npm run load -- [OPTIONS]

Puts simulated clients on a server that speaks the API at feature level 184, and measures. See docs/load.md.

  --site URL            Server under load. Without it and --owner-zuliprc a server is started for the run.
  --owner-zuliprc FILE  Email and API key of the organization's owner (and the site, without --site).
  --cluster             Start a cluster on NATS_URL and MONGODB_URL instead of an embedded server.
  --hosts N             Actor hosts of that cluster. [1]
  --frontends N         Frontends of that cluster; clients are distributed over them. [1]
  --insecure            Accept any TLS certificate.
  --server-pid LIST     Ids of server processes on this machine, to report their CPU and memory.
  --metrics URL,URL     Operator address of each server process (--ops-host, --ops-port), for the advice on what to
                        add next. Not needed for a server that the run starts.

  --users N             Simulated users. [50]
  --devices N           Clients per user: the first one acts, all poll. [1]
  --ramp SECONDS        Time in which the clients start. [users / 20, at least 2]
  --seconds SECONDS     Measured time after the ramp. [60]
  --streams N           Number of streams. [each user is in about 8]
  --subscribers SIZES   Subscribers per stream: MIN-MAX (logarithmically even), N, or all. [5-200]
  --mix FILE            JSON file with the actions of clients; the default mix supplies missing fields.
  --print-mix           Print the default mix.
  --prefix NAME         Prefix of accounts and streams; a later run with the same prefix reuses them. [load]
  --email-domain NAME   Domain of the accounts' email addresses. [example.com]
  --seed N              Seed of all random choices. [1]

  --capacity            Raise the number of users, from --users on, until a threshold breaks; print the number.
  --growth FACTOR       Growth of the number of users from step to step. [2]
  --precision PERCENT   Distance between the largest good and the smallest bad number of users at the end. [6]
  --arrivals N          New users per second between steps. [25]
  --hold SECONDS        Measured time of a step. [30, less with few minutes]
  --settle SECONDS      Wait with all users before a step is measured. [hold / 6]
  --max-users N         Largest number of users. [20000]
  --max-minutes N       Time limit of the search, including the creation of accounts. [20]
  --max-mean MS         Threshold for the mean of calls and that of deliveries. [100]
  --max-p99 MS          Threshold for the 99th percentile of calls and that of deliveries. [2000]
  --max-errors PERCENT  Threshold for failed calls and missing deliveries. [0.025]

  --workers N           Number of worker processes of the harness. [1]
  --connections N       Connections per worker for calls; each poll has an own connection. [256]
  --timeout SECONDS     Timeout of a call. [60]
  --progress SECONDS    Interval of progress lines. [5]
  --out DIR             Directory of report.html and report.json. [load-report]

  --against FILE        Compare with the report.json of an earlier run.
  --against-anyway      Compare even if the earlier run had another load.
  --fail-if-worse       Exit with code 3 if a figure is clearly worse than in the earlier run.
`;

function readNumber(text: string | undefined, name: string, fallback: number, min: number, max: number): number {
  const n = text === undefined ? fallback : Number(text);
  if (!(n >= min && n <= max)) throw new Error(`--${name} is not a number from ${min} to ${max}: ${text}`);
  return n;
}

function readInteger(text: string | undefined, name: string, fallback: number, min: number, max: number): number {
  const n = readNumber(text, name, fallback, min, max);
  if (!Number.isInteger(n)) throw new Error(`--${name} is not a whole number: ${text}`);
  return n;
}

/** Upper limit of user numbers, beyond what one machine can simulate. */
const MAX_USERS = 100_000;

function readSizes(text: string): readonly [number, number] {
  if (text === 'all') return [MAX_USERS, MAX_USERS];
  const match = /^(\d+)(?:-(\d+))?$/.exec(text);
  const [min, max] = [Number(match?.[1]), Number(match?.[2] ?? match?.[1])];
  if (!(min >= 1 && min <= max && max <= MAX_USERS)) throw new Error(`--subscribers is not MIN-MAX, N or all: ${text}`);
  return [min, max];
}

const TEXT_OPTIONS = [
  ...['site', 'owner-zuliprc', 'hosts', 'frontends', 'server-pid', 'metrics', 'prefix', 'email-domain', 'seed'],
  'users',
  ...['devices', 'ramp', 'seconds', 'streams', 'subscribers', 'mix', 'growth', 'precision', 'arrivals', 'hold'],
  ...['settle', 'max-users', 'max-minutes', 'max-mean', 'max-p99', 'max-errors'],
  ...['workers', 'connections', 'timeout', 'progress', 'out', 'against'],
] as const;
const FLAG_OPTIONS = [
  'cluster',
  'insecure',
  'capacity',
  'against-anyway',
  'fail-if-worse',
  'print-mix',
  'help',
] as const;
export const OPTION_NAMES: readonly string[] = [...TEXT_OPTIONS, ...FLAG_OPTIONS];

/**
 * @returns the options of a run, or the text to print instead of a run
 * @throws Error with the invalid option
 */
export function readOptions(argv: readonly string[], environment: NodeJS.ProcessEnv): LoadOptions | 'help' | 'mix' {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const options = Object.fromEntries([
    ...TEXT_OPTIONS.map((name) => [name, text] as const),
    ...FLAG_OPTIONS.map((name) => [name, flag] as const),
  ]);
  const values = parseArgs({ args: [...argv], options }).values as Readonly<Record<string, unknown>>;
  const textOf = (name: (typeof TEXT_OPTIONS)[number]): string | undefined => values[name] as string | undefined;
  const isSet = (name: (typeof FLAG_OPTIONS)[number]): boolean => values[name] === true;
  if (isSet('help')) return 'help';
  if (isSet('print-mix')) return 'mix';
  if (textOf('site') !== undefined && textOf('owner-zuliprc') === undefined)
    throw new Error('--site needs --owner-zuliprc');
  if (textOf('owner-zuliprc') !== undefined && isSet('cluster'))
    throw new Error('--cluster starts a server of its own');
  for (const name of ['hosts', 'frontends'] as const) {
    if (textOf(name) !== undefined && !isSet('cluster')) throw new Error(`--${name} needs --cluster`);
  }
  if (textOf('metrics') !== undefined && textOf('owner-zuliprc') === undefined)
    throw new Error('--metrics is for a server that runs (--owner-zuliprc)');
  for (const name of ['against-anyway', 'fail-if-worse'] as const) {
    if (isSet(name) && textOf('against') === undefined) throw new Error(`--${name} needs --against`);
  }
  const users = readInteger(textOf('users'), 'users', 50, 1, MAX_USERS);
  const [smallest, largest] = readSizes(textOf('subscribers') ?? '5-200');
  const mostMinutes = readNumber(textOf('max-minutes'), 'max-minutes', 20, 0.1, 10_080);
  const holdSeconds = readNumber(textOf('hold'), 'hold', Math.min(30, Math.max(5, mostMinutes * 1.5)), 1, 86_400);
  const prefix = textOf('prefix') ?? 'load';
  if (!/^[a-z0-9]{1,20}$/.test(prefix)) throw new Error('--prefix is not 1 to 20 small letters and digits');
  return {
    site: textOf('site'),
    zuliprc: textOf('owner-zuliprc'),
    cluster: isSet('cluster'),
    hosts: readInteger(textOf('hosts'), 'hosts', 1, 1, 16),
    frontends: readInteger(textOf('frontends'), 'frontends', 1, 1, 16),
    insecure: isSet('insecure'),
    serverPids: (textOf('server-pid') ?? '')
      .split(',')
      .filter(Boolean)
      .map((pid) => readInteger(pid, 'server-pid', 0, 1, 2 ** 22)),
    metrics: addressesOf(textOf('metrics') ?? ''),
    prefix,
    domain: textOf('email-domain') ?? 'example.com',
    seed: readInteger(textOf('seed'), 'seed', 1, 0, 2 ** 31),
    users,
    devices: readInteger(textOf('devices'), 'devices', 1, 1, 100),
    streams: textOf('streams') === undefined ? undefined : readInteger(textOf('streams'), 'streams', 0, 1, 20_000),
    smallest,
    largest,
    rampSeconds: readNumber(textOf('ramp'), 'ramp', Math.max(2, users / 20), 0, 86_400),
    seconds: readNumber(textOf('seconds'), 'seconds', 60, 1, 7 * 86_400),
    mix: textOf('mix'),
    workers: readInteger(textOf('workers'), 'workers', 1, 1, 64),
    connections: readInteger(textOf('connections'), 'connections', 256, 1, 10_000),
    timeoutSeconds: readNumber(textOf('timeout'), 'timeout', 60, 1, 600),
    progressSeconds: readInteger(textOf('progress'), 'progress', 5, 1, 3_600),
    out: textOf('out') ?? 'load-report',
    against: textOf('against'),
    againstAnyway: isSet('against-anyway'),
    failIfWorse: isSet('fail-if-worse'),
    capacity: isSet('capacity'),
    growth: readNumber(textOf('growth'), 'growth', 2, 1.05, 10),
    arrivals: readNumber(textOf('arrivals'), 'arrivals', 25, 0.1, 10_000),
    holdSeconds,
    settleSeconds: readNumber(textOf('settle'), 'settle', holdSeconds / 6, 0, 3_600),
    mostUsers: readInteger(textOf('max-users'), 'max-users', 20_000, 1, MAX_USERS),
    mostMinutes,
    precision: readNumber(textOf('precision'), 'precision', 6, 0.1, 100),
    thresholds: {
      mean: readNumber(textOf('max-mean'), 'max-mean', 100, 0.001, 600_000),
      p99: readNumber(textOf('max-p99'), 'max-p99', 2_000, 0.001, 600_000),
      errors: readNumber(textOf('max-errors'), 'max-errors', 0.025, 0, 100),
    },
    nats: environment.NATS_URL,
    mongodb: environment.MONGODB_URL,
  };
}
