/** The two faces of the server, embedded and cluster, run as real processes with an owner and a second user. */

import { randomBytes } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { type ActorKey, partitionOfActor } from '#model';
import { makePlacementBucketOptions, NatsKeyValueStore } from '#ports/placement';
import { atEndOfProcess } from '../../runner/shared.js';
import { type Account, readZuliprc } from '../../support/credentials.js';
import { dropNamespace } from '../../support/drop-namespace.js';
import { freePort } from '../../support/free-port.js';
import { Api } from './api.js';
import { runCommand } from './command-line.js';
import { remove, temporary } from './folders.js';
import { type Child, conclave, type Ended } from './process.js';
import { HANG_TIMEOUT_MS, until } from './wait.js';

export const OTHER = 'other@example.com';
/** Password of the second user. */
export const PASSWORD = 'correct horse battery staple';
const MAX_PRINTED_LINES = 40;
const SECRET = 'a secret for tests only';
/** Interval between two looks at the table of owners: each reads the whole bucket, which takes 3 ms of CPU. */
export const PLACEMENT_LOOK_MS = 200;

/**
 * Runs a command of the command line to its end.
 * @returns its output
 * @throws Error on an exit code other than 0
 */
export async function command(args: readonly string[]): Promise<string> {
  const ended = await runCommand(args);
  if (ended.code !== 0) throw new Error(`conclave ${args.join(' ')}: ${ended.stderr}`);
  return ended.stdout.trim();
}

interface SecondUser {
  readonly owner: Api;
  readonly zuliprc: string;
  readonly site: string;
  /**
   * Connection options for creating the account by the command line, which sends no sign-up notice. Absent: an API
   * request creates it, which saves a start of the program.
   */
  readonly connection?: readonly string[] | undefined;
}

async function secondUser({ owner, zuliprc, site, connection }: SecondUser): Promise<Account> {
  await waitForAccount(owner);
  if (connection) {
    await command(['user', 'create', '--email', OTHER, '--full-name', 'Other', '--password', PASSWORD, ...connection]);
  } else {
    await owner.ok('POST', '/users', { email: OTHER, full_name: 'Other', password: PASSWORD });
  }
  const { api_key } = await owner.ok('POST', '/fetch_api_key', { username: OTHER, password: PASSWORD });
  writeFileSync(zuliprc, `[api]\nemail=${OTHER}\nkey=${api_key}\nsite=${site}\n`, { mode: 0o600 });
  return readZuliprc(zuliprc);
}

/** Waits until the frontend accepts the account: the directory reaches a frontend shortly after the creation. */
const waitForAccount = (api: Api): Promise<number> =>
  until('the frontend knows the account', async () => (await api.call('GET', '/users/me')).status === 200);

/** Prints the last output of the servers if the test failed. */
function printOutputOnFailure(ended: readonly Ended[]): void {
  if (t.passing()) return;
  for (const { stderr } of ended) t.comment(stderr.trim().split('\n').slice(-MAX_PRINTED_LINES).join('\n'));
}

const OWNER_FILE = 'owner.zuliprc';
const OTHER_FILE = 'other.zuliprc';

let template: Promise<string> | undefined;

/** Creates a data directory with both users, by a first start of the server. Servers start on copies of it. */
async function makeTemplate(): Promise<string> {
  const dataDir = temporary('embedded');
  atEndOfProcess(t, () => remove(dataDir));
  const server = conclave(['serve', '--data-dir', dataDir, '--port', '0']);
  await server.says('Conclave serves');
  const site = /Conclave serves (\S+)/.exec(server.stdout)![1]!;
  await secondUser({
    ...{ owner: new Api(site, readZuliprc(join(dataDir, OWNER_FILE))), zuliprc: join(dataDir, OTHER_FILE), site },
    connection: ['--data-dir', dataDir],
  });
  await server.stop();
  return dataDir;
}

/** Embedded server with its data directory: one process, and its workers if the options ask for some. */
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
    this.zuliprcs = [join(dataDir, OWNER_FILE), join(dataDir, OTHER_FILE)];
  }

  /** Starts on a copy of the template: both users exist, and the second one's sign-up left no notice. */
  static async start(options: readonly string[] = []): Promise<Embedded> {
    template ??= makeTemplate();
    const face = new Embedded(temporary('embedded'), await freePort(), options);
    cpSync(await template, face.dataDir, { recursive: true });
    for (const file of face.zuliprcs) {
      writeFileSync(file, readFileSync(file, 'utf8').replace(/^site=.*$/m, `site=${face.site}`));
    }
    await face.up();
    face.owner = readZuliprc(face.zuliprcs[0]);
    face.other = readZuliprc(face.zuliprcs[1]);
    return face;
  }

  /** Starts on an empty data directory: the first start creates the organization. */
  static async startEmpty(options: readonly string[] = []): Promise<Embedded> {
    const face = new Embedded(temporary('embedded'), await freePort(), options);
    await face.up();
    face.owner = readZuliprc(face.zuliprcs[0]);
    face.other = await secondUser({
      ...{ owner: face.api(), zuliprc: face.zuliprcs[1], site: face.site },
      connection: undefined,
    });
    return face;
  }

  /** Starts on an existing data directory with these accounts. */
  static async startOn(dataDir: string, owner: Account, other: Account): Promise<Embedded> {
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
    printOutputOnFailure([ended]);
    remove(this.dataDir);
    return ended;
  }
}

export interface ClusterOptions {
  readonly nats: string;
  readonly mongodb: string;
  readonly options?: readonly string[];
  /** Creates the second user without a sign-up notice. */
  readonly withoutSignupNotice?: boolean;
}

interface PlacementKeys {
  readonly table: { readonly hosts: readonly string[]; readonly owners: readonly number[] };
  readonly host: (id: string) => { readonly pid: number; readonly serving: number };
}

async function readPlacementKeys(kv: NatsKeyValueStore): Promise<PlacementKeys> {
  const all = await kv.readAll();
  const host = (id: string) => {
    const { name, serving } = JSON.parse(all.get(`host.${id}`)?.value ?? '{}') as { name?: string; serving?: number };
    return { pid: Number(name?.split('/').pop()), serving: serving ?? 0 };
  };
  return { table: JSON.parse(all.get('table')?.value ?? '{"hosts":[],"owners":[]}') as PlacementKeys['table'], host };
}

async function isServedBy(kv: NatsKeyValueStore, by: readonly Child[]): Promise<boolean> {
  const { table, host } = await readPlacementKeys(kv);
  const hosts = table.hosts.map(host);
  const serving = hosts.reduce((sum, one) => sum + one.serving, 0);
  return (
    table.owners.every((i) => i >= 0) &&
    serving === table.owners.length &&
    hosts.every(({ pid }) => by.some((child) => child.pid === pid))
  );
}

/** Cluster of frontends and actor hosts, in a namespace that is deleted at the end. */
export class Cluster {
  readonly namespace = `t${randomBytes(6).toString('hex')}`;
  readonly folder = temporary('cluster');
  readonly zuliprcs: readonly [string, string];
  readonly frontends: { child: Child; port: number }[] = [];
  readonly hosts: Child[] = [];
  owner!: Account;
  other!: Account;
  /** Connection to the bucket with the table of owners, opened at the first look. */
  #placement: Promise<NatsKeyValueStore> | undefined;

  private constructor(private readonly of: ClusterOptions) {
    this.zuliprcs = [join(this.folder, 'owner.zuliprc'), join(this.folder, 'other.zuliprc')];
  }

  /**
   * Starts a cluster. Every process costs about a second of CPU, so ask only for those that the test needs.
   * @param adapters HTTP adapter of each frontend; one more frontend with `auto` is added
   */
  static async start(of: ClusterOptions, hosts = 2, adapters: readonly string[] = ['auto']): Promise<Cluster> {
    const cluster = new Cluster(of);
    try {
      await Promise.all(Array.from({ length: hosts }, () => cluster.addHost()));
      const ports = await Promise.all([...adapters, 'auto'].map(freePort));
      await Promise.all(
        [...adapters, 'auto'].map((adapter, i) => cluster.addFrontend(ports[i], ['--http-adapter', adapter])),
      );
      const [a, b] = [cluster.site(0), cluster.site(adapters.length)];
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
      cluster.other = await secondUser({
        ...{ owner: cluster.api(adapters.length), zuliprc: cluster.zuliprcs[1], site: b },
        connection: of.withoutSignupNotice ? cluster.#connection() : undefined,
      });
      await Promise.all([waitForAccount(cluster.api(0)), waitForAccount(cluster.api(0, cluster.other))]);
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  site(frontend: number): string {
    return `http://127.0.0.1:${this.frontends[frontend]!.port}`;
  }

  /** Client for an account, the owner by default, that calls this frontend. */
  api(frontend: number, account: Account = this.owner): Api {
    return new Api(this.site(frontend), account);
  }

  async addHost(): Promise<Child> {
    const host = conclave(['serve', '--role', 'actors', ...this.#connection()]);
    this.hosts.push(host);
    await host.says('Conclave actor host runs');
    return host;
  }

  /** @param options options for this frontend only */
  async addFrontend(port?: number, options: readonly string[] = []): Promise<Child> {
    const at = port ?? (await freePort());
    const child = conclave(['serve', '--role', 'http', '--port', String(at), ...this.#connection(), ...options]);
    this.frontends.push({ child, port: at });
    await child.says('Conclave serves');
    return child;
  }

  /** Actor host that owns the most partitions. */
  async busiestHost(): Promise<Child> {
    const counts = new Map<number, number>();
    for (const pid of await this.owners()) counts.set(pid, (counts.get(pid) ?? 0) + 1);
    const [most] = [...counts].sort((a, b) => b[1] - a[1]);
    return this.#host(most?.[0]);
  }

  /** Actor host that owns the actor. */
  async hostOf(key: ActorKey): Promise<Child> {
    return this.#host((await this.owners())[partitionOfActor(key)]);
  }

  /** Runs a command for this cluster, whether it succeeds or fails. Its own options override the cluster's. */
  attempt(...words: string[]): Promise<Ended> {
    return runCommand([...this.#connection(), ...words]);
  }

  /** Runs a command for this cluster as a separate process. */
  process(...words: string[]): Child {
    return conclave([...this.#connection(), ...words]);
  }

  /**
   * Waits until every partition has an owner among these processes that serves it.
   * @returns milliseconds that passed
   */
  async owned(by: readonly Child[], withinMs = HANG_TIMEOUT_MS): Promise<number> {
    const kv = await this.#openPlacement();
    return until(
      'every partition is served by its owner',
      () => isServedBy(kv, by).catch(() => false),
      withinMs,
      PLACEMENT_LOOK_MS,
    );
  }

  /** Process id of the owner of each partition; 0 without an owner. */
  async owners(): Promise<number[]> {
    const { table, host } = await readPlacementKeys(await this.#openPlacement());
    return table.owners.map((i) => (i < 0 ? 0 : host(table.hosts[i]!).pid));
  }

  #openPlacement(): Promise<NatsKeyValueStore> {
    this.#placement ??= NatsKeyValueStore.connect(this.of.nats, makePlacementBucketOptions(this.namespace));
    return this.#placement;
  }

  /** Stops every process and keeps the stored data. */
  async down(): Promise<void> {
    printOutputOnFailure(await Promise.all(this.children.map((child) => child.stop())));
    this.hosts.length = 0;
    this.frontends.length = 0;
  }

  /**
   * Runs a command for this cluster.
   * @returns its output
   * @throws Error on an exit code other than 0
   */
  command(...words: readonly string[]): Promise<string> {
    return command([...words, ...this.#connection()]);
  }

  #host(pid: number | undefined): Child {
    const host = this.hosts.find((one) => one.pid === pid);
    if (!host) throw new Error(`the table names process ${pid}, which is not a host of this cluster`);
    return host;
  }

  /** URL of the cluster's database. */
  get mongodb(): string {
    return `${this.of.mongodb.replace(/\/*$/, '')}/${this.#database}`;
  }

  get children(): readonly Child[] {
    return [...this.frontends.map(({ child }) => child), ...this.hosts];
  }

  async stop(): Promise<readonly Ended[]> {
    const ended = await Promise.all(this.children.map((child) => child.stop()));
    printOutputOnFailure(ended);
    await (await this.#placement)?.close();
    await this.#wipe().catch((error: unknown) => t.comment(`not cleaned up: ${error}`));
    remove(this.folder);
    return ended;
  }

  #connection(): string[] {
    const { nats, options = [] } = this.of;
    return [
      ...['--nats', nats, '--mongodb', this.mongodb, '--namespace', this.namespace],
      // NATS reserves the full size of each event log, and many namespaces share its disk.
      ...['--secret', SECRET, '--data-dir', this.folder, '--event-log-mib', '64', ...options],
    ];
  }

  get #database(): string {
    return `conclave_${this.namespace}`;
  }

  #wipe(): Promise<void> {
    return dropNamespace(this.of, this.namespace, this.#database);
  }
}
