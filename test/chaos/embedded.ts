/** The embedded face as a cluster of one. */
import { join } from 'node:path';
import { basic } from '../bench/faces.js';
import { readZuliprc } from '../clients/support/api.js';
import { remove, temporary } from '../clients/support/folders.js';
import { type Child, freePort } from '../clients/support/process.js';
import { type Member, Processes } from './processes.js';

export class ChaosEmbedded {
  readonly processes = new Processes();
  readonly members: Member[] = [];
  readonly #folder = temporary('chaos');

  static async start(): Promise<ChaosEmbedded> {
    const face = new ChaosEmbedded();
    const server = { role: 'http', name: 'server', port: await freePort() } as const;
    try {
      face.members.push({ ...server, child: await face.start(server) });
      return face;
    } catch (error) {
      await face.stop();
      throw error;
    }
  }

  get ports(): readonly number[] {
    return this.members.map(({ port }) => port);
  }

  /** Of the organization that the first start makes. */
  async owner(): Promise<string> {
    const { email, key } = readZuliprc(join(this.#folder, 'owner.zuliprc'));
    return basic(email, key);
  }

  start({ name, port }: Omit<Member, 'child'>): Promise<Child> {
    return this.processes.serve(name, ['--data-dir', this.#folder, '--port', String(port)], 'Conclave serves');
  }

  async stop(): Promise<void> {
    await this.processes.stop();
    remove(this.#folder);
  }
}
