/** Servers under test: the embedded face, and a cluster of several nodes in this process. */
// Imported first: full password hashes would take half the time of a suite that makes a thousand accounts.
import '../../support/cheap-passwords.js';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { BusSystemActorCaller, type SystemActorCaller } from '#app/admin';
import { loadServerConfig, type ServerConfig } from '#app/config';
import type { StoreLocation } from '#app/exchange';
import { type ProcessPorts, startServer } from '#app/server';
import type { Logger } from '#base';
import { type Clock, REAL_CLOCK } from '#base/clock';
import type { OutgoingMail } from '#domain/mail';
import type { ServerCryptography } from '#domain/secrets';
import type { RunningServer } from '../../../src/app/server/serve.js';
import { dropNamespace } from '../../support/drop-namespace.js';
import { FakeClock } from '../../support/fake-clock.js';
import { picked } from '../../support/rounds.js';
import { startSmtp } from '../../support/smtp.js';
import type { Target } from './client.js';
import { interceptMethods } from './intercept.js';
import { repositoryRoot } from './wire.js';

export interface TestServer extends Target {
  readonly kind: 'embedded' | 'cluster';
  readonly clock: Clock;
  /** Client of actors, like that of the command line. */
  readonly actors: SystemActorCaller;
  readonly secrets: ServerCryptography;
  /** Data directory of the embedded face; undefined in a cluster. */
  readonly dataDir: string | undefined;
  /** For tests that write into the Store while the server is down. */
  readonly storeLocation: StoreLocation;
  /** All mails sent so far, in their wire format (RFC 822). */
  mails(): readonly string[];
  /** Runs before each mail to an address is sent; a test sets it to let mails wait. */
  beforeMail: ((to: string) => Promise<void> | undefined) | undefined;
  /** Address of the first frontend's health and metrics. */
  readonly opsUrl: string;
  /** Addresses of the health and metrics of all nodes. */
  readonly opsUrls: readonly string[];
  /** Options with which another process joins the cluster; none on the embedded face. */
  readonly joinOptions: readonly string[];
  /** Process ids of the workers of the embedded face; none if the frontend runs in this process. */
  readonly workerPids: readonly number[];
  /** Actors in memory. */
  readonly active: number;
  /** Stop all of it and start it again on the same data; ports may change. @param meanwhile while it is down */
  restart(meanwhile?: () => unknown): Promise<void>;
  /** Stops everything and removes the stored data. */
  close(): Promise<void>;
}

/** Warnings and errors that servers logged; a test that expects none looks here. */
export const complaints: string[] = [];

const keep = (context: object, message: string): void => {
  const { err } = context as { err?: Error };
  complaints.push(`${message} ${err?.stack ?? JSON.stringify(context)}`);
  if (process.env.API_TEST_LOG) process.stderr.write(`${complaints.at(-1)}\n`);
};
const logger: Logger = { debug() {}, info() {}, warn: keep, error: keep };

export const SECRET = 'the secret of the API tests';

/** Real milliseconds after which a fake clock moves by a second while servers stop. A stop takes some 100 ms. */
const STOP_NUDGE_MS = 1_000;

async function stopAll(nodes: readonly RunningServer[]): Promise<void> {
  // Frontends stop first, because a stopping actor host answers no commands.
  for (const node of nodes) await node.stop();
}

class Face implements TestServer {
  beforeMail: TestServer['beforeMail'];
  #nodes: RunningServer[] = [];
  #turn = 0;

  private constructor(
    readonly kind: TestServer['kind'],
    readonly clock: Clock,
    private readonly configs: readonly ServerConfig[],
    private readonly remove: () => Promise<void>,
    readonly mails: () => readonly string[],
    private readonly adjust: ((ports: ProcessPorts) => ProcessPorts) | undefined,
  ) {}

  static async start(
    kind: TestServer['kind'],
    clock: Clock,
    configs: readonly ServerConfig[],
    remove: () => Promise<void>,
    mails: () => readonly string[],
    adjust?: (ports: ProcessPorts) => ProcessPorts,
  ): Promise<Face> {
    const face = new Face(kind, clock, configs, remove, mails, adjust);
    try {
      await face.#start();
      return face;
    } catch (error) {
      // Nodes that have started would keep the process of the tests alive.
      await face.close();
      throw error;
    }
  }

  get actors(): SystemActorCaller {
    return new BusSystemActorCaller(this.#front.node.actorClient, async () => {});
  }

  get dataDir(): string | undefined {
    return this.kind === 'embedded' ? this.configs[0]?.dataDir : undefined;
  }

  get storeLocation(): StoreLocation {
    const { dataDir, mongodb } = this.configs[0]!;
    return mongodb === undefined ? { dataDir } : { mongodb };
  }

  get secrets(): ServerCryptography {
    return this.#front.node.secrets;
  }

  get opsUrl(): string {
    return this.#front.ops;
  }

  get opsUrls(): readonly string[] {
    return this.#nodes.map(({ ops }) => ops);
  }

  get joinOptions(): readonly string[] {
    const { nats, mongodb, namespace } = this.configs[0]!;
    if (nats === undefined || mongodb === undefined) return [];
    return ['--nats', nats, '--mongodb', mongodb, '--namespace', namespace];
  }

  get workerPids(): readonly number[] {
    return this.#nodes.flatMap(({ workerPids }) => workerPids);
  }

  get active(): number {
    return this.#nodes.reduce((sum, { node }) => sum + (node.actorHost?.activeActorCount ?? 0), 0);
  }

  nextPort(): number {
    const fronts = this.#nodes.filter((node) => node.port !== undefined);
    return fronts[this.#turn++ % fronts.length]!.port!;
  }

  async restart(meanwhile?: () => unknown): Promise<void> {
    await this.#stop();
    await meanwhile?.();
    await this.#start();
  }

  async close(): Promise<void> {
    await this.#stop();
    this.#nodes = [];
    await this.remove();
  }

  get #front(): RunningServer {
    return this.#nodes.find((node) => node.port !== undefined)!;
  }

  async #stop(): Promise<void> {
    const { clock } = this;
    // A stopping actor host waits for repeats and time limits, which a fake clock reaches only if it moves.
    const nudge = clock instanceof FakeClock && setInterval(() => clock.advance(1_000), STOP_NUDGE_MS);
    try {
      await stopAll([...this.#nodes].reverse());
    } finally {
      if (nudge) clearInterval(nudge);
    }
  }

  async #start(): Promise<void> {
    this.#nodes = [];
    for (const config of this.configs) this.#nodes.push(await startServer(config, this.clock, logger, this.#adjusted));
  }

  readonly #adjusted = (ports: ProcessPorts): ProcessPorts =>
    interceptMails(this.adjust?.(ports) ?? ports, async (send, to) => {
      await this.beforeMail?.(to);
      await send();
    });
}

/** Lets mails go through `around`, which gets a function that sends the mail, and its recipient. */
function interceptMails(ports: ProcessPorts, around: (send: () => unknown, to: string) => Promise<void>): ProcessPorts {
  if (!ports.actors) return ports;
  const mailer = interceptMethods(ports.actors.mailer, ['send'], (send, [mail]) =>
    around(send, (mail as OutgoingMail).to),
  );
  return { ...ports, actors: { ...ports.actors, mailer } };
}

/** Domains of disposable addresses in the suite. */
const DISPOSABLE = 'thrown-away.example\n';

function withDisposable(dir: string): string {
  const file = join(dir, 'disposable');
  writeFileSync(file, DISPOSABLE);
  return file;
}

const temporary = (): string => mkdtempSync(join(tmpdir(), 'conclave-api-'));

export interface EmbeddedOptions {
  readonly clock?: Clock;
  readonly httpAdapter?: 'uws' | 'node' | 'auto';
  readonly externalHost?: string;
  readonly maxBodyMib?: number;
  readonly emojiNames?: 'conclave' | 'zulip';
  /** 0: none. */
  readonly uploadQuotaMib?: number;
  /** Options of the configuration, in addition to those of the tests or instead of them. */
  readonly options?: Readonly<Record<string, string>>;
  /** Makes a port slow, or lets it fail. */
  readonly adjust?: (ports: ProcessPorts) => ProcessPorts;
}

export function startEmbedded(options: EmbeddedOptions = {}): Promise<TestServer> {
  const dir = temporary();
  const config = loadServerConfig(
    {
      'data-dir': dir,
      port: '0',
      secret: SECRET,
      'external-host': options.externalHost ?? 'localhost',
      'http-adapter': options.httpAdapter ?? 'auto',
      'max-body-mib': String(options.maxBodyMib ?? 1),
      'web-public-streams': 'yes',
      'webhook-networks': '127.0.0.1',
      'disposable-domains': withDisposable(dir),
      'emoji-names': options.emojiNames ?? 'conclave',
      'upload-quota-mib': String(options.uploadQuotaMib ?? 0),
      workers: '0',
      'rate-limits': 'off',
      ...options.options,
    },
    {},
  );
  const remove = async (): Promise<void> => rmSync(dir, { recursive: true, force: true });
  const mails = new MailFolderReader(join(dir, 'mail'));
  const adjust = (ports: ProcessPorts): ProcessPorts => mails.readAfterEachMail(options.adjust?.(ports) ?? ports);
  return Face.start('embedded', options.clock ?? REAL_CLOCK, [config], remove, () => mails.read(), adjust);
}

/** Reads the mails that the embedded face writes into a folder. The server removes the files later, by its clock. */
class MailFolderReader {
  readonly #texts = new Map<string, string>();

  constructor(private readonly folder: string) {}

  /** All mails so far, by the times of their files. */
  read(): readonly string[] {
    for (const name of readdirSync(this.folder)) {
      if (name.endsWith('.eml') && !this.#texts.has(name))
        this.#texts.set(name, readFileSync(join(this.folder, name), 'utf8'));
    }
    return [...this.#texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  }

  /** Reads the folder after each mail, because a clock that moves by weeks lets the server remove files at once. */
  readAfterEachMail(ports: ProcessPorts): ProcessPorts {
    return interceptMails(ports, async (send) => {
      await send();
      if (existsSync(this.folder)) this.read();
    });
  }
}

export interface Services {
  readonly nats: string;
  readonly mongodb: string;
}

/**
 * The backing services of this run, from the environment or a running `deploy/dev/services`. Without them, returns
 * undefined and records a skip; on CI a failure.
 */
export function services(t: Test): Services | undefined {
  const file = join(repositoryRoot(), '.services/env');
  const known: Record<string, string | undefined> = { ...process.env };
  if (existsSync(file)) {
    for (const [, name, value] of readFileSync(file, 'utf8').matchAll(/^export (\w+)=(.*)$/gm)) {
      if (name !== undefined) known[name] ??= value?.replace(/^(['"])(.*)\1$/, '$2');
    }
  }
  const { NATS_URL: nats, MONGODB_URL: mongodb } = known;
  if (nats && mongodb) return { nats, mongodb };
  const message = 'NATS_URL and MONGODB_URL are not set: deploy/dev/services up, then . .services/env';
  if (process.env.CI) t.fail(message);
  else t.pass(`skipped: ${message}`, { skip: message });
  return undefined;
}

/** Starts a cluster: two frontends and two actor hosts that share the partitions, under a namespace of its own. */
export async function startCluster(
  { nats, mongodb }: Services,
  adjust?: (ports: ProcessPorts) => ProcessPorts,
  options: Readonly<Record<string, string>> = {},
): Promise<TestServer> {
  const name = `api${randomBytes(5).toString('hex')}`;
  const dir = temporary();
  const smtp = await startSmtp();
  const url = mongodb.replace(/^(mongodb(?:\+srv)?:\/\/[^/]+)\/?[^?]*/, `$1/${name}`);
  const config = (role: string): ServerConfig =>
    loadServerConfig(
      {
        'data-dir': dir,
        port: '0',
        secret: SECRET,
        role,
        nats,
        mongodb: url,
        'smtp-url': smtp.url,
        'disposable-domains': withDisposable(dir),
        namespace: name,
        'max-body-mib': '1',
        'web-public-streams': 'yes',
        'webhook-networks': '127.0.0.1',
        'rate-limits': 'off',
        ...options,
      },
      {},
    );
  const configs = [config('actors'), config('actors'), config('http'), config('http')];
  return Face.start(
    'cluster',
    REAL_CLOCK,
    configs,
    async () => {
      await dropNamespace({ nats, mongodb: url }, name, name);
      await smtp.away();
      rmSync(dir, { recursive: true, force: true });
    },
    () => smtp.received.map(({ raw }) => raw),
    adjust,
  );
}

interface PickedFace {
  readonly face: TestServer['kind'];
  readonly start: (options: Readonly<Record<string, string>>) => Promise<TestServer>;
}

/**
 * Faces on which a run tries facts for which both run the same code: one that the seed picks, both in the long form.
 * Without services the embedded one.
 * @param title of the facts, so that not all of them are on one face
 */
export function facesFor(title: string, cluster: Services | undefined): readonly PickedFace[] {
  const embedded: PickedFace = { face: 'embedded', start: (options) => startEmbedded({ options }) };
  if (!cluster) return [embedded];
  const clustered: PickedFace = { face: 'cluster', start: (options) => startCluster(cluster, undefined, options) };
  return picked([embedded, clustered], 1, ({ face }) => `${title}, ${face}`);
}
