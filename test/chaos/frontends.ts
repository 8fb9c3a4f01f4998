/**
 * Client side of the frontends, modelled on a load balancer: readiness checks, pools of keep-alive connections, and the
 * choice of a frontend for each request.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { requestText } from '../bench/connection.js';
import { type ApiResponse, ClientConnection } from './client-connection.js';
import type { Address } from './processes.js';

const READINESS_INTERVAL_MS = 200;
const READINESS_TIMEOUT_MS = 1_000;
/** Time that a request waits until a frontend accepts connections. */
const CONNECT_TIMEOUT_MS = 20_000;
const RETRY_MS = 20;
/**
 * Idle time after which a connection is closed, not reused. docs/operations.md asks this of load balancers, because
 * frontends close a connection that was idle for 10 s.
 */
const MAX_IDLE_MS = 5_000;

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly authorization: string;
  readonly form?: Readonly<Record<string, string>>;
  /** API level; undefined: the base level. */
  readonly level?: number | undefined;
  readonly timeoutMs: number;
  /** Index of the frontend to try first. */
  readonly preferredFrontend: number;
}

/** No frontend accepted a connection, so no request was sent. */
export class NoFrontendError extends Error {}

class Frontend {
  /** Result of the last readiness check. */
  ready = false;
  readonly #idle: { readonly connection: ClientConnection; readonly since: number }[] = [];
  readonly #all = new Set<ClientConnection>();

  constructor(readonly address: Address) {}

  async acquire(): Promise<ClientConnection> {
    for (let last = this.#idle.pop(); last; last = this.#idle.pop()) {
      const { connection: known, since } = last;
      if (!known.closed && performance.now() - since < MAX_IDLE_MS) return known;
      known.close();
      this.#all.delete(known);
    }
    const connection = await ClientConnection.open(this.address.port);
    this.#all.add(connection);
    return connection;
  }

  release(connection: ClientConnection): void {
    if (connection.closed) this.#all.delete(connection);
    else this.#idle.push({ connection, since: performance.now() });
  }

  close(): void {
    for (const connection of this.#all) connection.close();
    this.#all.clear();
  }
}

export class Frontends {
  /** Number of refused connection attempts, after which the client tried another frontend. */
  refusedConnections = 0;
  #frontends: readonly Frontend[] = [];
  #watching = true;
  /** Resolves when a frontend accepts connections again; undefined: no request waits for a frontend. */
  #anyFrontendUp: Promise<void> | undefined;
  readonly #watch: Promise<void>;

  constructor(addresses: readonly Address[]) {
    this.set(addresses);
    this.#watch = this.#run();
  }

  /** Replaces the list of frontends. Requests in flight finish on their connections. */
  set(addresses: readonly Address[]): void {
    const known = (address: Address): Frontend | undefined =>
      this.#frontends.find((one) => one.address.port === address.port);
    this.#frontends = addresses.map((address) => known(address) ?? new Frontend(address));
  }

  isReady({ port }: Address): boolean {
    return this.#frontends.some(({ address, ready }) => address.port === port && ready);
  }

  async close(): Promise<void> {
    this.#watching = false;
    await this.#watch;
    for (const one of this.#frontends) one.close();
  }

  /** @throws UnansweredError, NoFrontendError */
  async request(request: ApiRequest): Promise<ApiResponse> {
    const { method, path, authorization, form, level, timeoutMs, preferredFrontend } = request;
    const encoded = form && new URLSearchParams(form).toString();
    const text = requestText(method, `/api/v1${path}`, authorization, encoded, level);
    const { frontend, connection } = await this.#connect(preferredFrontend);
    try {
      return await connection.request(text, timeoutMs);
    } finally {
      frontend.release(connection);
    }
  }

  async #connect(preferredFrontend: number): Promise<{ frontend: Frontend; connection: ClientConnection }> {
    const until = performance.now() + CONNECT_TIMEOUT_MS;
    for (;;) {
      for (const frontend of this.#order(preferredFrontend)) {
        try {
          return { frontend, connection: await frontend.acquire() };
        } catch {
          this.refusedConnections++;
        }
      }
      const leftMs = until - performance.now();
      if (leftMs <= 0) throw new NoFrontendError('no frontend takes connections');
      this.#anyFrontendUp ??= this.#tryUntilOneTakesConnections().finally(() => {
        this.#anyFrontendUp = undefined;
      });
      await Promise.race([this.#anyFrontendUp, sleep(leftMs, undefined, { ref: false })]);
    }
  }

  /**
   * Tries all frontends until one takes connections. One attempt stands for all requests that wait: an attempt each
   * would take the core on which the killed server starts (2,800 attempts a second at 200 sends a second).
   */
  async #tryUntilOneTakesConnections(): Promise<void> {
    while (this.#watching) {
      await sleep(RETRY_MS);
      for (const frontend of this.#frontends) {
        try {
          frontend.release(await frontend.acquire());
          return;
        } catch {
          this.refusedConnections++;
        }
      }
    }
  }

  /** @returns ready frontends, or all if none is ready, rotated so that `preferredFrontend` comes first */
  #order(preferredFrontend: number): readonly Frontend[] {
    const from = preferredFrontend % this.#frontends.length;
    const turned = [...this.#frontends.slice(from), ...this.#frontends.slice(0, from)];
    const ready = turned.filter((one) => one.ready);
    return ready.length > 0 ? ready : turned;
  }

  async #run(): Promise<void> {
    while (this.#watching) {
      await Promise.all(this.#frontends.map((one) => checkReady(one)));
      await sleep(READINESS_INTERVAL_MS);
    }
  }
}

const HEALTH = requestText('GET', '/health/ready', 'none');

async function checkReady(frontend: Frontend): Promise<void> {
  let connection: ClientConnection | undefined;
  try {
    connection = await ClientConnection.open(frontend.address.health);
    frontend.ready = (await connection.request(HEALTH, READINESS_TIMEOUT_MS)).status === 200;
  } catch {
    frontend.ready = false;
  } finally {
    connection?.close();
  }
}
