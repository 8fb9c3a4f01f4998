/** The server processes of a run. Their output is kept, also that of killed ones. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVER_SETTING_DECLARATIONS } from '#app/config';
import { runCommand } from '../clients/support/command-line.js';
import { type Child, conclave, freePort } from '../clients/support/process.js';

const START_TIMEOUT_MS = 60_000;
const COMMAND_TIMEOUT_MS = 60_000;

export type Role = 'actors' | 'http';

/** Ports of a frontend; 0 for an actor host. */
export interface Address {
  readonly port: number;
  /** Port of the readiness check. */
  readonly health: number;
}

export const freeAddress = async (): Promise<Address> => ({ port: await freePort(), health: await freePort() });

/** A member of the cluster. A restart gives it another process. */
export interface Member {
  readonly role: Role;
  readonly name: string;
  /** Address for clients, if the member is a frontend. */
  at: Address;
  child: Child;
}

/** Option that switches rate limits off, which the load of a run would exceed. */
const withoutLimits = (): string[] =>
  Object.values(SERVER_SETTING_DECLARATIONS).some(({ option }) => option === 'rate-limits')
    ? ['--rate-limits', 'off']
    : [];

export class Processes {
  readonly #all: { readonly name: string; readonly child: Child }[] = [];

  /** Starts a server. @returns its process, when it has written `ready` to its output */
  async serve(name: string, args: readonly string[], ready: string): Promise<Child> {
    const child = conclave(['serve', ...args, ...withoutLimits()]);
    this.#all.push({ name, child });
    await child.says(ready, START_TIMEOUT_MS);
    return child;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map(({ child }) => (child.over ? undefined : child.stop())));
  }

  /** Writes the output of each process to a file; the file names sort by the time of the start. */
  writeLogs(folder: string): void {
    mkdirSync(folder, { recursive: true });
    this.#all.forEach(({ name, child }, i) => {
      const file = `${String(i).padStart(3, '0')}-${name.replace(' ', '-')}-${child.pid}.log`;
      writeFileSync(join(folder, file), `${child.stdout}${child.stderr}`);
    });
  }
}

/** Runs a command of the command line to its end. @throws Error if it fails */
export async function administer(args: readonly string[]): Promise<void> {
  const ended = await runCommand(args, COMMAND_TIMEOUT_MS);
  if (ended.code !== 0) throw new Error(`conclave ${args[0]} ${args[1]}: ${ended.stderr}`);
}
