/** Actor hosts and frontends as real processes, each of which can be killed, started again and replaced. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { connect } from 'nats';
import { basic } from '../bench/faces.js';
import { readZuliprc } from '../clients/support/api.js';
import { remove, temporary } from '../clients/support/folders.js';
import { type Child, freePort } from '../clients/support/process.js';
import { administer, type Member, Processes, type Role } from './processes.js';

const SECRET = 'a secret for chaos only';

export class ChaosCluster {
  readonly members: Member[] = [];
  readonly processes = new Processes();
  readonly #namespace = `chaos${randomBytes(6).toString('hex')}`;
  readonly #folder = temporary('chaos');

  private constructor(
    private readonly nats: string,
    private readonly mongodb: string,
  ) {}

  static async start(
    services: { readonly nats: string; readonly mongodb: string },
    hosts: number,
    frontends: number,
  ): Promise<ChaosCluster> {
    const cluster = new ChaosCluster(services.nats, services.mongodb);
    try {
      for (let i = 0; i < hosts; i++) await cluster.#add('actors', `host ${i}`, 0);
      for (let i = 0; i < frontends; i++) await cluster.#add('http', `frontend ${i}`, await freePort());
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  get ports(): readonly number[] {
    return this.members.filter(({ role }) => role === 'http').map(({ port }) => port);
  }

  /** An organization. @returns header of its owner */
  async owner(): Promise<string> {
    const zuliprc = join(this.#folder, 'owner.zuliprc');
    const who = ['--name', 'Chaos', '--email', 'owner@example.com', '--full-name', 'Owner', '--zuliprc', zuliprc];
    await administer(['realm', 'create', ...who, ...this.#connection()]);
    const { email, key } = readZuliprc(zuliprc);
    return basic(email, key);
  }

  /** A process for a member's place, once it is ready; the one that was there goes on. */
  start({ role, name, port }: Omit<Member, 'child'>): Promise<Child> {
    const args = ['--role', role, ...this.#connection(), ...(role === 'http' ? ['--port', String(port)] : [])];
    return this.processes.serve(name, args, role === 'http' ? 'Conclave serves' : 'Conclave actor host runs');
  }

  /** Ends everything, and leaves nothing on the services. */
  async stop(): Promise<void> {
    await this.processes.stop();
    await this.#wipe().catch((error: unknown) => process.stderr.write(`not cleaned up: ${error}\n`));
    remove(this.#folder);
  }

  async #add(role: Role, name: string, port: number): Promise<void> {
    const member = { role, name, port };
    this.members.push({ ...member, child: await this.start(member) });
  }

  #connection(): string[] {
    return [
      ...['--nats', this.nats, '--mongodb', `${this.mongodb.replace(/\/*$/, '')}/${this.#database}`],
      ...['--namespace', this.#namespace, '--secret', SECRET, '--data-dir', this.#folder],
    ];
  }

  get #database(): string {
    return `conclave_${this.#namespace}`;
  }

  async #wipe(): Promise<void> {
    const mongo = new MongoClient(this.mongodb, { serverSelectionTimeoutMS: 3_000 });
    await mongo.db(this.#database).dropDatabase();
    await mongo.close();
    const connection = await connect({ servers: this.nats, timeout: 3_000, reconnect: false });
    const manager = await connection.jetstreamManager();
    for await (const { config } of manager.streams.list()) {
      if (config.name.endsWith(`_${this.#namespace}`)) await manager.streams.delete(config.name);
    }
    await connection.close();
  }
}
