/** The command line of the load harness. */
import { parseArgs } from 'node:util';
import { addressesOf } from './watch.js';

export interface Thresholds {
  /** Milliseconds. */
  readonly mean: number;
  readonly p99: number;
  /** Percent of calls. */
  readonly errors: number;
}

export interface LoadOptions {
  /** Address of the server; undefined starts one for the run. */
  readonly site: string | undefined;
  readonly zuliprc: string | undefined;
  readonly cluster: boolean;
  readonly hosts: number;
  readonly frontends: number;
  readonly insecure: boolean;
  readonly serverPids: readonly number[];
  /** Addresses of the server's processes that have metrics. */
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
  /** Report of an earlier run to compare with. */
  readonly against: string | undefined;
  readonly againstAnyway: boolean;
  readonly failIfWorse: boolean;
  readonly capacity: boolean;
  readonly growth: number;
  /** New users per second between steps. */
  readonly arrivals: number;
  readonly holdSeconds: number;
  /** Before a step is measured: what came with new users is over. */
  readonly settleSeconds: number;
  readonly mostUsers: number;
  readonly mostMinutes: number;
  /** Largest distance between the users that held and those that did not, at the end of a search; percent. */
  readonly precision: number;
  readonly thresholds: Thresholds;
  readonly nats: string | undefined;
  readonly mongodb: string | undefined;
}

export const USAGE = `npm run load -- [OPTIONS]

Puts simulated clients on a server that speaks the API at feature level 184, and measures. See docs/load.md.

  --site URL            Server under load. Without it and --owner-zuliprc: one of our own, in a temporary directory.
  --owner-zuliprc FILE  Its owner's email and key (and site, without --site).
  --cluster             Our own server is a cluster on NATS_URL and MONGODB_URL.
  --hosts N             Actor hosts of that cluster. [1]
  --frontends N         Frontends of that cluster; clients are spread over them. [1]
  --insecure            Accept any certificate.
  --server-pid LIST     Processes on this machine whose CPU and memory are shown.
  --metrics URL,URL     Each process's address for operators (--ops-host, --ops-port): the report says what to add
                        next. Not needed for servers of our own.

  --users N             Simulated users. [50]
  --devices N           Clients of each user: the first one acts, all hold a poll. [1]
  --ramp SECONDS        Until all have begun. [users / 20, at least 2]
  --seconds SECONDS     Measured time after that. [60]
  --streams N           [as many as put each user into about 8]
  --subscribers SIZES   Of a stream: MIN-MAX (evenly over the orders of magnitude), N, or all. [5-200]
  --mix FILE            JSON with what clients do; missing parts as in the default (--print-mix).
  --print-mix           Print the default mix.
  --prefix NAME         Of accounts and streams, which a later run with the same prefix uses again. [load]
  --email-domain NAME   Of the accounts' addresses. [example.com]
  --seed N              Of everything that is random. [1]

  --capacity            Raise the number of users, from --users on, until a threshold breaks; print the number.
  --growth FACTOR       From step to step. [2]
  --precision PERCENT   Between the most that held and the least that did not, at the end. [6]
  --arrivals N          New users per second between steps. [25]
  --hold SECONDS        Measured time of a step. [30, less with few minutes]
  --settle SECONDS      Before that, with all users there. [hold / 6]
  --max-users N         [20000]
  --max-minutes N       Of the whole search, making accounts included. [20]
  --max-mean MS         Mean of calls, and of deliveries. [100]
  --max-p99 MS          Their 99th percentile. [2000]
  --max-errors PERCENT  Failed calls and missing deliveries. [0.025]

  --workers N           Processes of the harness. [1]
  --connections N       Of each process, for calls; each poll has one of its own. [256]
  --timeout SECONDS     Of a call. [60]
  --progress SECONDS    Between progress lines. [5]
  --out DIR             For report.html and report.json. [load-report]

  --against FILE        The report.json of an earlier run: what has changed since, and whether it is more than noise.
  --against-anyway      Also where the earlier run had another load.
  --fail-if-worse       Exit code 3 if something is clearly worse than then.
`;

function number(text: string | undefined, name: string, fallback: number, least: number, most: number): number {
  const n = text === undefined ? fallback : Number(text);
  if (!(n >= least && n <= most)) throw new Error(`--${name} is not a number from ${least} to ${most}: ${text}`);
  return n;
}

function whole(text: string | undefined, name: string, fallback: number, least: number, most: number): number {
  const n = number(text, name, fallback, least, most);
  if (!Number.isInteger(n)) throw new Error(`--${name} is not a whole number: ${text}`);
  return n;
}

/** More than any organization that one machine can simulate. */
const MOST_USERS = 100_000;

function sizes(text: string): readonly [number, number] {
  if (text === 'all') return [MOST_USERS, MOST_USERS];
  const match = /^(\d+)(?:-(\d+))?$/.exec(text);
  const [least, most] = [Number(match?.[1]), Number(match?.[2] ?? match?.[1])];
  if (!(least >= 1 && least <= most && most <= MOST_USERS))
    throw new Error(`--subscribers is not MIN-MAX, N or all: ${text}`);
  return [least, most];
}

const TEXTS = [
  ...['site', 'owner-zuliprc', 'hosts', 'frontends', 'server-pid', 'metrics', 'prefix', 'email-domain', 'seed'],
  'users',
  ...['devices', 'ramp', 'seconds', 'streams', 'subscribers', 'mix', 'growth', 'precision', 'arrivals', 'hold'],
  ...['settle', 'max-users', 'max-minutes', 'max-mean', 'max-p99', 'max-errors'],
  ...['workers', 'connections', 'timeout', 'progress', 'out', 'against'],
] as const;
const FLAGS = ['cluster', 'insecure', 'capacity', 'against-anyway', 'fail-if-worse', 'print-mix', 'help'] as const;
export const OPTION_NAMES: readonly string[] = [...TEXTS, ...FLAGS];

/** @throws Error that names what is off. A word: what was asked for instead of a run */
export function readOptions(argv: readonly string[], environment: NodeJS.ProcessEnv): LoadOptions | 'help' | 'mix' {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const options = Object.fromEntries([
    ...TEXTS.map((name) => [name, text] as const),
    ...FLAGS.map((name) => [name, flag] as const),
  ]);
  const values = parseArgs({ args: [...argv], options }).values as Readonly<Record<string, unknown>>;
  const given = (name: (typeof TEXTS)[number]): string | undefined => values[name] as string | undefined;
  const set = (name: (typeof FLAGS)[number]): boolean => values[name] === true;
  if (set('help')) return 'help';
  if (set('print-mix')) return 'mix';
  if (given('site') !== undefined && given('owner-zuliprc') === undefined)
    throw new Error('--site needs --owner-zuliprc');
  if (given('owner-zuliprc') !== undefined && set('cluster')) throw new Error('--cluster starts a server of its own');
  for (const name of ['hosts', 'frontends'] as const) {
    if (given(name) !== undefined && !set('cluster')) throw new Error(`--${name} needs --cluster`);
  }
  if (given('metrics') !== undefined && given('owner-zuliprc') === undefined)
    throw new Error('--metrics is for a server that runs (--owner-zuliprc)');
  for (const name of ['against-anyway', 'fail-if-worse'] as const) {
    if (set(name) && given('against') === undefined) throw new Error(`--${name} needs --against`);
  }
  const users = whole(given('users'), 'users', 50, 1, MOST_USERS);
  const [smallest, largest] = sizes(given('subscribers') ?? '5-200');
  const mostMinutes = number(given('max-minutes'), 'max-minutes', 20, 0.1, 10_080);
  const holdSeconds = number(given('hold'), 'hold', Math.min(30, Math.max(5, mostMinutes * 1.5)), 1, 86_400);
  const prefix = given('prefix') ?? 'load';
  if (!/^[a-z0-9]{1,20}$/.test(prefix)) throw new Error('--prefix is not 1 to 20 small letters and digits');
  return {
    site: given('site'),
    zuliprc: given('owner-zuliprc'),
    cluster: set('cluster'),
    hosts: whole(given('hosts'), 'hosts', 1, 1, 16),
    frontends: whole(given('frontends'), 'frontends', 1, 1, 16),
    insecure: set('insecure'),
    serverPids: (given('server-pid') ?? '')
      .split(',')
      .filter(Boolean)
      .map((pid) => whole(pid, 'server-pid', 0, 1, 2 ** 22)),
    metrics: addressesOf(given('metrics') ?? ''),
    prefix,
    domain: given('email-domain') ?? 'example.com',
    seed: whole(given('seed'), 'seed', 1, 0, 2 ** 31),
    users,
    devices: whole(given('devices'), 'devices', 1, 1, 100),
    streams: given('streams') === undefined ? undefined : whole(given('streams'), 'streams', 0, 1, 20_000),
    smallest,
    largest,
    rampSeconds: number(given('ramp'), 'ramp', Math.max(2, users / 20), 0, 86_400),
    seconds: number(given('seconds'), 'seconds', 60, 1, 7 * 86_400),
    mix: given('mix'),
    workers: whole(given('workers'), 'workers', 1, 1, 64),
    connections: whole(given('connections'), 'connections', 256, 1, 10_000),
    timeoutSeconds: number(given('timeout'), 'timeout', 60, 1, 600),
    progressSeconds: whole(given('progress'), 'progress', 5, 1, 3_600),
    out: given('out') ?? 'load-report',
    against: given('against'),
    againstAnyway: set('against-anyway'),
    failIfWorse: set('fail-if-worse'),
    capacity: set('capacity'),
    growth: number(given('growth'), 'growth', 2, 1.05, 10),
    arrivals: number(given('arrivals'), 'arrivals', 25, 0.1, 10_000),
    holdSeconds,
    settleSeconds: number(given('settle'), 'settle', holdSeconds / 6, 0, 3_600),
    mostUsers: whole(given('max-users'), 'max-users', 20_000, 1, MOST_USERS),
    mostMinutes,
    precision: number(given('precision'), 'precision', 6, 0.1, 100),
    thresholds: {
      mean: number(given('max-mean'), 'max-mean', 100, 0.001, 600_000),
      p99: number(given('max-p99'), 'max-p99', 2_000, 0.001, 600_000),
      errors: number(given('max-errors'), 'max-errors', 0.025, 0, 100),
    },
    nats: environment.NATS_URL,
    mongodb: environment.MONGODB_URL,
  };
}
