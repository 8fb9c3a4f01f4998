/** The two faces of the server, each as real processes with an owner and a second user. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { connect } from 'nats';
import t from 'tap';
import { type Account, Api, readZuliprc } from './api.js';
import { bounded, type Child, conclave, type Ended, freePort } from './process.js';

export const OTHER = 'other@example.com';
/** Of the second user. */
export const PASSWORD = 'correct horse battery staple';
const LINES = 40;
const SECRET = 'a secret for tests only';

export const temporary = (name: string): string => mkdtempSync(join(tmpdir(), `conclave-${name}-`));
export const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true });

/** Runs a command of the command line to its end. */
export async function command(args: readonly string[]): Promise<string> {
  const ended = await bounded(conclave(args), 30_000);
  if (ended.code !== 0) throw new Error(`conclave ${args.join(' ')}: ${ended.stderr}`);
  return ended.stdout.trim();
}

async function secondUser(options: readonly string[], zuliprc: string, site: string): Promise<Account> {
  const who = ['--email', OTHER];
  await command(['user', 'create', ...who, '--full-name', 'Other', '--password', PASSWORD, ...options]);
  await command(['user', 'key', ...who, '--zuliprc', zuliprc, '--site', site, ...options]);
  return readZuliprc(zuliprc);
}

/** What servers of a failed test had to say. */
function explain(ended: readonly Ended[]): void {
  if (t.passing()) return;
  for (const { stderr } of ended) t.comment(stderr.trim().split('\n').slice(-LINES).join('\n'));
}

/** One process, one folder. */
export class Embedded {
  readonly zuliprcs: readonly [string, string];
  owner!: Account;
  other!: Account;
  server!: Child;

  private constructor(
    readonly dataDir: string,
    readonly port: number,
    private readonly options: readonly string[],
  ) {
    this.zuliprcs = [join(dataDir, 'owner.zuliprc'), join(dataDir, 'other.zuliprc')];
  }

  static async start(options: readonly string[] = []): Promise<Embedded> {
    const face = new Embedded(temporary('embedded'), await freePort(), options);
    await face.up();
    face.owner = readZuliprc(face.zuliprcs[0]);
    face.other = await secondUser(['--data-dir', face.dataDir], face.zuliprcs[1], face.site);
    return face;
  }

  /** On a data directory that is there, with the accounts in it. */
  static async on(dataDir: string, owner: Account, other: Account): Promise<Embedded> {
    const face = new Embedded(dataDir, await freePort(), []);
    Object.assign(face, { owner, other });
    await face.up();
    return face;
  }

  get site(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async up(): Promise<void> {
    this.server = conclave(['serve', '--data-dir', this.dataDir, '--port', String(this.port), ...this.options]);
    await this.server.says('Conclave serves');
  }

  api(account: Account = this.owner): Api {
    return new Api(this.site, account);
  }

  async stop(): Promise<Ended> {
    const ended = await this.server.stop();
    explain([ended]);
    remove(this.dataDir);
    return ended;
  }
}

export interface ClusterOptions {
  readonly nats: string;
  readonly mongodb: string;
  readonly options?: readonly string[];
}

/** Two frontends, two actor hosts, one of which stands by. */
export class Cluster {
  readonly namespace = `t${randomBytes(6).toString('hex')}`;
  readonly folder = temporary('cluster');
  readonly zuliprcs: readonly [string, string];
  readonly frontends: { child: Child; port: number }[] = [];
  readonly hosts: Child[] = [];
  owner!: Account;
  other!: Account;

  private constructor(private readonly of: ClusterOptions) {
    this.zuliprcs = [join(this.folder, 'owner.zuliprc'), join(this.folder, 'other.zuliprc')];
  }

  static async start(of: ClusterOptions): Promise<Cluster> {
    const cluster = new Cluster(of);
    try {
      // The first takes everything, the second stands by.
      await cluster.addHost();
      await cluster.addHost();
      await Promise.all([cluster.addFrontend(), cluster.addFrontend()]);
      const [a, b] = [cluster.site(0), cluster.site(1)];
      const who = ['--name', 'Test', '--email', 'owner@example.com', '--full-name', 'Owner'];
      await command([
        'realm',
        'create',
        ...who,
        '--zuliprc',
        cluster.zuliprcs[0],
        '--site',
        a,
        ...cluster.#connection(),
      ]);
      cluster.owner = readZuliprc(cluster.zuliprcs[0]);
      cluster.other = await secondUser(cluster.#connection(), cluster.zuliprcs[1], b);
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  site(frontend: number): string {
    return `http://127.0.0.1:${this.frontends[frontend]!.port}`;
  }

  /** Of the owner, by way of a frontend. */
  api(frontend: number, account: Account = this.owner): Api {
    return new Api(this.site(frontend), account);
  }

  async addHost(): Promise<Child> {
    const host = conclave(['serve', '--role', 'actors', ...this.#connection()]);
    this.hosts.push(host);
    await host.says('Conclave actor host runs');
    return host;
  }

  async addFrontend(port?: number): Promise<Child> {
    const at = port ?? (await freePort());
    const child = conclave(['serve', '--role', 'http', '--port', String(at), ...this.#connection()]);
    this.frontends.push({ child, port: at });
    await child.says('Conclave serves');
    return child;
  }

  /** The actor host that holds the lease. */
  async leader(): Promise<Child> {
    const connection = await connect({ servers: this.of.nats });
    try {
      const kv = await connection.jetstream().views.kv(`CONCLAVE_PLACEMENT_${this.namespace}`);
      const pid = Number((await kv.get('owner'))?.json<{ host: string }>().host.split('/').pop());
      const leader = this.hosts.find((host) => host.pid === pid);
      if (!leader) throw new Error(`the lease names process ${pid}, which is none of ours`);
      return leader;
    } finally {
      await connection.close();
    }
  }

  /** URL of its database. */
  get mongodb(): string {
    return `${this.of.mongodb.replace(/\/*$/, '')}/${this.#database}`;
  }

  get children(): readonly Child[] {
    return [...this.frontends.map(({ child }) => child), ...this.hosts];
  }

  async stop(): Promise<readonly Ended[]> {
    const ended = await Promise.all(this.children.map((child) => child.stop()));
    explain(ended);
    await this.#wipe().catch((error: unknown) => t.comment(`not cleaned up: ${error}`));
    remove(this.folder);
    return ended;
  }

  #connection(): string[] {
    const { nats, options = [] } = this.of;
    return [
      ...['--nats', nats, '--mongodb', this.mongodb, '--namespace', this.namespace],
      ...['--secret', SECRET, '--data-dir', this.folder, ...options],
    ];
  }

  get #database(): string {
    return `conclave_${this.namespace}`;
  }

  async #wipe(): Promise<void> {
    const mongo = new MongoClient(this.of.mongodb, { serverSelectionTimeoutMS: 3_000 });
    await mongo.db(this.#database).dropDatabase();
    await mongo.close();
    const connection = await connect({ servers: this.of.nats, timeout: 3_000, reconnect: false });
    const manager = await connection.jetstreamManager();
    for (const name of [`CONCLAVE_EV_${this.namespace}`, `KV_CONCLAVE_PLACEMENT_${this.namespace}`]) {
      await manager.streams.delete(name).catch(() => undefined);
    }
    await connection.close();
  }
}
