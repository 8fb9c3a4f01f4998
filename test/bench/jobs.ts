/** Jobs and results: the messages between the main process of the benchmark and its other processes. */

/** Closed loop: every connection sends its next request after the response to the previous one. */
export interface RateJob {
  readonly kind: 'rate';
  readonly port: number;
  /** Requests of the connections: connection `i` begins with request `i`, modulo their number. */
  readonly requests: readonly string[];
  readonly connections: number;
  /** Whether each connection cycles through the requests, instead of repeating its own. */
  readonly cycles?: boolean;
  readonly warmUpMs: number;
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
  readonly queueId: string;
  readonly lastEventId: number;
  /** API level that the client asks for. [the base level] */
  readonly level?: number | undefined;
}

/** In each round every connection sends a poll, one message is sent, and all polls deliver it. */
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
  /** Last event id of each queue after the job. */
  readonly lastEventIds: readonly number[];
}

/** Open loop: messages at a fixed rate, independent of responses, to polls that clients repeat at once. */
export interface FanoutRateJob {
  readonly kind: 'fanout-rate';
  readonly port: number;
  readonly polls: readonly Poll[];
  /** Send requests, one per message; the text of message `n` contains `messageMarker(n)`. */
  readonly sends: readonly string[];
  /** Time between two sends, ms. */
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
   * 99th percentile of the time from the planned send to the acknowledgement, ms. The message is durable then, but may
   * not have reached the queues.
   */
  readonly acknowledgedP99: number;
  /** Percentiles of the time from the planned send to a delivery, over all deliveries, ms. */
  readonly deliveryP50: number;
  readonly deliveryP99: number;
  readonly deliveries: number;
  /** Number of messages that a queue delivered twice. */
  readonly repeatedDeliveries: number;
  /** Largest delay of a send after its planned time, ms: the share of the load generator in the times. */
  readonly maxSendDelayMs: number;
  readonly cpuMs: number;
  readonly lastEventIds: readonly number[];
}

/** Marker of message `n`, which occurs in a response only in the text of that message. */
export const messageMarker = (n: number): string => `~~${n}.`;

/** Idle polls, which get heartbeats and no events; each poll is repeated after its heartbeat. */
export interface IdleJob {
  readonly kind: 'idle';
  readonly port: number;
  readonly polls: readonly Poll[];
  /** Time over which the first polls are spread, so that their heartbeats are spread, too. */
  readonly spreadMs: number;
  /** Warm-up from the last poll to the first window, ms. */
  readonly warmUpMs: number;
  /** Length of a window, ms. */
  readonly ms: number;
  readonly windows: number;
  readonly pids: readonly number[];
}

export interface IdleWindow {
  /** Number of polls answered in the window. */
  readonly answers: number;
  readonly cpuMs: number;
  readonly seconds: number;
}

export interface IdleResult {
  readonly windows: readonly IdleWindow[];
  /** Last event id of each queue after the job. */
  readonly lastEventIds: readonly number[];
  readonly failed: number;
  readonly firstFailure: string;
}

/** Jobs of the load generator with their results, by kind. A new kind is a line here and one in load-generator.ts. */
export interface LoadJobs {
  rate: { job: RateJob; result: RateResult };
  fanout: { job: FanoutJob; result: FanoutResult };
  'fanout-rate': { job: FanoutRateJob; result: FanoutRateResult };
  idle: { job: IdleJob; result: IdleResult };
}

export type JobKind = keyof LoadJobs;
export type JobOf<K extends JobKind> = LoadJobs[K]['job'];
export type ResultOf<K extends JobKind> = LoadJobs[K]['result'];

/** Answers of the bare HTTP server, as raw HTTP texts that Conclave has sent. */
export interface BareHttpAnswers {
  readonly get?: string;
  readonly post?: string;
  readonly poll?: string;
  /** Heartbeat of a waiting poll: after `ms` plus a random time up to `spreadMs`. Null turns heartbeats off. */
  readonly heartbeat?: { readonly ms: number; readonly spreadMs: number } | null;
}

/** Parameters of a closed loop in a bare program. */
export interface ClosedLoopOptions {
  readonly concurrency: number;
  readonly warmUpMs: number;
  readonly ms: number;
}

export type NatsJob = { readonly url: string; readonly subject: string; readonly bytes: number } & (
  | { readonly kind: 'answer' }
  | ({ readonly kind: 'ask' } & ClosedLoopOptions)
);

export type StoreJob = ClosedLoopOptions & { readonly bytes: number } & (
    | { readonly kind: 'lmdb' }
    | { readonly kind: 'mongodb'; readonly url: string }
  );
