import { parseArgs } from 'node:util';

export const FACES = ['embedded', 'cluster'] as const;
export type FaceName = (typeof FACES)[number];
export const CASES = ['me', 'users', 'send', 'ping', 'presence', 'fanout', 'fanout-rate'] as const;
export type CaseName = (typeof CASES)[number];

export interface BenchOptions {
  readonly faces: readonly FaceName[];
  readonly cases: readonly CaseName[];
  readonly concurrencies: readonly number[];
  readonly runs: number;
  /** Of one measurement. */
  readonly ms: number;
  readonly warmMs: number;
  /** Before the first run of a case. */
  readonly heatMs: number;
  readonly polls: number;
  readonly queuesEach: number;
  readonly rounds: number;
  /** Messages a second of fanout-rate, and for how long. */
  readonly perSecond: number;
  readonly streamMs: number;
  readonly settleMs: number;
  readonly markdown: boolean;
  /** Folder for CPU profiles of our servers. */
  readonly profile: string | undefined;
  readonly nats: string | undefined;
  readonly mongodb: string | undefined;
}

export const USAGE = `npm run bench -- [OPTIONS]

  --face LIST         embedded,cluster
  --case LIST         me,users,send,ping,presence,fanout,fanout-rate
  --concurrency LIST  Connections of all but fanout. [1,64]
  --runs N            Runs of each measurement; the median counts. [5]
  --seconds N         Length of one measurement of all but fanout. [2]
  --polls N           Held polls of fanout. [500]
  --queues-each N     Of each of the accounts that hold them (accounts are dear to make). [10]
  --rounds N          Messages of one measurement of fanout. [6]
  --per-second N      Messages of fanout-rate, for twenty seconds each run. [20]
  --quick             3 runs of 0.5 s, 100 polls: shows that everything works, measures little.
  --markdown          Print the rows for docs/performance.md.
  --profile DIR       Write a CPU profile of each server process into DIR when it ends (read it with profile.js).

The cluster needs NATS_URL and MONGODB_URL (see deploy/dev/services).
`;

function list<T extends string>(text: string | undefined, all: readonly T[]): readonly T[] {
  if (text === undefined) return all;
  const named = text.split(',');
  for (const name of named) if (!(all as readonly string[]).includes(name)) throw new Error(`unknown: ${name}`);
  return all.filter((name) => named.includes(name));
}

function number(text: string | undefined, fallback: number, most: number): number {
  const n = text === undefined ? fallback : Number(text);
  if (!(n > 0 && n <= most)) throw new Error(`not a number from 1 to ${most}: ${text}`);
  return n;
}

/** @throws Error that names what is off. Undefined: help was asked for */
export function readOptions(argv: readonly string[], environment: NodeJS.ProcessEnv): BenchOptions | undefined {
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
      'queues-each': text,
      rounds: text,
      'per-second': text,
      profile: text,
      quick: flag,
      markdown: flag,
      help: flag,
    },
  });
  if (values.help) return undefined;
  const quick = values.quick === true;
  const ms = number(values.seconds, quick ? 0.5 : 2, 60) * 1000;
  return {
    faces: list(values.face, FACES),
    cases: list(values.case, CASES),
    concurrencies: (values.concurrency ?? '1,64').split(',').map((n) => number(n, 1, 1_000)),
    runs: number(values.runs, quick ? 3 : 5, 100),
    ms,
    warmMs: quick ? 100 : 250,
    heatMs: quick ? 300 : 1_500,
    polls: number(values.polls, quick ? 100 : 500, 5_000),
    queuesEach: number(values['queues-each'], 10, 1_000),
    rounds: number(values.rounds, quick ? 2 : 6, 1_000),
    perSecond: number(values['per-second'], 20, 1_000),
    streamMs: quick ? 1_000 : 20_000,
    settleMs: quick ? 150 : 300,
    markdown: values.markdown === true,
    profile: values.profile,
    nats: environment.NATS_URL,
    mongodb: environment.MONGODB_URL,
  };
}
