/** Messages between the benchmark's own processes. */

/** Closed loop: every connection sends its next request when the last was answered. */
export interface RateJob {
  readonly kind: 'rate';
  readonly port: number;
  /** Requests by connection, used in turn. */
  readonly requests: readonly string[];
  readonly connections: number;
  /** Each connection goes on to other requests, instead of repeating its own. */
  readonly turns?: boolean;
  readonly warmMs: number;
  readonly ms: number;
  /** Processes whose CPU time counts. */
  readonly pids: readonly number[];
}

export interface RateResult {
  readonly count: number;
  readonly seconds: number;
  readonly cpuMs: number;
  readonly failed: number;
  readonly firstFailure: string;
}

export interface Poll {
  readonly authorization: string;
  readonly queue: string;
  readonly last: number;
  /** API level that the client asks for. [the base level] */
  readonly level?: number | undefined;
}

/** Rounds of: hold a poll on every connection, send one message, wait for the last answer. */
export interface FanoutJob {
  readonly kind: 'fanout';
  readonly port: number;
  readonly polls: readonly Poll[];
  readonly send: string;
  readonly rounds: number;
  /** Time for the polls to reach the server before the message is sent. */
  readonly settleMs: number;
  readonly pids: readonly number[];
}

export interface FanoutResult {
  /** Time of each round, ms: from the start of the send to the response of the last poll. */
  readonly ms: readonly number[];
  readonly deliveries: number;
  readonly cpuMs: number;
  /** Where each queue is now. */
  readonly last: readonly number[];
}

/** Messages at a fixed rate, whatever becomes of them, to polls that are parked again as soon as they are answered. */
export interface FanoutRateJob {
  readonly kind: 'fanout-rate';
  readonly port: number;
  readonly polls: readonly Poll[];
  /** One request per message; message `n` holds `marker(n)`. */
  readonly sends: readonly string[];
  /** Between two sends. */
  readonly everyMs: number;
  readonly settleMs: number;
  readonly pids: readonly number[];
}

export interface FanoutRateResult {
  /**
   * Time of each message, ms: from its planned send to the last poll that delivered it; null when a poll did not
   * deliver it.
   */
  readonly ms: readonly (number | null)[];
  /**
   * From the same time until the message was acknowledged to its sender: it is durable then, and on its way to the
   * queues.
   */
  readonly sentP99: number;
  /** Of all deliveries, from the same time. */
  readonly eachP50: number;
  readonly eachP99: number;
  readonly delivered: number;
  /** A message that a queue told of twice. */
  readonly repeated: number;
  /** The latest send of all: so much of the times is the generator's own. */
  readonly sentLateMs: number;
  readonly cpuMs: number;
  readonly last: readonly number[];
}

/** In the text of message `n`, and nowhere else in an answer. */
export const marker = (n: number): string => `~~${n}.`;

/** Polls without events: each is sent again after its heartbeat. */
export interface IdleJob {
  readonly kind: 'idle';
  readonly port: number;
  readonly polls: readonly Poll[];
  /** Time over which the polls come, so that their heartbeats do not come together. */
  readonly spreadMs: number;
  /** From the last of them until something is counted. */
  readonly warmMs: number;
  /** Of one window, and how many are counted. */
  readonly ms: number;
  readonly windows: number;
  readonly pids: readonly number[];
}

export interface IdleWindow {
  /** Polls answered, and parked again. */
  readonly answers: number;
  readonly cpuMs: number;
  readonly seconds: number;
}

export interface IdleResult {
  readonly windows: readonly IdleWindow[];
  /** Where each queue is now. */
  readonly last: readonly number[];
  readonly failed: number;
  readonly firstFailure: string;
}

/** Kinds of work for the load generator, and what it answers. A new one is a line here and one in load.ts. */
export interface Work {
  rate: { job: RateJob; result: RateResult };
  fanout: { job: FanoutJob; result: FanoutResult };
  'fanout-rate': { job: FanoutRateJob; result: FanoutRateResult };
  idle: { job: IdleJob; result: IdleResult };
}

export type Kind = keyof Work;
export type JobOf<K extends Kind> = Work[K]['job'];
export type ResultOf<K extends Kind> = Work[K]['result'];

/** Answers of the bare server, as raw HTTP texts taken from ours. */
export interface CeilingAnswers {
  readonly get?: string;
  readonly post?: string;
  readonly poll?: string;
  /** Held polls are answered after so long, and up to so much more, when nothing comes before; null: no more. */
  readonly beat?: { readonly ms: number; readonly spreadMs: number } | null;
}

/** How a bare thing is measured. */
export interface LoopOrder {
  readonly concurrency: number;
  readonly warmMs: number;
  readonly ms: number;
}

export type NatsOrder = { readonly url: string; readonly subject: string; readonly bytes: number } & (
  | { readonly kind: 'answer' }
  | ({ readonly kind: 'ask' } & LoopOrder)
);

export type StoreOrder = LoopOrder & { readonly bytes: number } & (
    | { readonly kind: 'lmdb' }
    | { readonly kind: 'mongodb'; readonly url: string }
  );
