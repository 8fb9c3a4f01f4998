/** Record of a run of the simulated cluster; the checks read nothing else. */

import type { LogEntry } from '#model';
import type { EventQueueActorState } from '../../actors/event-queue/state.js';
import type { ApiEvent, Fields } from '../api/support/types.js';

/**
 * Outcome of a request. 'ok' is a 2xx status. 'refused' is a 4xx status: the request had no effect. 'failed' is a 5xx
 * status and 'lost' a broken connection: the request took effect once or not at all. 'open' has no response.
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
  /** Read of the user's own data through the frontend that confirmed a rename. */
  | 'me'
  | 'fetch';

/** Request of a user other than registrations and polls. */
export interface CallRecord {
  /** Unique name of the call in the run; the content of its message begins with it. */
  readonly op: string;
  readonly kind: CallKind;
  readonly user: number;
  /** Scheduler steps at which the request was sent and its response arrived. */
  readonly startStep: number;
  endStep: number;
  /** Wall time of the response, ms; absent until then. */
  endMs?: number;
  outcome: CallOutcome;
  /**
   * Whether the network repeated a command of the call, possibly after its response. Refusals are not cached for
   * retries, so a repeat of a refused command may take effect once.
   */
  wasRepeated?: boolean;
  /** Body of the response. */
  body: Fields;
  /** Target stream of a send, schedule or subscription change. */
  readonly stream?: number;
  /** Members of the direct conversation of a send or schedule, with the sender. */
  readonly users?: readonly number[];
  /** Queue and local id that a send names, for the event in the sender's own queue. */
  readonly local?: { readonly queue: string; readonly id: string };
  /** Wall time at which a scheduled message is due, s. */
  readonly scheduledS?: number;
  /** Messages that an edit, delete, reaction or read mark names. */
  readonly messages?: readonly number[];
  /** User whom a subscription change or a deactivation concerns. */
  readonly targetUser?: number;
}

/** Poll of a queue. */
export interface PollRecord {
  /** `last_event_id` of the request. */
  readonly lastEventId: number;
  readonly startStep: number;
  endStep: number;
  outcome: CallOutcome | 'abandoned';
  events: readonly ApiEvent[];
  code: string;
}

/** Event queue with its polls and the states that its client fetched. */
export interface QueueRecord {
  readonly id: string;
  readonly user: number;
  /** Name of the client's registration parameters (test/api/support/comparable.ts). */
  readonly clientType: string;
  /** Response to the registration. */
  readonly snapshot: Fields;
  readonly polls: PollRecord[];
  /** First stored state of the queue's actor. */
  firstState: EventQueueActorState | undefined;
  /** Whether the client requested the deletion of the queue. */
  isDeletionRequested: boolean;
  /** Whether the deletion succeeded. */
  isDeletionConfirmed: boolean;
  /** State of a new registration after the queue's last event; undefined if the queue ended before. */
  finalState: Fields | undefined;
}

/** Message record in the Store at the end of the run. */
export interface StoredMessage {
  readonly id: number;
  readonly content: string;
  readonly reactions: readonly { readonly user: number }[];
}

/** Mail about missed messages, once per delivery to the mail server. */
export interface MailRecord {
  readonly id: string;
  readonly user: number;
  /** Thread id; equal for all mails about one conversation. */
  readonly thread: string;
  /** Wall time at which the mail was written, ms. */
  readonly date: number;
  /** Calls whose messages the mail shows: missed messages and the ones before them. */
  readonly ops: readonly string[];
}

export interface LoggedEntry {
  readonly seq: number;
  readonly entry: LogEntry;
}

export interface RunRecord {
  readonly users: readonly number[];
  readonly streams: readonly { readonly id: number; readonly isPrivate: boolean }[];
  /** Log of the realm from its first entry. */
  readonly log: readonly LoggedEntry[];
  readonly calls: readonly CallRecord[];
  readonly queues: readonly QueueRecord[];
  readonly mails: readonly MailRecord[];
  /** Messages in the Store at the end. */
  readonly messages: readonly StoredMessage[];
  /** Whether the run had only planned changes, which no client should notice. */
  readonly isGraceful: boolean;
  /** Wall time at the end, ms. */
  readonly now: number;
}
