/** NATS and a MongoDB-compatible server on free ports, started for one run, which kills and restarts them. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { run } from '../clients/support/process.js';
import { freePort } from '../support/free-port.js';

/** Timeout of the first start, which may build missing servers from source: 20 minutes. */
const BUILD_TIMEOUT_MS = 1_200_000;
const STEP_TIMEOUT_MS = 120_000;

/** @returns root of the repository, found from the folder of the build or from the working directory */
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

  /** Starts the services. Only one run per repository is possible: services left by an interrupted run are stopped. */
  static async start(): Promise<OwnServices> {
    const root = repository();
    const folder = join(root, '.services', 'chaos');
    mkdirSync(folder, { recursive: true });
    const ports = [await freePort(), await freePort(), await freePort()] as const;
    const { NATS_URL: _nats, MONGODB_URL: _mongodb, ...rest } = process.env;
    const environment = {
      ...rest,
      CONCLAVE_SERVICES_DIR: folder,
      // Building the servers takes minutes, so the binaries of the development services are used.
      CONCLAVE_SERVICES_TOOLS: process.env.CONCLAVE_SERVICES_TOOLS ?? join(root, '.services'),
      NATS_PORT: String(ports[0]),
      MONGODB_PORT: String(ports[1]),
      POSTGRES_PORT: String(ports[2]),
    };
    const services = new OwnServices(join(root, 'deploy/dev/services'), folder, environment, [ports[0], ports[1]]);
    await services.#runScript(['down', '--wipe']);
    await services.#runScript(['up'], BUILD_TIMEOUT_MS);
    return services;
  }

  stop(): Promise<void> {
    return this.#runScript(['down', '--wipe']);
  }

  /** Kills NATS with SIGKILL, and restarts it on its data after `downtimeMs`. */
  async restartNats(downtimeMs: number): Promise<void> {
    await this.#runScript(['kill', 'nats']);
    await sleep(downtimeMs);
    await this.#runScript(['start', 'nats']);
  }

  /**
   * Kills the MongoDB-compatible server with SIGKILL, and restarts it after `downtimeMs`.
   * @param withDatabase whether the PostgreSQL server below FerretDB is killed, too
   */
  async restartStore(withDatabase: boolean, downtimeMs: number): Promise<void> {
    const front = this.#pid('ferretdb');
    if (withDatabase || front === undefined) await this.#runScript(['kill', 'mongodb']);
    else process.kill(front, 'SIGKILL');
    await sleep(downtimeMs);
    await this.#runScript(['start', 'mongodb']);
  }

  /** Whether the store is FerretDB, which keeps its data in a PostgreSQL server. */
  get hasDatabase(): boolean {
    return this.#pid('ferretdb') !== undefined;
  }

  #pid(name: string): number | undefined {
    const file = join(this.folder, 'run', `${name}.pid`);
    return existsSync(file) ? Number(readFileSync(file, 'utf8')) : undefined;
  }

  async #runScript(args: readonly string[], timeoutMs = STEP_TIMEOUT_MS): Promise<void> {
    const ended = await run(this.script, args, timeoutMs, this.environment);
    if (ended.code !== 0) throw new Error(`${this.script} ${args.join(' ')}: ${ended.stderr}`);
  }
}
