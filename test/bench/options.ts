/** The command line of the benchmark. */
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { ProfileOutput } from './profiler.js';

export const FACES = ['embedded', 'cluster'] as const;
export type FaceName = (typeof FACES)[number];
/** Cases with flame graphs in the repository. */
export const FLAME_GRAPH_CASES: readonly string[] = ['me', 'send', 'fanout', 'register', 'history'];
export const FLAME_GRAPH_FOLDER = 'docs/bench/flames';

/** Properties of a case that the command line uses. */
export interface NamedCase {
  readonly name: string;
  readonly about: string;
  readonly onlyNamed?: boolean;
}

export interface BenchOptions {
  readonly faces: readonly FaceName[];
  /** Names of the cases to run. */
  readonly cases: readonly string[];
  readonly concurrencies: readonly number[];
  readonly runs: number;
  /** Length of one measurement, without its warm-up, ms. */
  readonly ms: number;
  /** Warm-up before each measurement, ms. */
  readonly warmUpMs: number;
  /** Warm-up before the first run of a case, ms. */
  readonly firstWarmUpMs: number;
  /** Number of waiting polls of the cases `fanout` and `levels`. */
  readonly polls: number;
  /** Number of waiting polls of the case `held`. */
  readonly idlePolls: number;
  /** Number of accounts in the list that the case `users` fetches. */
  readonly listedUsers: number;
  /** Size of the organization of the cases `web` and `exchange`; `messages` is for `web` alone. */
  readonly people: number;
  readonly streams: number;
  readonly messages: number;
  /** Messages that the case `exchange` imports and exports. */
  readonly exchangedMessages: number;
  /** Rate and duration of the messages of a run of `fanout-rate`. */
  readonly perSecond: number;
  readonly fanoutRateMs: number;
  /** Number of messages in one measurement of `fanout`. */
  readonly rounds: number;
  /** Time for polls to reach the server before a message is sent, ms. */
  readonly settleMs: number;
  /** Whether to print the table as Markdown. */
  readonly markdown: boolean;
  /** Whether to append the figures to the history. */
  readonly records: boolean;
  /** Whether to write the tables of the history, without a measurement. */
  readonly writesHistoryTables: boolean;
  readonly profile: ProfileOutput | undefined;
  /** Whether to measure the bare programs. A profile has no bare programs. */
  readonly measuresBare: boolean;
  readonly nats: string | undefined;
  readonly mongodb: string | undefined;
}

const describeCase = ({ name, about, onlyNamed = false }: NamedCase): string =>
  `    ${name.padEnd(14)} ${about}${onlyNamed ? ' (runs only if --case names it)' : ''}`;

export const usage = (cases: readonly NamedCase[]): string => `npm run bench -- [OPTIONS]

Measures cases on a server of each face and compares them with ceilings: the values of bare programs, which do the
minimum of the same work. See docs/performance.md.

  --face LIST         Faces to measure. [embedded,cluster]
  --case LIST         Cases to measure (listed below). [all, except the cases that are marked]
  --concurrency LIST  Numbers of connections; some cases have a fixed number. [1,64]
  --runs N            Runs of each measurement; the table has their median, minimum and maximum. [5]
  --seconds N         Length of one run in a closed loop. [2]
  --polls N           Number of waiting polls. [fanout, levels: 2000, held: 20000]
  --users N           Number of accounts in the list of the case users. [1000]
  --people N, --streams N, --messages N
                      Size of the organization of the cases web and exchange. [200, 50, web: 5000, exchange: 50000]
  --rounds N          Messages in one run of the cases fanout and levels. [6]
  --per-second N      Messages per second of the case fanout-rate, whose runs take 20 s. [20]
  --quick             3 runs of 0.5 s with 100 polls: a test of the benchmark, not a measurement.
  --record            Append the figures to docs/bench/history.jsonl and write the tables of docs/performance.md.
  --history           Write the tables of docs/performance.md without a measurement.
  --markdown          Print the table as Markdown.
  --profile DIR       Write a CPU profile and a flame graph of each case and server process into DIR, as
                      send-cluster-http.cpuprofile and .svg, and measure no ceilings. profile.js prints a profile.
  --flames            Draw the flame graphs of docs/bench/flames (${FLAME_GRAPH_CASES.join(', ')}); a few minutes.

Cases:
${cases.map(describeCase).join('\n')}

The cluster needs NATS_URL and MONGODB_URL (see deploy/dev/services).
`;

function parseList<T extends string>(text: string | undefined, all: readonly T[]): readonly T[] {
  if (text === undefined) return all;
  const named = text.split(',');
  for (const name of named)
    if (!(all as readonly string[]).includes(name)) throw new Error(`unknown face or case: ${name}`);
  return all.filter((name) => named.includes(name));
}

function selectCases(text: string | undefined, cases: readonly NamedCase[], flames: boolean): readonly string[] {
  const names = cases.map(({ name }) => name);
  if (text !== undefined) return parseList(text, names);
  if (flames) return FLAME_GRAPH_CASES.filter((name) => names.includes(name));
  return cases.filter(({ onlyNamed = false }) => !onlyNamed).map(({ name }) => name);
}

function profileOutputFor(dir: string | undefined, flames: boolean): ProfileOutput | undefined {
  if (dir === undefined && !flames) return undefined;
  const profiles = resolve(dir ?? join(tmpdir(), `conclave-profiles-${process.pid}`));
  const shares = new Map<string, readonly number[]>();
  return flames
    ? { profiles, flames: FLAME_GRAPH_FOLDER, minShare: 0.008, shares }
    : { profiles, flames: profiles, minShare: 0.003, shares };
}

function parseNumber(text: string | undefined, fallback: number, most: number): number {
  const n = text === undefined ? fallback : Number(text);
  if (!(n > 0 && n <= most)) throw new Error(`not a positive number up to ${most}: ${text}`);
  return n;
}

/** @returns the options; undefined for `--help`. @throws Error with the invalid value */
export function readOptions(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
  cases: readonly NamedCase[] = [],
): BenchOptions | undefined {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const { values } = parseArgs({
    args: [...argv],
    options: {
      face: text,
      case: text,
      concurrency: text,
      runs: text,
      seconds: text,
      polls: text,
      users: text,
      people: text,
      streams: text,
      messages: text,
      rounds: text,
      'per-second': text,
      profile: text,
      quick: flag,
      markdown: flag,
      record: flag,
      history: flag,
      flames: flag,
      help: flag,
    },
  });
  if (values.help) return undefined;
  const quick = values.quick === true;
  const flames = values.flames === true;
  const profile = profileOutputFor(values.profile, flames);
  const ms = parseNumber(values.seconds, quick ? 0.5 : 2, 60) * 1000;
  return {
    faces: parseList(values.face, FACES),
    cases: selectCases(values.case, cases, flames),
    concurrencies: (values.concurrency ?? (flames ? '64' : '1,64')).split(',').map((n) => parseNumber(n, 1, 1_000)),
    runs: parseNumber(values.runs, quick ? 3 : flames ? 2 : 5, 100),
    ms,
    warmUpMs: quick ? 100 : 250,
    firstWarmUpMs: quick ? 300 : 1_500,
    polls: parseNumber(values.polls, quick ? 100 : 2_000, 20_000),
    idlePolls: parseNumber(values.polls, quick ? 100 : 20_000, 1_000_000),
    listedUsers: parseNumber(values.users, quick ? 50 : 1_000, 100_000),
    people: parseNumber(values.people, 200, 10_000),
    streams: parseNumber(values.streams, 50, 1_000),
    messages: parseNumber(values.messages, 5_000, 1_000_000),
    exchangedMessages: parseNumber(values.messages, quick ? 2_000 : 50_000, 5_000_000),
    rounds: parseNumber(values.rounds, quick ? 2 : 6, 1_000),
    perSecond: parseNumber(values['per-second'], 20, 1_000),
    fanoutRateMs: quick ? 1_000 : 20_000,
    settleMs: quick ? 150 : 300,
    records: values.record === true,
    writesHistoryTables: values.history === true,
    markdown: values.markdown === true,
    profile,
    measuresBare: profile === undefined,
    nats: environment.NATS_URL,
    mongodb: environment.MONGODB_URL,
  };
}
