import { parseArgs } from 'node:util';

export interface ChaosOptions {
  readonly face: 'cluster' | 'embedded';
  /** Of the load; undefined: until all are killed. */
  readonly seconds: number | undefined;
  /** At most. */
  readonly kills: number;
  /** Times that an actor host alone loses the store. */
  readonly cuts: number;
  /** Length of each of these times: long enough for the host to notice and for others to take over, some 6 s. */
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
  /** Running services; undefined starts services for this run, which also restarts them. */
  readonly services: { readonly nats: string; readonly mongodb: string } | undefined;
  /** File for the figures as JSON. */
  readonly report: string | undefined;
  /** Folder for what the processes wrote. */
  readonly logs: string | undefined;
}

const COMMON = `  --rate N        Sends per second. [200]
  --clients N     Clients, each with an account, a queue and a held poll. [200]
  --subscribers N Of each stream. [10]
  --hosts N       Actor hosts. [3]
  --frontends N   [2]
  --log-streams N Streams of the event log. [as the server decides]
  --seed N        Chooses what is killed and when.
  --no-services   Use NATS_URL and MONGODB_URL; otherwise own ones are started, and ended.
  --report FILE   The figures as JSON.
  --logs DIR      What each process wrote, a file each.
`;

export const CHAOS_USAGE = `npm run chaos -- [OPTIONS]

Kills processes of a cluster under load, restarts its services, and judges what its clients saw. Exit code 0: nothing
acknowledged was lost or repeated, no queue ended, and deliveries resumed in time.

  --face FACE     cluster or embedded. [cluster]
  --seconds N     Length of the load. [300; embedded: until all are killed]
  --kills N       At most. [what there is time for; embedded 20]
  --cuts N        Times that one actor host alone does not reach the store, for 15 s. [1; one host, embedded: 0]
  --every N       Seconds from one kill to the next. [10; embedded 8]
${COMMON}
Without own services none is restarted. The embedded face takes no --hosts, --frontends and
--log-streams.
`;

export const ROLLING_USAGE = `npm run rolling -- [OPTIONS]

Replaces each actor host and each frontend in turn under load: the new one is ready before the old one gets its SIGTERM.
Exit code 0: no request failed, and nothing was lost or repeated.

  --every N       Seconds of load before each replacement. [10]
${COMMON}`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

function number(name: string, given: string | undefined, fallback: number, least: number, most: number): number {
  const n = given === undefined ? fallback : Number(given);
  if (!(n >= least && n <= most)) throw new Error(`--${name}: not a number from ${least} to ${most}: ${given}`);
  return n;
}

function whole(name: string, given: string | undefined, fallback: number, least: number, most: number): number {
  const n = number(name, given, fallback, least, most);
  if (!Number.isInteger(n)) throw new Error(`--${name}: not an integer: ${given}`);
  return n;
}

/** @throws Error that names what is off. Undefined: help was asked for */
export function readOptions(argv: readonly string[], environment: NodeJS.ProcessEnv): ChaosOptions | undefined {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      face: text,
      seconds: text,
      kills: text,
      cuts: text,
      every: text,
      rate: text,
      clients: text,
      subscribers: text,
      hosts: text,
      frontends: text,
      'log-streams': text,
      seed: text,
      report: text,
      logs: text,
      'no-services': flag,
      help: flag,
    },
  });
  if (values.help) return undefined;
  const { face = 'cluster' } = values;
  if (face !== 'cluster' && face !== 'embedded') throw new Error(`--face: cluster or embedded, not ${face}`);
  const embedded = face === 'embedded';
  const hosts = whole('hosts', values.hosts, 3, 1, 20);
  const { NATS_URL: nats, MONGODB_URL: mongodb } = environment;
  if (values['no-services'] && !embedded && !(nats && mongodb)) {
    throw new Error('--no-services needs NATS_URL and MONGODB_URL (see deploy/dev/services)');
  }
  return {
    face,
    seconds: values.seconds === undefined && embedded ? undefined : number('seconds', values.seconds, 300, 1, 86_400),
    kills: whole('kills', values.kills, embedded ? 20 : 100_000, 0, 100_000),
    cuts: embedded ? 0 : whole('cuts', values.cuts, hosts > 1 ? 1 : 0, 0, 20),
    cutSeconds: 15,
    every: number('every', values.every, embedded ? 8 : 10, 0.5, 3_600),
    rate: number('rate', values.rate, 200, 0.1, 10_000),
    clients: whole('clients', values.clients, 200, 2, 10_000),
    subscribers: whole('subscribers', values.subscribers, 10, 2, 10_000),
    hosts,
    frontends: whole('frontends', values.frontends, 2, 1, 20),
    logStreams: values['log-streams'] === undefined ? undefined : whole('log-streams', values['log-streams'], 1, 1, 16),
    seed: whole('seed', values.seed, Math.floor(Math.random() * 1e6), 0, 1e9),
    services: values['no-services'] && nats && mongodb ? { nats, mongodb } : undefined,
    report: values.report,
    logs: values.logs,
  };
}
