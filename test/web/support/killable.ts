/**
 * A server that a test kills as `kill -9` does, and starts again on the same data and port. The first one makes an
 * organization; later ones are the program itself, which starts in a third of the CPU.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { basic, Client } from '../../api/support/client.js';
import { SECRET } from '../../api/support/faces.js';
import type { Person } from '../../api/support/organization.js';
import { Child, cleanEnvironment, MAIN } from '../../clients/support/process.js';

const SCRIPT = fileURLToPath(new URL('./served.js', import.meta.url));
/** Passwords of the first server are hashed cheaply. Only a program that hashes them so, too, accepts them. */
const CHEAP_PASSWORDS = new URL('../../support/cheap-passwords.js', import.meta.url).href;

interface Ready {
  readonly port: number;
  /** Port of the pages for operators. */
  readonly ops: number;
  readonly subdomain: string;
  readonly people: readonly Omit<Person, 'api'>[];
}

export class KillableServer {
  readonly #folder = mkdtempSync(join(tmpdir(), 'conclave-kill-'));
  #process: Child | undefined;
  #ready: Ready | undefined;

  static async start(t: Test): Promise<KillableServer> {
    const server = new KillableServer();
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

  /** One of the people of the organization, with credentials. */
  person(role: 'owner' | 'member' | 'other'): Person {
    const of = this.#known.people.find((one) => one.role === role)!;
    const target = { nextPort: () => this.#known.port };
    return { ...of, api: new Client(target, role, { authorization: basic(of.email, of.key) }) };
  }

  /** Event queues in the server's memory. */
  async queues(): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${this.#known.ops}/metrics`)).text();
    const values = [...text.matchAll(/^conclave_queues\{[^}]*\} (\d+)$/gm)].map(([, value]) => Number(value));
    return values.reduce((sum, value) => sum + value, 0);
  }

  async start(): Promise<void> {
    if (this.#ready) {
      const { port, ops } = this.#ready;
      const options = ['--data-dir', this.#folder, '--secret', SECRET, '--external-host', 'localhost'];
      const ports = ['--port', String(port), '--ops-port', String(ops)];
      return this.#run('Conclave serves', '--import', CHEAP_PASSWORDS, MAIN, 'serve', ...options, ...ports);
    }
    await this.#run('\n', SCRIPT, this.#folder);
    this.#ready = JSON.parse(this.#process!.stdout) as Ready;
  }

  async kill(): Promise<void> {
    if (this.#process && !this.#process.over) await this.#process.kill();
  }

  /** Starts Node with these words, and waits until it says that it is ready. */
  async #run(ready: string, ...words: readonly string[]): Promise<void> {
    this.#process = new Child(process.execPath, words, cleanEnvironment());
    await this.#process.says(ready);
  }

  get #known(): Ready {
    if (!this.#ready) throw new Error('the server has not started');
    return this.#ready;
  }
}
