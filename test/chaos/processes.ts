/** Server processes of a run. The output of every process is kept, including that of killed ones. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVER_SETTING_DECLARATIONS } from '#app/config';
import { runCommand } from '../clients/support/command-line.js';
import { type Child, conclave } from '../clients/support/process.js';
import { freePort } from '../support/free-port.js';

const READY_TIMEOUT_MS = 60_000;
const COMMAND_TIMEOUT_MS = 60_000;

export type Role = 'actors' | 'http';

/** Ports of a process that serves HTTP; both are 0 for an actor host, which serves none. */
export interface Address {
  readonly port: number;
  /** Port of `/health/ready`. */
  readonly health: number;
}

export const freeAddress = async (): Promise<Address> => ({ port: await freePort(), health: await freePort() });

/** Named slot of the cluster, held by one process after another. */
export interface Member {
  readonly role: Role;
  readonly name: string;
  address: Address;
  child: Child;
}

/** Options that turn rate limits off, if the server has such limits: the load exceeds them. */
const withoutLimits = (): string[] =>
  Object.values(SERVER_SETTING_DECLARATIONS).some(({ option }) => option === 'rate-limits')
    ? ['--rate-limits', 'off']
    : [];

export class Processes {
  readonly #all: { readonly name: string; readonly child: Child }[] = [];

  /** Starts a server. Resolves when its output contains `ready`. */
  async serve(name: string, args: readonly string[], ready: string): Promise<Child> {
    const child = conclave(['serve', ...args, ...withoutLimits()]);
    this.#all.push({ name, child });
    await child.says(ready, READY_TIMEOUT_MS);
    return child;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map(({ child }) => (child.over ? undefined : child.stop())));
  }

  /** Writes the output of each process to a file of its own, numbered in the order of the starts. */
  writeLogs(folder: string): void {
    mkdirSync(folder, { recursive: true });
    this.#all.forEach(({ name, child }, i) => {
      const file = `${String(i).padStart(3, '0')}-${name.replace(' ', '-')}-${child.pid}.log`;
      writeFileSync(join(folder, file), `${child.stdout}${child.stderr}`);
    });
  }
}

/** Runs a `conclave` command to its exit. @throws Error when the exit code is not 0 */
export async function administer(args: readonly string[]): Promise<void> {
  const ended = await runCommand(args, COMMAND_TIMEOUT_MS);
  if (ended.code !== 0) throw new Error(`conclave ${args[0]} ${args[1]}: ${ended.stderr}`);
}
