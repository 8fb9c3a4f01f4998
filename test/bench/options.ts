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

/** A case as the command line sees it. */
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
  /** Length of one measurement, ms. */
  readonly ms: number;
  readonly warmUpMs: number;
  /** Warm-up before the first run of a case, ms. */
  readonly firstWarmUpMs: number;
  readonly polls: number;
  /** Number of held polls of the case `held`. */
  readonly idlePolls: number;
  /** Accounts of the organization whose list is asked for. */
  readonly listedUsers: number;
  /** Size of the organization of the case `web`. */
  readonly people: number;
  readonly streams: number;
  readonly messages: number;
  /** Messages that the case `exchange` imports and exports. */
  readonly exchangedMessages: number;
  /** Messages a second of fanout-rate, and for how long. */
  readonly perSecond: number;
  readonly fanoutRateMs: number;
  readonly rounds: number;
  readonly settleMs: number;
  readonly markdown: boolean;
  /** Whether to append the figures to the history. */
  readonly records: boolean;
  /** Whether to write the tables of the history, without a measurement. */
  readonly writesHistoryTables: boolean;
  readonly profile: ProfileOutput | undefined;
  /** Whether to measure the bare programs, too. */
  readonly measuresBare: boolean;
  readonly nats: string | undefined;
  readonly mongodb: string | undefined;
}

const describeCase = ({ name, about, onlyNamed = false }: NamedCase): string =>
  `    ${name.padEnd(14)} ${about}${onlyNamed ? ' (only when it is named)' : ''}`;

export const usage = (cases: readonly NamedCase[]): string => `npm run bench -- [OPTIONS]

  --face LIST         embedded,cluster
  --case LIST         Names of cases (below). [all]
  --concurrency LIST  Connections of all but fanout. [1,64]
  --runs N            Runs of each measurement; the median counts. [5]
  --seconds N         Length of one measurement of all but fanout. [2]
  --polls N           Held polls. [fanout: 2000, held: 20000]
  --users N           Accounts of an organization whose list is asked for. [1000]
  --people N, --streams N, --messages N
                      Size of the organization of the cases web and exchange. [200, 50, web: 5000, exchange: 50000]
  --rounds N          Messages of one measurement of fanout. [6]
  --per-second N      Messages of fanout-rate, for twenty seconds each run. [20]
  --quick             3 runs of 0.5 s, 100 polls: shows that everything works, measures little.
  --record            Append the figures to docs/bench/history.jsonl and write the tables of docs/performance.md.
  --history           Measure nothing, write the tables.
  --markdown          Print the rows for docs/performance.md.
  --profile DIR       Instead of ceilings: a CPU profile and a flame graph in DIR of what each case has each server process
                      do (send-cluster-http.cpuprofile, .svg). profile.js makes a table of a profile.
  --flames            Flame graphs of the hottest paths, both faces, for docs/bench/flames: a few minutes.

Cases:
${cases.map(describeCase).join('\n')}

The cluster needs NATS_URL and MONGODB_URL (see deploy/dev/services).
`;

function parseList<T extends string>(text: string | undefined, all: readonly T[]): readonly T[] {
  if (text === undefined) return all;
  const named = text.split(',');
  for (const name of named) if (!(all as readonly string[]).includes(name)) throw new Error(`unknown: ${name}`);
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
  if (!(n > 0 && n <= most)) throw new Error(`not a number from 1 to ${most}: ${text}`);
  return n;
}

/** @throws Error that names what is off. Undefined: help was asked for */
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
