/** The server under test, embedded or as a cluster of frontends and actor hosts, on data of its own. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { connect } from 'nats';
import { RECOMMENDED_NODE_FLAGS } from '#app/config';
import { basic, readZuliprc } from '../support/credentials.js';
import type { BenchOptions, FaceName } from './options.js';
import { CONCLAVE, runToEnd, startAndWaitForOutput, stop } from './processes.js';

/** Options of starting a server. */
export interface FaceOptions extends Pick<BenchOptions, 'nats' | 'mongodb'> {
  /** Folder for CPU profiles (profile-hook.ts). */
  readonly profile?: string | undefined;
  /** Actor hosts of a cluster. [1] */
  readonly hosts?: number;
  /** Frontends of a cluster. [1] */
  readonly frontends?: number;
  /** Log level of the servers. [error] At `warn`, a server without a mail server logs each mail that it cannot send. */
  readonly logLevel?: string;
  /** Additional arguments of `node` for the servers. */
  readonly node?: readonly string[];
  /** Additional environment variables of the servers. */
  readonly env?: Readonly<Record<string, string>>;
  /** Data directory of an embedded server, which is kept after its end. [a new directory, removed at the end] */
  readonly dataDir?: string;
}

export interface Face {
  readonly name: FaceName;
  /** HTTP port of the first frontend. */
  readonly port: number;
  /** HTTP ports of all frontends. */
  readonly ports: readonly number[];
  /** Operator addresses, which serve the metrics: one for each process except workers. */
  readonly ops: readonly string[];
  /** Process ids of all Conclave processes, without NATS and the database. */
  readonly pids: readonly number[];
  /** Role of each process: `embedded`, `worker1` …, `http`, `http2` …, `actors`, `actors2` … */
  readonly roles: readonly string[];
  /** Authorization header of the owner. */
  readonly owner: string;
  /** Environment of a command that works on the server's data. */
  readonly commandEnvironment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Rate limits that are on, as in production, but too high to be reached. */
const UNREACHED_RATE_LIMITS = { RATE_LIMIT_USER: '60:1000000000', RATE_LIMIT_ADDRESS: '60:1000000000' };

const SITE_PATTERN = /Conclave serves http:\/\/[^\s:]+:(\d+)[\s\S]*^Health and metrics: (\S+)\n/m;
const ACTOR_HOST_PATTERN = /actor host runs\nHealth and metrics: (\S+)\n/;

function readOwnerAuthorization(zuliprc: string): string {
  const { email, key } = readZuliprc(zuliprc);
  return basic(email, key);
}

const PROFILE_HOOK = new URL('./profile-hook.js', import.meta.url).href;

const CHEAP_PASSWORDS = new URL('../support/cheap-passwords.js', import.meta.url).href;

const nodeArgs = ({ profile, node = [] }: FaceOptions): string[] => [
  ...RECOMMENDED_NODE_FLAGS,
  ...node,
  ...['--import', CHEAP_PASSWORDS],
  ...(profile === undefined ? [] : ['--import', PROFILE_HOOK]),
];

/** @returns the ids of the running child processes of a process */
const listChildPids = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number);

/** @returns the environment variables that servers of both faces get */
const makeEnvironment = ({ profile, logLevel, env }: FaceOptions): Record<string, string> => ({
  PORT: '0',
  LOG_LEVEL: logLevel ?? 'error',
  ...UNREACHED_RATE_LIMITS,
  ...(profile === undefined ? {} : { PROFILE_DIR: profile }),
  ...env,
});

/** @returns undefined when the services that the face needs are missing */
export async function startFace(name: FaceName, options: FaceOptions): Promise<Face | undefined> {
  if (options.profile !== undefined) await mkdir(options.profile, { recursive: true });
  const dir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'conclave-bench-')));
  if (name === 'embedded') return startEmbeddedFace(dir, options);
  const { nats, mongodb } = options;
  if (!nats || !mongodb) {
    await rm(dir, { recursive: true });
    return undefined;
  }
  return startClusterFace(dir, options, nats, mongodb);
}

async function startEmbeddedFace(dir: string, options: FaceOptions): Promise<Face> {
  // Service addresses in the caller's environment would start a cluster.
  const env = { DATA_DIR: dir, NATS_URL: '', MONGODB_URL: '', ...makeEnvironment(options) };
  const { child, match } = await startAndWaitForOutput([...nodeArgs(options), CONCLAVE, 'serve'], env, SITE_PATTERN);
  // The server prints its address when all workers have joined.
  const pids = [child.pid!, ...listChildPids(child.pid!)];
  return {
    name: 'embedded',
    port: Number(match[1]),
    ports: [Number(match[1])],
    ops: [match[2]!],
    pids,
    roles: pids.map((_, index) => (index === 0 ? 'embedded' : `worker${index}`)),
    owner: readOwnerAuthorization(join(dir, 'owner.zuliprc')),
    commandEnvironment: env,
    async stop() {
      await stop(child);
      if (options.dataDir === undefined) await rm(dir, { recursive: true, force: true });
    },
  };
}

async function startClusterFace(dir: string, options: FaceOptions, nats: string, mongodb: string): Promise<Face> {
  const id = `bench${randomBytes(4).toString('hex')}`;
  const database = new URL(mongodb);
  database.pathname = `/${id}`;
  const env = {
    DATA_DIR: dir,
    NATS_URL: nats,
    MONGODB_URL: database.href,
    NAMESPACE: id,
    CONCLAVE_SECRET: randomBytes(16).toString('hex'),
    ...makeEnvironment(options),
  };
  const stops: (() => Promise<void>)[] = [
    () => removeClusterData(id, nats, mongodb),
    () => rm(dir, { recursive: true }),
  ];
  const stopAll = async (): Promise<void> => {
    for (const one of stops) await one().catch((error: unknown) => process.stderr.write(`${error}\n`));
  };
  try {
    const start = async (role: 'actors' | 'http', pattern: RegExp) => {
      const { child, match } = await startAndWaitForOutput(
        [...nodeArgs(options), CONCLAVE, 'serve', '--role', role],
        env,
        pattern,
      );
      stops.unshift(() => stop(child));
      return { pid: child.pid!, match };
    };
    const startAll = async (role: 'actors' | 'http', count: number, pattern: RegExp) => {
      const processes = [];
      for (let i = 0; i < count; i++) processes.push(await start(role, pattern));
      return processes;
    };
    const hosts = await startAll('actors', options.hosts ?? 1, ACTOR_HOST_PATTERN);
    const frontends = await startAll('http', options.frontends ?? 1, SITE_PATTERN);
    const named = (role: string, { length }: readonly unknown[]): string[] =>
      Array.from({ length }, (_, i) => (i === 0 ? role : `${role}${i + 1}`));
    const ports = frontends.map(({ match }) => Number(match[1]));
    const zuliprc = join(dir, 'zuliprc');
    const owner = ['--name', 'Bench', '--email', 'owner@localhost', '--full-name', 'Owner', '--zuliprc', zuliprc];
    await runToEnd([CONCLAVE, 'realm', 'create', ...owner], env);
    return {
      name: 'cluster',
      commandEnvironment: env,
      port: ports[0]!,
      ports,
      ops: [...frontends.map(({ match }) => match[2]!), ...hosts.map(({ match }) => match[1]!)],
      pids: [...frontends, ...hosts].map(({ pid }) => pid),
      roles: [...named('http', frontends), ...named('actors', hosts)],
      owner: readOwnerAuthorization(zuliprc),
      stop: stopAll,
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

/** Removes the cluster's data from the shared services. */
async function removeClusterData(id: string, nats: string, mongodb: string): Promise<void> {
  const client = await MongoClient.connect(mongodb, { retryWrites: false });
  await client.db(id).dropDatabase();
  await client.close();
  const connection = await connect({ servers: nats });
  const manager = await connection.jetstreamManager();
  for await (const { config } of manager.streams.list()) {
    if (new RegExp(`_${id}(-[0-9]+)?$`).test(config.name)) await manager.streams.delete(config.name);
  }
  await connection.close();
}
