/** The processes of a run; what they wrote is kept, of killed ones, too. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVER_SETTING_DECLARATIONS } from '#app/config';
import { runCommand } from '../clients/support/command-line.js';
import { type Child, conclave, freePort } from '../clients/support/process.js';

const START_TIMEOUT_MS = 60_000;
const COMMAND_TIMEOUT_MS = 60_000;

export type Role = 'actors' | 'http';

/** Ports of a frontend; 0 where there is none. */
export interface Address {
  readonly port: number;
  /** Where it says whether it is ready. */
  readonly health: number;
}

export const freeAddress = async (): Promise<Address> => ({ port: await freePort(), health: await freePort() });

/** A place in the cluster; the process in it changes. */
export interface Member {
  readonly role: Role;
  readonly name: string;
  /** Of a frontend. */
  at: Address;
  child: Child;
}

/** Limits would refuse what a run asks for on purpose. */
const withoutLimits = (): string[] =>
  Object.values(SERVER_SETTING_DECLARATIONS).some(({ option }) => option === 'rate-limits')
    ? ['--rate-limits', 'off']
    : [];

export class Processes {
  readonly #all: { readonly name: string; readonly child: Child }[] = [];

  /** Once it says that it is ready. */
  async serve(name: string, args: readonly string[], ready: string): Promise<Child> {
    const child = conclave(['serve', ...args, ...withoutLimits()]);
    this.#all.push({ name, child });
    await child.says(ready, START_TIMEOUT_MS);
    return child;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map(({ child }) => (child.over ? undefined : child.stop())));
  }

  /** One file each, in the order of their starts. */
  writeLogs(folder: string): void {
    mkdirSync(folder, { recursive: true });
    this.#all.forEach(({ name, child }, i) => {
      const file = `${String(i).padStart(3, '0')}-${name.replace(' ', '-')}-${child.pid}.log`;
      writeFileSync(join(folder, file), `${child.stdout}${child.stderr}`);
    });
  }
}

/** Runs a command of the command line to its end. */
export async function administer(args: readonly string[]): Promise<void> {
  const ended = await runCommand(args, COMMAND_TIMEOUT_MS);
  if (ended.code !== 0) throw new Error(`conclave ${args[0]} ${args[1]}: ${ended.stderr}`);
}
