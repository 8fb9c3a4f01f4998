/** The server under test, embedded or as a cluster of one frontend and one actor host, on data of its own. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { connect } from 'nats';
import { RECOMMENDED_NODE_FLAGS } from '#app/config';
import type { BenchOptions, FaceName } from './options.js';
import { CONCLAVE, finished, started, stop } from './processes.js';

/** Options of starting a server. */
export interface FaceOptions extends Pick<BenchOptions, 'nats' | 'mongodb'> {
  /** Folder for CPU profiles (profile-hook.ts). */
  readonly profile?: string | undefined;
  /** Actor hosts of a cluster. [1] */
  readonly hosts?: number;
  /** Of the servers. Warnings tell of mails that find no server. [error] */
  readonly logLevel?: string;
  /** More arguments of node for our servers, and environment. */
  readonly node?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Embedded: the data directory, which stays when the server ends. [a new one, removed] */
  readonly dataDir?: string;
}

export interface Face {
  readonly name: FaceName;
  readonly port: number;
  /** All processes of ours; not NATS or the database. */
  readonly pids: readonly number[];
  /** Role of each process: `embedded`, `worker1` …, `http`, `actors`, `actors2` … */
  readonly roles: readonly string[];
  /** Header of the owner. */
  readonly owner: string;
  /** Environment of a command that works on the server's data. */
  readonly commandEnvironment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** On, as in use, and never met. */
const LIMITS = { RATE_LIMIT_USER: '60:1000000000', RATE_LIMIT_ADDRESS: '60:1000000000' };

const SITE = /Conclave serves http:\/\/[^\s:]+:(\d+)/;

export const basic = (email: string, key: string): string =>
  `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`;

async function ownerOf(zuliprc: string): Promise<string> {
  const text = await readFile(zuliprc, 'utf8');
  return basic(/^email=(.*)$/m.exec(text)![1]!, /^key=(.*)$/m.exec(text)![1]!);
}

const PROFILE_HOOK = new URL('./profile-hook.js', import.meta.url).href;

const CHEAP_PASSWORDS = new URL('../support/cheap-passwords.js', import.meta.url).href;

const nodeArgs = ({ profile, node = [] }: FaceOptions): string[] => [
  ...RECOMMENDED_NODE_FLAGS,
  ...node,
  ...['--import', CHEAP_PASSWORDS],
  ...(profile === undefined ? [] : ['--import', PROFILE_HOOK]),
];

/** The processes that a process has started and that run. */
const listChildPids = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number);

/** Ours, whatever the face. */
const environment = ({ profile, logLevel, env }: FaceOptions): Record<string, string> => ({
  PORT: '0',
  LOG_LEVEL: logLevel ?? 'error',
  ...LIMITS,
  ...(profile === undefined ? {} : { PROFILE_DIR: profile }),
  ...env,
});

/** @returns undefined when the services that the face needs are missing */
export async function startFace(name: FaceName, options: FaceOptions): Promise<Face | undefined> {
  if (options.profile !== undefined) await mkdir(options.profile, { recursive: true });
  const dir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'conclave-bench-')));
  if (name === 'embedded') return embedded(dir, options);
  const { nats, mongodb } = options;
  if (!nats || !mongodb) {
    await rm(dir, { recursive: true });
    return undefined;
  }
  return cluster(dir, options, nats, mongodb);
}

async function embedded(dir: string, options: FaceOptions): Promise<Face> {
  // Services of the caller's environment would make it a cluster.
  const env = { DATA_DIR: dir, NATS_URL: '', MONGODB_URL: '', ...environment(options) };
  const { child, match } = await started([...nodeArgs(options), CONCLAVE, 'serve'], env, SITE);
  // The server prints its address when all workers have joined.
  const pids = [child.pid!, ...listChildPids(child.pid!)];
  return {
    name: 'embedded',
    port: Number(match[1]),
    pids,
    roles: pids.map((_, index) => (index === 0 ? 'embedded' : `worker${index}`)),
    owner: await ownerOf(join(dir, 'owner.zuliprc')),
    commandEnvironment: env,
    async stop() {
      await stop(child);
      if (options.dataDir === undefined) await rm(dir, { recursive: true, force: true });
    },
  };
}

async function cluster(dir: string, options: FaceOptions, nats: string, mongodb: string): Promise<Face> {
  const id = `bench${randomBytes(4).toString('hex')}`;
  const database = new URL(mongodb);
  database.pathname = `/${id}`;
  const env = {
    DATA_DIR: dir,
    NATS_URL: nats,
    MONGODB_URL: database.href,
    NAMESPACE: id,
    CONCLAVE_SECRET: randomBytes(16).toString('hex'),
    ...environment(options),
  };
  const stops: (() => Promise<void>)[] = [() => forget(id, nats, mongodb), () => rm(dir, { recursive: true })];
  const stopAll = async (): Promise<void> => {
    for (const one of stops) await one().catch((error: unknown) => process.stderr.write(`${error}\n`));
  };
  try {
    const serve = [CONCLAVE, 'serve', '--role'];
    const pids: number[] = [];
    const roles: string[] = [];
    for (let i = 0; i < (options.hosts ?? 1); i++) {
      const actors = await started([...nodeArgs(options), ...serve, 'actors'], env, /actor host runs/);
      stops.unshift(() => stop(actors.child));
      pids.push(actors.child.pid!);
      roles.push(i === 0 ? 'actors' : `actors${i + 1}`);
    }
    const http = await started([...nodeArgs(options), ...serve, 'http'], env, SITE);
    stops.unshift(() => stop(http.child));
    const zuliprc = join(dir, 'zuliprc');
    const owner = ['--name', 'Bench', '--email', 'owner@localhost', '--full-name', 'Owner', '--zuliprc', zuliprc];
    await finished([CONCLAVE, 'realm', 'create', ...owner], env);
    return {
      name: 'cluster',
      commandEnvironment: env,
      port: Number(http.match[1]),
      pids: [http.child.pid!, ...pids],
      roles: ['http', ...roles],
      owner: await ownerOf(zuliprc),
      stop: stopAll,
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

/** Removes the cluster's data from the shared services. */
async function forget(id: string, nats: string, mongodb: string): Promise<void> {
  const client = await MongoClient.connect(mongodb, { retryWrites: false });
  await client.db(id).dropDatabase();
  await client.close();
  const connection = await connect({ servers: nats });
  const manager = await connection.jetstreamManager();
  for await (const { config } of manager.streams.list()) {
    if (config.name.endsWith(`_${id}`)) await manager.streams.delete(config.name);
  }
  await connection.close();
}
