/** Servers that a test kills as `kill -9` does, and starts again on the same port with the same data. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { basic, Client } from '../../api/support/client.js';
import { SECRET, startCluster, type TestServer } from '../../api/support/faces.js';
import { makeOrganization, type Organization, type Person } from '../../api/support/organization.js';
import { Child, cleanEnvironment, MAIN } from '../../clients/support/process.js';
import { freePort } from '../../support/free-port.js';
import { servicesOf } from './face.js';

const SCRIPT = fileURLToPath(new URL('./served.js', import.meta.url));
/** Passwords of the first server are hashed cheaply. Only a program that hashes them so, too, accepts them. */
const CHEAP_PASSWORDS = new URL('../../support/cheap-passwords.js', import.meta.url).href;

type Role = 'owner' | 'member' | 'other';

export interface KillableServer {
  /** Host name and port of the server's organization, which has three accounts. */
  readonly host: string;
  /** One of the people of the organization, with credentials. */
  person(role: Role): Person;
  /** Event queues in the memory of all nodes. */
  queues(): Promise<number>;
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** Starts the server of a journey that kills it: the only process of the embedded face, or a frontend of a cluster. */
export async function startKillable(t: Test, journey: string): Promise<KillableServer> {
  const known = servicesOf(journey);
  return known ? KillableFrontend.join(t, await startCluster(known)) : KillableEmbedded.start(t);
}

async function countQueues(ops: readonly string[]): Promise<number> {
  const texts = await Promise.all(ops.map(async (url) => (await fetch(new URL('/metrics', url))).text()));
  const values = texts.flatMap((text) => [...text.matchAll(/^conclave_queues\{[^}]*\} (\d+)$/gm)]);
  return values.reduce((sum, [, value]) => sum + Number(value), 0);
}

/** Person whose requests go to one port. */
function personAt(port: number, of: Omit<Person, 'api'>): Person {
  const target = { nextPort: () => port };
  return { ...of, api: new Client(target, of.role, { authorization: basic(of.email, of.key) }) };
}

/** Starts the program with a fixed port. @returns its process, once it serves */
async function serve(port: number, options: readonly string[]): Promise<Child> {
  const common = ['--secret', SECRET, '--external-host', 'localhost', '--port', String(port)];
  const words = ['--import', CHEAP_PASSWORDS, MAIN, 'serve', ...common, ...options];
  const child = new Child(process.execPath, words, cleanEnvironment());
  await child.says('Conclave serves');
  return child;
}

interface Ready {
  readonly port: number;
  /** Port of the pages for operators. */
  readonly ops: number;
  readonly subdomain: string;
  readonly people: readonly Omit<Person, 'api'>[];
}

async function killIfRunning(process: Child | undefined): Promise<void> {
  if (process && !process.over) await process.kill();
}

/** The first process makes an organization. Later ones are the program itself, which starts in a third of the CPU. */
class KillableEmbedded implements KillableServer {
  readonly #folder = mkdtempSync(join(tmpdir(), 'conclave-kill-'));
  #process: Child | undefined;
  #ready: Ready | undefined;

  static async start(t: Test): Promise<KillableEmbedded> {
    const server = new KillableEmbedded();
    t.teardown(async () => {
      await server.kill();
      rmSync(server.#folder, { recursive: true, force: true });
    });
    await server.start();
    return server;
  }

  get host(): string {
    return `${this.#known.subdomain}.localhost:${this.#known.port}`;
  }

  person(role: Role): Person {
    return personAt(this.#known.port, this.#known.people.find((one) => one.role === role)!);
  }

  queues(): Promise<number> {
    return countQueues([`http://127.0.0.1:${this.#known.ops}`]);
  }

  async start(): Promise<void> {
    if (this.#ready) {
      const { port, ops } = this.#ready;
      this.#process = await serve(port, ['--data-dir', this.#folder, '--ops-port', String(ops)]);
      return;
    }
    this.#process = new Child(process.execPath, [SCRIPT, this.#folder], cleanEnvironment());
    await this.#process.says('\n');
    this.#ready = JSON.parse(this.#process.stdout) as Ready;
  }

  kill(): Promise<void> {
    return killIfRunning(this.#process);
  }

  get #known(): Ready {
    if (!this.#ready) throw new Error('the server has not started');
    return this.#ready;
  }
}

/** A third frontend, which is a process of its own. The other nodes run in the process of the test and go on. */
class KillableFrontend implements KillableServer {
  #process: Child | undefined;

  private constructor(
    private readonly cluster: TestServer,
    private readonly org: Organization,
    private readonly port: number,
    private readonly folder: string,
  ) {}

  static async join(t: Test, cluster: TestServer): Promise<KillableFrontend> {
    const folder = mkdtempSync(join(tmpdir(), 'conclave-kill-'));
    let server: KillableFrontend | undefined;
    t.teardown(async () => {
      await server?.kill();
      await cluster.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const org = await makeOrganization(cluster, ['member', 'other']);
    server = new KillableFrontend(cluster, org, await freePort(), folder);
    await server.start();
    return server;
  }

  get host(): string {
    return `${this.org.subdomain}.localhost:${this.port}`;
  }

  person(role: Role): Person {
    return personAt(this.port, this.org.people.find((one) => one.role === role)!);
  }

  queues(): Promise<number> {
    return countQueues(this.cluster.opsUrls);
  }

  async start(): Promise<void> {
    const options = ['--role', 'http', '--data-dir', this.folder, '--ops-port', '0'];
    this.#process = await serve(this.port, [...options, ...this.cluster.joinOptions]);
  }

  kill(): Promise<void> {
    return killIfRunning(this.#process);
  }
}
