/** Actor hosts and frontends as real processes, each of which can be killed, started again and replaced. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { connect } from 'nats';
import { SETTINGS } from '../../src/config/index.js';
import { basic } from '../bench/faces.js';
import { readZuliprc } from '../clients/support/api.js';
import { remove, temporary } from '../clients/support/face.js';
import { bounded, type Child, conclave, freePort } from '../clients/support/process.js';

const SECRET = 'a secret for chaos only';
const READY_MS = 60_000;
const CREATE_MS = 60_000;

export type Role = 'actors' | 'http';

/** A place in the cluster; the process in it changes. */
export interface Member {
  readonly role: Role;
  readonly name: string;
  /** Of a frontend. */
  port: number;
  child: Child;
}

/** Limits would refuse what a run asks for on purpose. */
export const withoutLimits = (): string[] =>
  Object.values(SETTINGS).some(({ option }) => option === 'rate-limits') ? ['--rate-limits', 'off'] : [];

export class ChaosCluster {
  readonly members: Member[] = [];
  readonly #namespace = `chaos${randomBytes(6).toString('hex')}`;
  readonly #folder = temporary('chaos');
  readonly #children: { readonly name: string; readonly child: Child }[] = [];

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
    const ended = await bounded(conclave(['realm', 'create', ...who, ...this.#connection()]), CREATE_MS);
    if (ended.code !== 0) throw new Error(`realm create: ${ended.stderr}`);
    const { email, key } = readZuliprc(zuliprc);
    return basic(email, key);
  }

  /** A process for a member's place, once it is ready; the one that was there goes on. */
  async start(member: Member, port = member.port): Promise<Child> {
    const child = conclave([
      ...['serve', '--role', member.role, ...this.#connection(), ...withoutLimits()],
      ...(member.role === 'http' ? ['--port', String(port)] : []),
    ]);
    this.#children.push({ name: member.name, child });
    await child.says(member.role === 'http' ? 'Conclave serves' : 'Conclave actor host runs', READY_MS);
    return child;
  }

  /** Ends everything, and leaves nothing on the services. */
  async stop(): Promise<void> {
    await Promise.all(this.#children.map(({ child }) => (child.over ? undefined : child.stop())));
    await this.#wipe().catch((error: unknown) => process.stderr.write(`not cleaned up: ${error}\n`));
    remove(this.#folder);
  }

  /** What each process wrote, one file each, in the order of their starts. */
  writeLogs(folder: string): void {
    mkdirSync(folder, { recursive: true });
    this.#children.forEach(({ name, child }, i) => {
      const file = `${String(i).padStart(3, '0')}-${name.replace(' ', '-')}-${child.pid}.log`;
      writeFileSync(join(folder, file), `${child.stdout}${child.stderr}`);
    });
  }

  async #add(role: Role, name: string, port: number): Promise<void> {
    const member: Omit<Member, 'child'> = { role, name, port };
    this.members.push({ ...member, child: await this.start(member as Member) });
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
