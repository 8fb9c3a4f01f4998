/** Cluster of actor hosts and frontends as real processes, which the run kills, restarts and replaces. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { connect } from 'nats';
import { remove, temporary } from '../clients/support/folders.js';
import type { Child } from '../clients/support/process.js';
import { TcpProxy } from '../clients/support/proxy.js';
import { basic, readZuliprc } from '../support/credentials.js';
import type { ChaosOptions } from './options.js';
import { type Address, administer, freeAddress, type Member, Processes, type Role } from './processes.js';

const SECRET = 'a secret for chaos only';
const NO_ADDRESS: Address = { port: 0, health: 0 };
/** Time that a frontend serves on after SIGTERM, not ready, s. Clients notice within 0.2 s, the interval of checks. */
const LEAVE_SECONDS = '2';

export class ChaosCluster {
  readonly members: Member[] = [];
  readonly processes = new Processes();
  readonly #namespace = `chaos${randomBytes(6).toString('hex')}`;
  readonly #folder = temporary('chaos');
  /** Actor host → TCP proxy between the host and the store, which the run cuts. Empty in a run without cuts. */
  readonly #storeProxies = new Map<string, TcpProxy>();

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
        if (cuts > 0) cluster.#storeProxies.set(`host ${i}`, await TcpProxy.start(services.mongodb));
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
    return this.members.filter(({ role }) => role === 'http').map(({ address }) => address);
  }

  /** Names of the actor hosts that can be cut off from the store. */
  get hosts(): readonly string[] {
    return [...this.#storeProxies.keys()];
  }

  async cutFromStore(host: string): Promise<void> {
    await this.#storeProxies.get(host)?.cut();
  }

  async restoreStore(host: string): Promise<void> {
    await this.#storeProxies.get(host)?.restore();
  }

  /** Creates the organization. @returns authorization header of the owner */
  async owner(): Promise<string> {
    const zuliprc = join(this.#folder, 'owner.zuliprc');
    const ownerOptions = [
      '--name',
      'Chaos',
      '--email',
      'owner@example.com',
      '--full-name',
      'Owner',
      '--zuliprc',
      zuliprc,
    ];
    await administer(['realm', 'create', ...ownerOptions, ...this.#connection()]);
    const { email, key } = readZuliprc(zuliprc);
    return basic(email, key);
  }

  /** Starts a process for the slot of a member, beside an earlier one. Resolves when the new process is ready. */
  start({ role, name, address }: Omit<Member, 'child'>): Promise<Child> {
    const listen = [
      '--port',
      String(address.port),
      '--ops-port',
      String(address.health),
      '--leave-seconds',
      LEAVE_SECONDS,
    ];
    const args = ['--role', role, ...this.#connection(name), ...(role === 'http' ? listen : [])];
    return this.processes.serve(name, args, role === 'http' ? 'Conclave serves' : 'Conclave actor host runs');
  }

  /** Stops all processes, and deletes the data of the run from the services. */
  async stop(): Promise<void> {
    await this.processes.stop();
    for (const proxy of this.#storeProxies.values()) await proxy.cut();
    await this.#deleteData().catch((error: unknown) => process.stderr.write(`not cleaned up: ${error}\n`));
    remove(this.#folder);
  }

  async #add(role: Role, name: string, address: Address): Promise<void> {
    const member = { role, name, address };
    this.members.push({ ...member, child: await this.start(member) });
  }

  /** Options for the services. @param host name of the actor host, for its store proxy if it has one */
  #connection(host = ''): string[] {
    const mongodb = this.#storeProxies.get(host)?.through(this.mongodb) ?? this.mongodb;
    return [
      ...['--nats', this.nats, '--mongodb', `${mongodb.replace(/\/*$/, '')}/${this.#database}`],
      ...['--namespace', this.#namespace, '--secret', SECRET, '--data-dir', this.#folder],
      ...(this.logStreams === undefined ? [] : ['--log-streams', String(this.logStreams)]),
    ];
  }

  get #database(): string {
    return `conclave_${this.#namespace}`;
  }

  async #deleteData(): Promise<void> {
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
