/** A server that a test kills as `kill -9` does, and starts again on the same data and port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { basic, Client } from '../../api/support/client.js';
import type { Person } from '../../api/support/organization.js';

const SCRIPT = fileURLToPath(new URL('./served.js', import.meta.url));

interface Ready {
  readonly port: number;
  /** Port of the pages for operators. */
  readonly ops: number;
  readonly subdomain: string;
  readonly people: readonly Omit<Person, 'api'>[];
}

export class KillableServer {
  readonly #folder = mkdtempSync(join(tmpdir(), 'conclave-kill-'));
  #process: ChildProcess | undefined;
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
    const child = spawn(process.execPath, [SCRIPT, this.#folder, String(this.#ready?.port ?? 0)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#process = child;
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    this.#ready = JSON.parse(line) as Ready;
  }

  async kill(): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  get #known(): Ready {
    if (!this.#ready) throw new Error('the server has not started');
    return this.#ready;
  }
}
