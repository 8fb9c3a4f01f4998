/** What the benchmark's own processes say to each other. */

/** Closed loop: every connection sends its next request when the last was answered. */
export interface RateJob {
  readonly kind: 'rate';
  readonly port: number;
  /** Requests by connection, used in turn. */
  readonly requests: readonly string[];
  readonly connections: number;
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
  /** Of each round: from the send's start to the last poll's answer. */
  readonly ms: readonly number[];
  readonly deliveries: number;
  readonly cpuMs: number;
  /** Where each queue is now. */
  readonly last: readonly number[];
}

/** Kinds of work for the load generator, and what it answers. A new one is a line here and one in load.ts. */
export interface Work {
  rate: { job: RateJob; result: RateResult };
  fanout: { job: FanoutJob; result: FanoutResult };
}

export type Kind = keyof Work;
export type JobOf<K extends Kind> = Work[K]['job'];
export type ResultOf<K extends Kind> = Work[K]['result'];

/** Answers of the bare server, as raw HTTP texts taken from ours. */
export interface CeilingAnswers {
  readonly get?: string;
  readonly post?: string;
  readonly poll?: string;
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
