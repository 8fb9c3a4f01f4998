/** A cluster of actor hosts and frontends in real processes, which a run kills, restarts and replaces. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { connect } from 'nats';
import { basic } from '../bench/faces.js';
import { readZuliprc } from '../clients/support/api.js';
import { remove, temporary } from '../clients/support/folders.js';
import type { Child } from '../clients/support/process.js';
import { TcpProxy } from '../clients/support/proxy.js';
import type { ChaosOptions } from './options.js';
import { type Address, administer, freeAddress, type Member, Processes, type Role } from './processes.js';

const SECRET = 'a secret for chaos only';
const NO_ADDRESS: Address = { port: 0, health: 0 };
/** Time from a frontend's "not ready" to its refusal of connections, s. Clients check readiness every 200 ms. */
const LEAVE_SECONDS = '2';

export class ChaosCluster {
  readonly members: Member[] = [];
  readonly processes = new Processes();
  readonly #namespace = `chaos${randomBytes(6).toString('hex')}`;
  readonly #folder = temporary('chaos');
  /** Proxy through which an actor host reaches the store, by the host's name; none if no host is cut off. */
  readonly #ways = new Map<string, TcpProxy>();

  private constructor(
    private readonly nats: string,
    private readonly mongodb: string,
    private readonly logStreams: number | undefined,
  ) {}

  static async start(
    services: { readonly nats: string; readonly mongodb: string },
    { hosts, frontends, cuts, logStreams }: Pick<ChaosOptions, 'hosts' | 'frontends' | 'cuts' | 'logStreams'>,
  ): Promise<ChaosCluster> {
    const cluster = new ChaosCluster(services.nats, services.mongodb, logStreams);
    try {
      for (let i = 0; i < hosts; i++) {
        if (cuts > 0) cluster.#ways.set(`host ${i}`, await TcpProxy.start(services.mongodb));
        await cluster.#add('actors', `host ${i}`, NO_ADDRESS);
      }
      for (let i = 0; i < frontends; i++) await cluster.#add('http', `frontend ${i}`, await freeAddress());
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  get frontends(): readonly Address[] {
    return this.members.filter(({ role }) => role === 'http').map(({ at }) => at);
  }

  /** Names of the hosts that can be cut off from the store. */
  get hosts(): readonly string[] {
    return [...this.#ways.keys()];
  }

  async cutFromStore(host: string): Promise<void> {
    await this.#ways.get(host)?.cut();
  }

  async giveStoreBack(host: string): Promise<void> {
    await this.#ways.get(host)?.restore();
  }

  /** Makes the organization. @returns the Authorization header of its owner */
  async owner(): Promise<string> {
    const zuliprc = join(this.#folder, 'owner.zuliprc');
    const who = ['--name', 'Chaos', '--email', 'owner@example.com', '--full-name', 'Owner', '--zuliprc', zuliprc];
    await administer(['realm', 'create', ...who, ...this.#connection()]);
    const { email, key } = readZuliprc(zuliprc);
    return basic(email, key);
  }

  /** Starts a process for a member, and waits until it is ready. The member's earlier process goes on. */
  start({ role, name, at }: Omit<Member, 'child'>): Promise<Child> {
    const listen = ['--port', String(at.port), '--ops-port', String(at.health), '--leave-seconds', LEAVE_SECONDS];
    const args = ['--role', role, ...this.#connection(name), ...(role === 'http' ? listen : [])];
    return this.processes.serve(name, args, role === 'http' ? 'Conclave serves' : 'Conclave actor host runs');
  }

  /** Stops all processes, and removes the run's data from the services. */
  async stop(): Promise<void> {
    await this.processes.stop();
    for (const way of this.#ways.values()) await way.cut();
    await this.#wipe().catch((error: unknown) => process.stderr.write(`not cleaned up: ${error}\n`));
    remove(this.#folder);
  }

  async #add(role: Role, name: string, at: Address): Promise<void> {
    const member = { role, name, at };
    this.members.push({ ...member, child: await this.start(member) });
  }

  /** Options for the services. @param host actor host whose proxy to the store is used, if it has one */
  #connection(host = ''): string[] {
    const mongodb = this.#ways.get(host)?.through(this.mongodb) ?? this.mongodb;
    return [
      ...['--nats', this.nats, '--mongodb', `${mongodb.replace(/\/*$/, '')}/${this.#database}`],
      ...['--namespace', this.#namespace, '--secret', SECRET, '--data-dir', this.#folder],
      ...(this.logStreams === undefined ? [] : ['--log-streams', String(this.logStreams)]),
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
      if (new RegExp(`_${this.#namespace}(-[0-9]+)?$`).test(config.name)) await manager.streams.delete(config.name);
    }
    await connection.close();
  }
}
