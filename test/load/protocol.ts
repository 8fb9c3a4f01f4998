/** Messages between the harness's own processes. */

import type { Peer } from '../support/http-connection.js';
import type { Sparse } from './histograms.js';
import type { Mix } from './mix.js';
import type { Shape } from './population.js';

export interface Account {
  readonly id: number;
  readonly email: string;
  readonly key: string;
  readonly name: string;
}

/** Kinds of calls; each has histograms of its own. */
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
  /** Before /api/v1. */
  readonly path: string;
  readonly mix: Mix;
  readonly seed: number;
  readonly devices: number;
  readonly timeoutMs: number;
  /** Connections for everything but polls. */
  readonly connections: number;
}

export interface StreamFacts {
  readonly id: number;
  readonly name: string;
}

/** From the main process to a worker. */
export type Order =
  | { readonly kind: 'setup'; readonly setup: Setup }
  /** The accounts from a position on, all streams, and who is in them. */
  | {
      readonly kind: 'world';
      readonly from: number;
      readonly accounts: readonly Account[];
      readonly streams: readonly StreamFacts[];
      readonly shape: Shape;
    }
  /** Sets the number of clients: new ones start evenly over a time, surplus ones leave. */
  | {
      readonly kind: 'clients';
      readonly count: number;
      readonly from: number;
      readonly at: number;
      readonly ms: number;
    }
  /** Nothing new from now on; polls go on. */
  | { readonly kind: 'quiet' }
  /** Drop the queues, report for the last time, end. */
  | { readonly kind: 'stop' };

/** An acknowledged message. */
export interface Sent {
  readonly token: string;
  /** Position of the stream, or -1 with `users`. */
  readonly stream: number;
  /** Positions of the users who receive a direct message, the sender among them. */
  readonly users: readonly number[];
  /** When it was to begin. */
  readonly at: number;
  readonly acknowledged: number;
}

/** A queue that a client follows, from the answer to its registration on. */
export interface Live {
  readonly client: number;
  readonly asked: number;
  readonly since: number;
}

export interface Gone {
  readonly client: number;
  readonly at: number;
}

/** Report of a worker on one second. */
export interface Interval {
  readonly kind: 'interval';
  readonly worker: number;
  /** Milliseconds that it covers. */
  readonly ms: number;
  readonly clients: number;
  readonly held: number;
  readonly inFlight: number;
  /** Calls begun; without polls. */
  readonly requests: number;
  readonly polls: number;
  readonly events: number;
  /** By operation: from the intended time, and from the moment it was written. Microseconds. */
  readonly operations: readonly {
    readonly operation: number;
    readonly count: number;
    readonly errors: number;
    readonly intended: Sparse;
    readonly service: Sparse;
  }[];
  readonly deliveries: Sparse;
  /** How late the harness itself was. */
  readonly lag: Sparse;
  /** 'operation|code' → how often, and what was said first. */
  readonly errors: readonly { readonly key: string; readonly count: number; readonly sample: string }[];
  readonly limited: number;
  readonly lostQueues: number;
  readonly sent: readonly Sent[];
  /** Token → how many clients saw it. */
  readonly delivered: readonly (readonly [string, number])[];
  /** In their order. */
  readonly moves: readonly (Live | Gone)[];
  readonly cpuMs: number;
  readonly rssBytes: number;
  /** Longest time in which this process's loop didn't turn. */
  readonly stallMs: number;
}

/** From a worker to the main process. */
export type Report = Interval | { readonly kind: 'ended' } | { readonly kind: 'failed'; readonly error: string };
