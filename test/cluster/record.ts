/** Record of a run of the simulated cluster: all the data that the checks read. */

import type { LogEntry } from '#model';
import type { EventQueueActorState } from '../../actors/event-queue/state.js';
import type { ApiEvent, Fields } from '../api/support/types.js';

/**
 * ok: 2xx; refused: 4xx, so nothing was done; failed: 5xx, and lost: the connection broke: it may have been done or
 * not, once.
 */
export type CallOutcome = 'ok' | 'refused' | 'failed' | 'lost' | 'open';

export type CallKind =
  | 'send'
  | 'schedule'
  | 'edit'
  | 'delete'
  | 'react'
  | 'read'
  | 'read all'
  | 'subscribe'
  | 'unsubscribe'
  | 'deactivate'
  | 'draft'
  | 'drafts'
  | 'rename'
  /** The user's own data, read at the frontend that answered the previous call. */
  | 'me'
  | 'fetch';

/** One request of a person, beside registrations and polls. */
export interface CallRecord {
  /** Named once in the run; the text of a message begins with it. */
  readonly op: string;
  readonly kind: CallKind;
  readonly user: number;
  /** Steps of the scheduler. */
  readonly begun: number;
  ended: number;
  /** Wall time of the answer, ms; absent while there is none. */
  endedMs?: number;
  outcome: CallOutcome;
  /**
   * Whether the network repeated a command of the call, maybe long after its response. A refusal is not remembered, so
   * the repeated command may then be carried out once.
   */
  repeated?: boolean;
  /** Response fields. */
  body: Fields;
  /** send, schedule: the stream or the people. */
  readonly stream?: number;
  readonly people?: readonly number[];
  /** send: of the sender's queue. */
  readonly local?: { readonly queue: string; readonly id: string };
  /** schedule: wall time, seconds. */
  readonly at?: number;
  /** edit, delete, react, read. */
  readonly messages?: readonly number[];
  /** subscribe, unsubscribe, deactivate: whom. */
  readonly whom?: number;
}

export interface PollRecord {
  readonly asked: number;
  readonly begun: number;
  ended: number;
  outcome: CallOutcome | 'abandoned';
  events: readonly ApiEvent[];
  code: string;
}

/** A queue as its client knows it. */
export interface QueueRecord {
  readonly id: string;
  readonly user: number;
  /** Name of the form in which its client asked for things (test/api/support/comparable.ts). */
  readonly form: string;
  /** Answer of the registration. */
  readonly snapshot: Fields;
  readonly polls: PollRecord[];
  /** As it was stored first. */
  stored: EventQueueActorState | undefined;
  /** Its client asked for its end. */
  deleted: boolean;
  /** The client was notified of the end of the queue. */
  gone: boolean;
  /** All it can ever get was asked for, and a registration followed. */
  fresh: Fields | undefined;
}

export interface StoredText {
  readonly id: number;
  readonly content: string;
  readonly reactions: readonly { readonly user: number }[];
}

/** A mail about missed messages, as a mail server gets it; once more if it is sent again. */
export interface MailRecord {
  readonly id: string;
  readonly user: number;
  /** Mails of one conversation have one thread. */
  readonly thread: string;
  /** Wall time at which it was written, ms. */
  readonly date: number;
  /** Names of people's messages in it: those missed, and those before them. */
  readonly ops: readonly string[];
}

export interface LoggedEntry {
  readonly seq: number;
  readonly entry: LogEntry;
}

export interface RunRecord {
  readonly people: readonly number[];
  readonly streams: readonly { readonly id: number; readonly isPrivate: boolean }[];
  /** Of the realm, from the beginning of the organization on. */
  readonly log: readonly LoggedEntry[];
  readonly calls: readonly CallRecord[];
  readonly queues: readonly QueueRecord[];
  readonly mails: readonly MailRecord[];
  /** Messages that are there at the end. */
  readonly messages: readonly StoredText[];
  /** Whether the run had only planned starts and stops, which no client should notice. */
  readonly smooth: boolean;
  /** Wall time at the end, ms. */
  readonly now: number;
}
