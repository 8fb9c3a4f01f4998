import { parseArgs } from 'node:util';

export interface ChaosOptions {
  readonly face: 'cluster' | 'embedded';
  /** Length of the load, s; undefined: until all kills are done. */
  readonly seconds: number | undefined;
  /** Maximum number of kills. */
  readonly kills: number;
  /** Number of times that one actor host alone can't reach the store. */
  readonly cuts: number;
  /** Length of such a cut, s: long enough for the other hosts to take over, which takes some 6 s. */
  readonly cutSeconds: number;
  /** Time from one kill to the next, s. */
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
  /** Services to use; undefined: the run starts services of its own, and restarts them as faults. */
  readonly services: { readonly nats: string; readonly mongodb: string } | undefined;
  /** Path of a file for the figures, as JSON. */
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
  --seed N        Seed that chooses the killed processes and the times. [random]
  --no-services   Use NATS_URL and MONGODB_URL. Without this option the run starts services of its own.
  --report FILE   File for the figures, as JSON.
  --logs DIR      Folder for the output of each process, one file each.
`;

export const CHAOS_USAGE = `npm run chaos -- [OPTIONS]

Kills processes of a cluster under load, restarts its services, and checks what its clients saw. Exit code 0: no
acknowledged write was lost or repeated, no queue ended, and deliveries resumed in time.

  --face FACE     cluster or embedded. [cluster]
  --seconds N     Length of the load. [300; embedded: until all kills are done]
  --kills N       Maximum number of kills. [as many as the time allows; embedded 20]
  --cuts N        Number of times that one actor host can't reach the store for 15 s. [1; one host, embedded: 0]
  --every N       Seconds from one kill to the next. [10; embedded 8]
${COMMON}
With --no-services no service is restarted. The embedded face ignores --hosts, --frontends and
--log-streams.
`;

export const ROLLING_USAGE = `npm run rolling -- [OPTIONS]

Replaces each actor host and each frontend in turn under load: the new process is ready before the old one gets SIGTERM.
Exit code 0: no request failed, and no write was lost or repeated.

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

/** Reads the command line. @returns undefined for --help @throws Error that names the wrong option */
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
