/**
 * A load balancer's view of the frontends: which of them are ready for new requests, and connections that are kept
 * alive.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { requestText } from '../bench/connection.js';
import { type Answer, KeptConnection } from './kept-connection.js';
import type { Address } from './processes.js';

const READINESS_CHECK_INTERVAL_MS = 200;
const READINESS_TIMEOUT_MS = 1_000;
/** Time for which a request waits until a frontend accepts connections, ms. */
const CONNECT_TIMEOUT_MS = 20_000;
const RETRY_MS = 20;
/**
 * Idle time after which a connection is not used again, ms. docs/operations.md asks this of load balancers, because
 * frontends close a connection that was idle for 10 s.
 */
const MAX_IDLE_MS = 5_000;

export interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly authorization: string;
  readonly form?: Readonly<Record<string, string>>;
  /** API level; undefined: the base level. */
  readonly level?: number | undefined;
  readonly timeoutMs: number;
  /** Index of the frontend that is tried first. */
  readonly first: number;
}

/** Error of a request that was not sent, because no frontend accepted a connection. */
export class NoFrontendError extends Error {}

class Frontend {
  /** True if the last readiness check succeeded. */
  ready = false;
  readonly #idle: { readonly line: KeptConnection; readonly since: number }[] = [];
  readonly #all = new Set<KeptConnection>();

  constructor(readonly at: Address) {}

  async line(): Promise<KeptConnection> {
    for (let last = this.#idle.pop(); last; last = this.#idle.pop()) {
      const { line: known, since } = last;
      if (!known.closed && performance.now() - since < MAX_IDLE_MS) return known;
      known.close();
      this.#all.delete(known);
    }
    const line = await KeptConnection.open(this.at.port);
    this.#all.add(line);
    return line;
  }

  back(line: KeptConnection): void {
    if (line.closed) this.#all.delete(line);
    else this.#idle.push({ line, since: performance.now() });
  }

  close(): void {
    for (const line of this.#all) line.close();
    this.#all.clear();
  }
}

export class Frontends {
  /** Number of new connections that were refused. The client then tries another frontend. */
  refusedConnections = 0;
  #frontends: readonly Frontend[] = [];
  #watching = true;
  /** Resolves when a frontend accepts connections again; undefined if no request waits for that. */
  #anyFrontendUp: Promise<void> | undefined;
  readonly #watch: Promise<void>;

  constructor(addresses: readonly Address[]) {
    this.set(addresses);
    this.#watch = this.#run();
  }

  /** Sets the frontends for new requests. Requests under way stay where they are. */
  set(addresses: readonly Address[]): void {
    const known = (at: Address): Frontend | undefined => this.#frontends.find((one) => one.at.port === at.port);
    this.#frontends = addresses.map((at) => known(at) ?? new Frontend(at));
  }

  isReady({ port }: Address): boolean {
    return this.#frontends.some(({ at, ready }) => at.port === port && ready);
  }

  async close(): Promise<void> {
    this.#watching = false;
    await this.#watch;
    for (const one of this.#frontends) one.close();
  }

  /** Sends a request. @throws NoAnswerError, NoFrontendError */
  async ask(request: Request): Promise<Answer> {
    const { method, path, authorization, form, level, timeoutMs, first } = request;
    const encoded = form && new URLSearchParams(form).toString();
    const text = requestText(method, `/api/v1${path}`, authorization, encoded, level);
    const { frontend, line } = await this.#connect(first);
    try {
      return await line.request(text, timeoutMs);
    } finally {
      frontend.back(line);
    }
  }

  async #connect(first: number): Promise<{ frontend: Frontend; line: KeptConnection }> {
    const until = performance.now() + CONNECT_TIMEOUT_MS;
    for (;;) {
      for (const frontend of this.#order(first)) {
        try {
          return { frontend, line: await frontend.line() };
        } catch {
          this.refusedConnections++;
        }
      }
      const stopMs = until - performance.now();
      if (stopMs <= 0) throw new NoFrontendError('no frontend accepts connections');
      this.#anyFrontendUp ??= this.#tryUntilOneTakesConnections().finally(() => {
        this.#anyFrontendUp = undefined;
      });
      await Promise.race([this.#anyFrontendUp, sleep(stopMs, undefined, { ref: false })]);
    }
  }

  /**
   * Tries all frontends until one accepts a connection. One attempt stands for all requests that wait: an attempt each
   * would take the core on which the killed server starts (2,800 attempts a second at 200 sends a second).
   */
  async #tryUntilOneTakesConnections(): Promise<void> {
    while (this.#watching) {
      await sleep(RETRY_MS);
      for (const frontend of this.#frontends) {
        try {
          frontend.back(await frontend.line());
          return;
        } catch {
          this.refusedConnections++;
        }
      }
    }
  }

  /** Lists the ready frontends, from the one with index `first` on; all frontends if none is ready. */
  #order(first: number): readonly Frontend[] {
    const from = first % this.#frontends.length;
    const turned = [...this.#frontends.slice(from), ...this.#frontends.slice(0, from)];
    const ready = turned.filter((one) => one.ready);
    return ready.length > 0 ? ready : turned;
  }

  async #run(): Promise<void> {
    while (this.#watching) {
      await Promise.all(this.#frontends.map((one) => checkReady(one)));
      await sleep(READINESS_CHECK_INTERVAL_MS);
    }
  }
}

const HEALTH = requestText('GET', '/health/ready', 'none');

async function checkReady(frontend: Frontend): Promise<void> {
  let line: KeptConnection | undefined;
  try {
    line = await KeptConnection.open(frontend.at.health);
    frontend.ready = (await line.request(HEALTH, READINESS_TIMEOUT_MS)).status === 200;
  } catch {
    frontend.ready = false;
  } finally {
    line?.close();
  }
}
