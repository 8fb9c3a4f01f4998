/** Single embedded server with the interface of a cluster. */
import { join } from 'node:path';
import { runCommand } from '../clients/support/command-line.js';
import { remove, temporary } from '../clients/support/folders.js';
import { type Child, WITH_WORKERS } from '../clients/support/process.js';
import { basic, readZuliprc } from '../support/credentials.js';
import { type Address, administer, freeAddress, type Member, Processes } from './processes.js';

export class ChaosEmbedded {
  readonly processes = new Processes();
  readonly members: Member[] = [];
  readonly #folder = temporary('chaos');

  /** @param exported folder of an exported organization to import; undefined: the server creates an organization */
  static async start(exported?: string): Promise<ChaosEmbedded> {
    const face = new ChaosEmbedded();
    if (exported !== undefined) await administer(['import', exported, '--subdomain=', '--data-dir', face.#folder]);
    const server = { role: 'http', name: 'server', address: await freeAddress() } as const;
    try {
      face.members.push({ ...server, child: await face.start(server) });
      return face;
    } catch (error) {
      await face.stop();
      throw error;
    }
  }

  get frontends(): readonly Address[] {
    return this.members.map(({ address }) => address);
  }

  /** @returns authorization header of the owner of the organization that the first start creates */
  async owner(): Promise<string> {
    const { email, key } = readZuliprc(join(this.#folder, 'owner.zuliprc'));
    return basic(email, key);
  }

  /** @returns API key of an account of the imported organization */
  async keyOf(email: string): Promise<string> {
    const { code, stdout, stderr } = await runCommand(['user', 'key', '--email', email, '--data-dir', this.#folder]);
    if (code !== 0) throw new Error(stderr);
    return stdout.trim();
  }

  start({ name, address }: Omit<Member, 'child'>): Promise<Child> {
    const listen = ['--port', String(address.port), '--ops-port', String(address.health)];
    return this.processes.serve(name, ['--data-dir', this.#folder, ...listen, ...WITH_WORKERS], 'Conclave serves');
  }

  async stop(): Promise<void> {
    await this.processes.stop();
    remove(this.#folder);
  }
}
