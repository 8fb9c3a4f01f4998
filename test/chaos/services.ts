/** NATS and the MongoDB-compatible server of one run, on free ports. The run kills and restarts them. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort, run } from '../clients/support/process.js';

/** Timeout of the first start, ms: it may build missing programs. */
const BUILD_TIMEOUT_MS = 1_200_000;
const STEP_TIMEOUT_MS = 120_000;

/** Finds the folder of the repository, from the compiled file or from the working directory. */
function repository(): string {
  const candidates = [new URL('../../../', import.meta.url), new URL(`file://${process.cwd()}/`)].map((url) =>
    fileURLToPath(url),
  );
  const found = candidates.find((folder) => existsSync(join(folder, 'deploy/dev/services')));
  if (!found) throw new Error('deploy/dev/services is not beside this build: run it in the repository');
  return found;
}

export class OwnServices {
  readonly nats: string;
  readonly mongodb: string;

  private constructor(
    private readonly script: string,
    private readonly folder: string,
    private readonly environment: NodeJS.ProcessEnv,
    ports: readonly [number, number],
  ) {
    this.nats = `nats://127.0.0.1:${ports[0]}`;
    this.mongodb = `mongodb://127.0.0.1:${ports[1]}/`;
  }

  /** Starts the services. Processes that an interrupted run left in this repository are ended first. */
  static async start(): Promise<OwnServices> {
    const root = repository();
    const folder = join(root, '.services', 'chaos');
    mkdirSync(folder, { recursive: true });
    const ports = [await freePort(), await freePort(), await freePort()] as const;
    const { NATS_URL: _nats, MONGODB_URL: _mongodb, ...rest } = process.env;
    const environment = {
      ...rest,
      CONCLAVE_SERVICES_DIR: folder,
      // The programs of the development services are used, since building them takes minutes.
      CONCLAVE_SERVICES_TOOLS: process.env.CONCLAVE_SERVICES_TOOLS ?? join(root, '.services'),
      NATS_PORT: String(ports[0]),
      MONGODB_PORT: String(ports[1]),
      POSTGRES_PORT: String(ports[2]),
    };
    const services = new OwnServices(join(root, 'deploy/dev/services'), folder, environment, [ports[0], ports[1]]);
    await services.#step(['down', '--wipe']);
    await services.#step(['up'], BUILD_TIMEOUT_MS);
    return services;
  }

  stop(): Promise<void> {
    return this.#step(['down', '--wipe']);
  }

  /** Kills NATS with SIGKILL, and starts it again with the same data. */
  async restartNats(downtimeMs: number): Promise<void> {
    await this.#step(['kill', 'nats']);
    await sleep(downtimeMs);
    await this.#step(['start', 'nats']);
  }

  /**
   * Kills the MongoDB-compatible server with SIGKILL, and starts it again.
   *
   * @param deep true: its PostgreSQL is killed, too
   */
  async restartStore(deep: boolean, downtimeMs: number): Promise<void> {
    const front = this.#pid('ferretdb');
    if (deep || front === undefined) await this.#step(['kill', 'mongodb']);
    else process.kill(front, 'SIGKILL');
    await sleep(downtimeMs);
    await this.#step(['start', 'mongodb']);
  }

  /** True if the MongoDB-compatible server stores its data in a PostgreSQL server. */
  get hasDatabase(): boolean {
    return this.#pid('ferretdb') !== undefined;
  }

  #pid(name: string): number | undefined {
    const file = join(this.folder, 'run', `${name}.pid`);
    return existsSync(file) ? Number(readFileSync(file, 'utf8')) : undefined;
  }

  async #step(args: readonly string[], timeoutMs = STEP_TIMEOUT_MS): Promise<void> {
    const ended = await run(this.script, args, timeoutMs, this.environment);
    if (ended.code !== 0) throw new Error(`${this.script} ${args.join(' ')}: ${ended.stderr}`);
  }
}
