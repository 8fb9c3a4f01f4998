import { parseArgs } from 'node:util';

export interface ChaosOptions {
  readonly face: 'cluster' | 'embedded';
  /** Length of the load, s; undefined: until all kills are done. */
  readonly seconds: number | undefined;
  /** Maximum number of kills. */
  readonly kills: number;
  /** Number of times that one actor host alone is cut off from the store. */
  readonly cuts: number;
  /** Length of each cut, s. The host notices a cut and other hosts take over within some 6 s. */
  readonly cutSeconds: number;
  /** Seconds from one kill to the next. */
  readonly every: number;
  /** Sends per second. */
  readonly rate: number;
  readonly clients: number;
  /** Subscribers of each stream. */
  readonly subscribers: number;
  readonly hosts: number;
  readonly frontends: number;
  /** Number of streams of the event log; undefined: the server's default. */
  readonly logStreams: number | undefined;
  readonly seed: number;
  /** URLs of running services; undefined: the run starts services of its own, and restarts them under load. */
  readonly services: { readonly nats: string; readonly mongodb: string } | undefined;
  /** File for the figures as JSON. */
  readonly report: string | undefined;
  /** Folder for the output of the processes. */
  readonly logs: string | undefined;
}

const COMMON = `  --rate N        Sends per second. [200]
  --clients N     Clients, each with an account, a queue and a held poll. [200]
  --subscribers N Subscribers of each stream. [10]
  --hosts N       Actor hosts. [3]
  --frontends N   Frontends. [2]
  --log-streams N Streams of the event log. [as the server decides]
  --seed N        Seed of the random choices: which process is killed, and when.
  --no-services   Use the services at NATS_URL and MONGODB_URL, instead of starting own ones for the run.
  --report FILE   Write the figures to FILE as JSON.
  --logs DIR      Write the output of each process to a file in DIR.
`;

export const CHAOS_USAGE = `npm run chaos -- [OPTIONS]

Kills processes of a cluster under load, restarts its services, and checks what its clients saw. Exit code 0: nothing
acknowledged was lost or repeated, no queue ended, and deliveries resumed in time.

  --face FACE     cluster or embedded. [cluster]
  --seconds N     Length of the load. [300; embedded: until all are killed]
  --kills N       Maximum number of kills. [as many as fit in the time; embedded 20]
  --cuts N        Times that one actor host alone is cut off from the store, 15 s each. [1; one host, embedded: 0]
  --every N       Seconds from one kill to the next. [10; embedded 8]
${COMMON}
With --no-services no service is restarted. The embedded face takes no --hosts, --frontends and
--log-streams.
`;

export const ROLLING_USAGE = `npm run rolling -- [OPTIONS]

Replaces each actor host and each frontend in turn under load: the new process is ready before the old one gets SIGTERM.
Exit code 0: no request failed, and nothing was lost or repeated.

  --every N       Seconds of load before each replacement. [10]
${COMMON}`;

const stringOption = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

function number(name: string, given: string | undefined, fallback: number, min: number, max: number): number {
  const n = given === undefined ? fallback : Number(given);
  if (!(n >= min && n <= max)) throw new Error(`--${name}: not a number from ${min} to ${max}: ${given}`);
  return n;
}

function integer(name: string, given: string | undefined, fallback: number, min: number, max: number): number {
  const n = number(name, given, fallback, min, max);
  if (!Number.isInteger(n)) throw new Error(`--${name}: not an integer: ${given}`);
  return n;
}

/** @returns undefined for `--help` @throws Error that names the invalid option */
export function readOptions(argv: readonly string[], environment: NodeJS.ProcessEnv): ChaosOptions | undefined {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      face: stringOption,
      seconds: stringOption,
      kills: stringOption,
      cuts: stringOption,
      every: stringOption,
      rate: stringOption,
      clients: stringOption,
      subscribers: stringOption,
      hosts: stringOption,
      frontends: stringOption,
      'log-streams': stringOption,
      seed: stringOption,
      report: stringOption,
      logs: stringOption,
      'no-services': flag,
      help: flag,
    },
  });
  if (values.help) return undefined;
  const { face = 'cluster' } = values;
  if (face !== 'cluster' && face !== 'embedded') throw new Error(`--face: cluster or embedded, not ${face}`);
  const embedded = face === 'embedded';
  const hosts = integer('hosts', values.hosts, 3, 1, 20);
  const { NATS_URL: nats, MONGODB_URL: mongodb } = environment;
  if (values['no-services'] && !embedded && !(nats && mongodb)) {
    throw new Error('--no-services needs NATS_URL and MONGODB_URL (see deploy/dev/services)');
  }
  return {
    face,
    seconds: values.seconds === undefined && embedded ? undefined : number('seconds', values.seconds, 300, 1, 86_400),
    kills: integer('kills', values.kills, embedded ? 20 : 100_000, 0, 100_000),
    cuts: embedded ? 0 : integer('cuts', values.cuts, hosts > 1 ? 1 : 0, 0, 20),
    cutSeconds: 15,
    every: number('every', values.every, embedded ? 8 : 10, 0.5, 3_600),
    rate: number('rate', values.rate, 200, 0.1, 10_000),
    clients: integer('clients', values.clients, 200, 2, 10_000),
    subscribers: integer('subscribers', values.subscribers, 10, 2, 10_000),
    hosts,
    frontends: integer('frontends', values.frontends, 2, 1, 20),
    logStreams:
      values['log-streams'] === undefined ? undefined : integer('log-streams', values['log-streams'], 1, 1, 16),
    seed: integer('seed', values.seed, Math.floor(Math.random() * 1e6), 0, 1e9),
    services: values['no-services'] && nats && mongodb ? { nats, mongodb } : undefined,
    report: values.report,
    logs: values.logs,
  };
}
