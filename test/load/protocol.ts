/** Messages between the main process and the workers of the harness. */

import type { Peer } from '../support/http-connection.js';
import type { SparseHistogram } from './histograms.js';
import type { Mix } from './mix.js';
import type { Shape } from './population.js';

export interface Account {
  readonly id: number;
  readonly email: string;
  readonly key: string;
  readonly name: string;
}

/** Kinds of calls; each has separate histograms. */
export const OPERATIONS = [
  'POST /register',
  'GET /messages (start)',
  'POST /messages (stream)',
  'POST /messages (direct)',
  'POST /typing',
  'POST /messages/{id}/reactions',
  'DELETE /messages/{id}/reactions',
  'POST /messages/flags (read)',
  'POST /messages/flags (starred)',
  'POST /messages/flags/narrow',
  'PATCH /messages/{id}',
  'POST /users/me/presence',
  'POST /users/me/status',
  'GET /messages (narrow)',
  'GET /messages (search)',
  'GET /users/me/{stream_id}/topics',
  'PATCH /settings',
  'POST /user_topics',
  'POST /drafts',
  'PATCH /drafts/{id}',
  'DELETE /drafts/{id}',
  'DELETE /events',
  'GET /events',
] as const;
export type Operation = (typeof OPERATIONS)[number];

export interface Setup {
  readonly run: string;
  readonly worker: number;
  readonly workers: number;
  readonly peers: readonly Peer[];
  /** Value of the Host header. */
  readonly authority: string;
  /** Path prefix before /api/v1. */
  readonly path: string;
  readonly mix: Mix;
  readonly seed: number;
  readonly devices: number;
  readonly timeoutMs: number;
  /** Largest number of connections for calls other than polls. */
  readonly connections: number;
}

export interface StreamInfo {
  readonly id: number;
  readonly name: string;
}

/** Command of the main process to a worker. */
export type WorkerCommand =
  | { readonly kind: 'setup'; readonly setup: Setup }
  /** Adds accounts from index `from` on; replaces the streams and their members. */
  | {
      readonly kind: 'population';
      readonly from: number;
      readonly accounts: readonly Account[];
      readonly streams: readonly StreamInfo[];
      readonly shape: Shape;
    }
  /** Sets the number of clients: new clients start evenly over `ms`, surplus clients stop at once. */
  | {
      readonly kind: 'clients';
      readonly count: number;
      readonly from: number;
      readonly at: number;
      readonly ms: number;
    }
  /** Stops the actions of all clients; their polls continue. */
  | { readonly kind: 'stop actions' }
  /** Deletes all queues, sends a last report and exits. */
  | { readonly kind: 'stop' };

/** Message whose sender got a response with status 200. */
export interface SentMessage {
  readonly token: string;
  /** Index of the stream; -1 for a direct message. */
  readonly stream: number;
  /** Indices of the users who get a direct message, with the sender. */
  readonly users: readonly number[];
  /** Intended time of the send. */
  readonly at: number;
  readonly acknowledged: number;
}

/** Registration of a queue: `asked` is the time of the request, `since` that of the response. */
export interface QueueStart {
  readonly client: number;
  readonly asked: number;
  readonly since: number;
}

/** End of a client's queue. */
export interface QueueEnd {
  readonly client: number;
  readonly at: number;
}

/** Report of a worker about one second. */
export interface Interval {
  readonly kind: 'interval';
  readonly worker: number;
  /** Reported time span, ms. */
  readonly ms: number;
  readonly clients: number;
  readonly held: number;
  readonly inFlight: number;
  /** Number of started calls, without polls. */
  readonly requests: number;
  readonly polls: number;
  readonly events: number;
  /** Latencies by operation, µs: `intended` from the intended time, `service` from the write of the request. */
  readonly operations: readonly {
    readonly operation: number;
    readonly count: number;
    readonly errors: number;
    readonly intended: SparseHistogram;
    readonly service: SparseHistogram;
  }[];
  readonly deliveries: SparseHistogram;
  /** Delay between the intended time of a task and its start, µs. */
  readonly lag: SparseHistogram;
  /** Errors by key 'operation|code', with the first error text. */
  readonly errors: readonly { readonly key: string; readonly count: number; readonly sample: string }[];
  readonly limited: number;
  readonly lostQueues: number;
  readonly sent: readonly SentMessage[];
  /** Number of deliveries by token. */
  readonly delivered: readonly (readonly [string, number])[];
  /** Starts and ends of queues, in order. */
  readonly queueChanges: readonly (QueueStart | QueueEnd)[];
  readonly cpuMs: number;
  readonly rssBytes: number;
  /** Longest delay of the worker's event loop, ms. */
  readonly stallMs: number;
}

/** Message of a worker to the main process. */
export type Report = Interval | { readonly kind: 'ended' } | { readonly kind: 'failed'; readonly error: string };
