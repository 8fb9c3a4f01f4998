/**
 * Connections for calls, shared by the clients of a worker, as behind a proxy: an idle one is taken, else one is opened
 * up to a limit, else the call waits (and its latency counts from its intended time).
 */
import type { Answered } from '../support/http-answers.js';
import { HttpConnection, type Peer } from '../support/http-connection.js';

export interface Outcome {
  /** 0: no answer. */
  readonly status: number;
  /** Valid during the call only. */
  readonly body: Buffer;
  /** Seconds to wait, of a response 429. */
  readonly retryAfter: number | undefined;
  /** Failure of the transport. */
  readonly error: string | undefined;
}

interface Call {
  readonly text: string;
  readonly done: (outcome: Outcome) => void;
  readonly begun: number;
  /** Whether the request was sent again: the server may close an idle connection just as a request is written to it. */
  retried: boolean;
}

interface Line {
  readonly connection: HttpConnection;
  call: Call | undefined;
  /** Since when it is idle. */
  idle: number;
  /** Answers so far. */
  used: number;
}

/** Servers close idle connections after 5 s at the earliest. */
const IDLE_MS = 4_000;
const SWEEP_MS = 500;
const NONE: Buffer = Buffer.alloc(0);
export const TIMEOUT = 'timeout';

export const failed = (error: string): Outcome => ({ status: 0, body: NONE, retryAfter: undefined, error });

export function outcomeOf({ status, head, body }: Answered): Outcome {
  const wait = status === 429 || status === 503 ? /^retry-after: *([\d.]+)/im.exec(head)?.[1] : undefined;
  return { status, body, retryAfter: wait === undefined ? undefined : Number(wait), error: undefined };
}

export const codeOf = (error: Error | undefined): string =>
  (error as NodeJS.ErrnoException | undefined)?.code ?? error?.message ?? 'connection closed';

export class Pool {
  readonly #idle: Line[] = [];
  readonly #busy = new Set<Line>();
  readonly #waiting: Call[] = [];
  #opening = 0;
  #opened = 0;
  #closed = false;
  #sweeper: NodeJS.Timeout;

  /** @param peers connections go to them in turn */
  constructor(
    private readonly peers: readonly Peer[],
    private readonly most: number,
    private readonly timeoutMs: number,
  ) {
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_MS);
  }

  get inFlight(): number {
    return this.#busy.size + this.#waiting.length;
  }

  /** @param done is called exactly once */
  call(text: string, done: (outcome: Outcome) => void): void {
    this.#give({ text, done, begun: performance.now(), retried: false });
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#sweeper);
    for (const { connection } of [...this.#idle, ...this.#busy]) connection.close();
  }

  #give(call: Call): void {
    const line = this.#idle.pop();
    if (line) {
      this.#write(line, call);
      return;
    }
    this.#waiting.push(call);
    this.#openMore();
  }

  /** As many as calls wait for, up to the limit. */
  #openMore(): void {
    if (this.#closed) return;
    while (this.#opening < this.#waiting.length && this.#idle.length + this.#busy.size + this.#opening < this.most) {
      void this.#open();
    }
  }

  async #open(): Promise<void> {
    this.#opening++;
    try {
      const connection = await HttpConnection.open(this.peers[this.#opened++ % this.peers.length]!, true);
      const line: Line = { connection, call: undefined, idle: 0, used: 0 };
      connection.onAnswer = (answer) => this.#answered(line, answer);
      connection.onGone = (error) => this.#gone(line, error);
      this.#free(line);
    } catch (error) {
      this.#waiting.shift()?.done(failed(codeOf(error as Error)));
    }
    this.#opening--;
    this.#openMore();
  }

  #write(line: Line, call: Call): void {
    line.call = call;
    this.#busy.add(line);
    line.connection.write(call.text);
  }

  #free(line: Line): void {
    const next = this.#waiting.shift();
    if (next) this.#write(line, next);
    else {
      line.idle = performance.now();
      this.#idle.push(line);
    }
  }

  #answered(line: Line, answer: Answered): void {
    const { call } = line;
    if (!call) return;
    line.call = undefined;
    line.used++;
    this.#busy.delete(line);
    const closing = /^connection: *close/im.test(answer.head);
    call.done(outcomeOf(answer));
    if (closing) this.#drop(line);
    else this.#free(line);
  }

  #gone(line: Line, error: Error | undefined): void {
    const { call } = line;
    this.#drop(line);
    if (!call) return;
    line.call = undefined;
    if (line.used > 0 && !call.retried) {
      call.retried = true;
      this.#give(call);
    } else call.done(failed(codeOf(error)));
  }

  #drop(line: Line): void {
    line.connection.close();
    this.#busy.delete(line);
    const at = this.#idle.indexOf(line);
    if (at >= 0) this.#idle.splice(at, 1);
    this.#openMore();
  }

  #sweep(): void {
    const now = performance.now();
    // The one used longest ago is at the front.
    while (this.#idle.length > 0 && now - this.#idle[0]!.idle > IDLE_MS) this.#idle.shift()!.connection.close();
    for (const line of this.#busy) {
      const { call } = line;
      if (!call || now - call.begun < this.timeoutMs) continue;
      line.call = undefined;
      this.#drop(line);
      call.done(failed(TIMEOUT));
    }
    while (this.#waiting.length > 0 && now - this.#waiting[0]!.begun >= this.timeoutMs) {
      this.#waiting.shift()!.done(failed(TIMEOUT));
    }
  }
}
