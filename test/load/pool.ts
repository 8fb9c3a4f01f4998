/**
 * Connection pool for the calls of all clients of a worker, as behind a proxy. A call uses an idle connection, opens
 * one up to a limit, or waits. Latencies count from the intended time, so they include the wait.
 */
import type { Answered } from '../support/http-answers.js';
import { HttpConnection, type Peer } from '../support/http-connection.js';

/** Outcome of a call. */
export interface CallOutcome {
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /** Body of the response; valid only during the callback. */
  readonly body: Buffer;
  /** Retry-After of a 429 or 503 response, s. */
  readonly retryAfter: number | undefined;
  /** Transport error, if there is no response. */
  readonly error: string | undefined;
}

interface Call {
  readonly text: string;
  readonly onOutcome: (outcome: CallOutcome) => void;
  readonly startMs: number;
  /** Whether the request was repeated, because the server closed a reused connection before it answered. */
  retried: boolean;
}

interface PooledConnection {
  readonly connection: HttpConnection;
  call: Call | undefined;
  /** Time at which the connection became idle, ms. */
  idleSince: number;
  /** Number of responses so far. */
  responses: number;
}

/** Time after which idle connections are closed, ms; servers close them after 5 s or later. */
const IDLE_MS = 4_000;
const SWEEP_MS = 500;
const EMPTY_BODY: Buffer = Buffer.alloc(0);
export const TIMEOUT_ERROR = 'timeout';

export const makeFailedOutcome = (error: string): CallOutcome => ({
  status: 0,
  body: EMPTY_BODY,
  retryAfter: undefined,
  error,
});

export function outcomeOf({ status, head, body }: Answered): CallOutcome {
  const wait = status === 429 || status === 503 ? /^retry-after: *([\d.]+)/im.exec(head)?.[1] : undefined;
  return { status, body, retryAfter: wait === undefined ? undefined : Number(wait), error: undefined };
}

export const errorCodeOf = (error: Error | undefined): string =>
  (error as NodeJS.ErrnoException | undefined)?.code ?? error?.message ?? 'connection closed';

export class Pool {
  readonly #idleConnections: PooledConnection[] = [];
  readonly #busyConnections = new Set<PooledConnection>();
  readonly #waitingCalls: Call[] = [];
  #opening = 0;
  #opened = 0;
  #closed = false;
  #sweeper: NodeJS.Timeout;

  /** @param peers addresses, used in turn for new connections */
  constructor(
    private readonly peers: readonly Peer[],
    private readonly maxConnections: number,
    private readonly timeoutMs: number,
  ) {
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_MS);
  }

  get inFlight(): number {
    return this.#busyConnections.size + this.#waitingCalls.length;
  }

  /** @param onOutcome called exactly once */
  call(text: string, onOutcome: (outcome: CallOutcome) => void): void {
    this.#assign({ text, onOutcome, startMs: performance.now(), retried: false });
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#sweeper);
    for (const { connection } of [...this.#idleConnections, ...this.#busyConnections]) connection.close();
  }

  #assign(call: Call): void {
    const pooled = this.#idleConnections.pop();
    if (pooled) {
      this.#write(pooled, call);
      return;
    }
    this.#waitingCalls.push(call);
    this.#openMore();
  }

  /** Opens a connection per waiting call, up to the limit. */
  #openMore(): void {
    if (this.#closed) return;
    while (
      this.#opening < this.#waitingCalls.length &&
      this.#idleConnections.length + this.#busyConnections.size + this.#opening < this.maxConnections
    ) {
      void this.#open();
    }
  }

  async #open(): Promise<void> {
    this.#opening++;
    try {
      const connection = await HttpConnection.open(this.peers[this.#opened++ % this.peers.length]!, true);
      const pooled: PooledConnection = { connection, call: undefined, idleSince: 0, responses: 0 };
      connection.onAnswer = (response) => this.#onResponse(pooled, response);
      connection.onGone = (error) => this.#onClosed(pooled, error);
      this.#release(pooled);
    } catch (error) {
      this.#waitingCalls.shift()?.onOutcome(makeFailedOutcome(errorCodeOf(error as Error)));
    }
    this.#opening--;
    this.#openMore();
  }

  #write(pooled: PooledConnection, call: Call): void {
    pooled.call = call;
    this.#busyConnections.add(pooled);
    pooled.connection.write(call.text);
  }

  #release(pooled: PooledConnection): void {
    const next = this.#waitingCalls.shift();
    if (next) this.#write(pooled, next);
    else {
      pooled.idleSince = performance.now();
      this.#idleConnections.push(pooled);
    }
  }

  #onResponse(pooled: PooledConnection, response: Answered): void {
    const { call } = pooled;
    if (!call) return;
    pooled.call = undefined;
    pooled.responses++;
    this.#busyConnections.delete(pooled);
    const closing = /^connection: *close/im.test(response.head);
    call.onOutcome(outcomeOf(response));
    if (closing) this.#drop(pooled);
    else this.#release(pooled);
  }

  #onClosed(pooled: PooledConnection, error: Error | undefined): void {
    const { call } = pooled;
    this.#drop(pooled);
    if (!call) return;
    pooled.call = undefined;
    if (pooled.responses > 0 && !call.retried) {
      call.retried = true;
      this.#assign(call);
    } else call.onOutcome(makeFailedOutcome(errorCodeOf(error)));
  }

  #drop(pooled: PooledConnection): void {
    pooled.connection.close();
    this.#busyConnections.delete(pooled);
    const at = this.#idleConnections.indexOf(pooled);
    if (at >= 0) this.#idleConnections.splice(at, 1);
    this.#openMore();
  }

  #sweep(): void {
    const now = performance.now();
    // The connection that has been idle longest is at the front.
    while (this.#idleConnections.length > 0 && now - this.#idleConnections[0]!.idleSince > IDLE_MS)
      this.#idleConnections.shift()!.connection.close();
    for (const pooled of this.#busyConnections) {
      const { call } = pooled;
      if (!call || now - call.startMs < this.timeoutMs) continue;
      pooled.call = undefined;
      this.#drop(pooled);
      call.onOutcome(makeFailedOutcome(TIMEOUT_ERROR));
    }
    while (this.#waitingCalls.length > 0 && now - this.#waitingCalls[0]!.startMs >= this.timeoutMs) {
      this.#waitingCalls.shift()!.onOutcome(makeFailedOutcome(TIMEOUT_ERROR));
    }
  }
}
