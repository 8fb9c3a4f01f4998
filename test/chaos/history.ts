/**
 * Record of a run: requests and responses of its clients, events of their queues, and the messages stored at the end.
 */

/** Time in ms, by the clock of the process that runs all clients. */
export type Moment = number;

export type Outcome =
  | { readonly kind: 'acknowledged'; readonly at: Moment }
  | { readonly kind: 'refused'; readonly at: Moment; readonly status: number; readonly code: string }
  /** The connection ended, or the answer took too long: the write may or may not be stored. */
  | { readonly kind: 'unanswered'; readonly at: Moment; readonly reason: string };

export type WriteKind = 'send' | 'edit' | 'reaction';

/** One change that a client requested once. */
export interface ClientWrite {
  readonly kind: WriteKind;
  /** Unique name of the write, by which events and the message history show it. */
  readonly key: string;
  readonly conversation: string;
  /** Id of the message; for a send, the one in its answer. */
  message: number | undefined;
  readonly begun: Moment;
  /** Undefined until the request is answered or fails. */
  outcome: Outcome | undefined;
}

export interface Received {
  readonly id: number;
  /** Key of the write; undefined for an event that the server makes by itself. */
  readonly key: string | undefined;
  readonly kind: WriteKind | 'other';
  readonly message: number | undefined;
  /** Undefined if the event doesn't name its conversation. */
  readonly conversation: string | undefined;
}

/** An answered poll. */
export interface Poll {
  /** Id of the event that the client acknowledged with the poll. */
  readonly after: number;
  readonly at: Moment;
  readonly events: readonly Received[];
  /** True if the client used the answer; otherwise it acts as if the answer had been lost, and repeats the poll. */
  readonly taken: boolean;
}

export interface QueueHistory {
  readonly name: string;
  /** Conversations whose events the queue gets during the whole run. */
  readonly conversations: ReadonlySet<string>;
  readonly polls: Poll[];
  /** Times of answers with the code BAD_EVENT_QUEUE_ID. */
  readonly ended: Moment[];
  /** Times of polls that had no answer for longer than the server holds a poll. */
  readonly stuck: Moment[];
}

/** A message in an answer of `GET /messages`. */
export interface Stored {
  readonly id: number;
  readonly key: string | undefined;
  readonly conversation: string;
  /** Keys of the edits and reactions of the message. */
  readonly changes: readonly string[];
}

export interface Interruption {
  readonly at: Moment;
  /**
   * `kill`: a process was killed; `service`: NATS or the store was down for a while; `cut`: one host could not reach
   * the store.
   */
  readonly kind: 'kill' | 'service' | 'cut';
  readonly name: string;
}

export interface RunHistory {
  readonly writes: readonly ClientWrite[];
  readonly queues: readonly QueueHistory[];
  /**
   * Keys of the writes that were stored before the last message of each conversation was sent. Each queue of the
   * conversation must deliver them.
   */
  readonly settled: ReadonlySet<string>;
  /** All messages at the end of the run; those of a conversation in the order of the answers, oldest first. */
  readonly stored: readonly Stored[];
  readonly interruptions: readonly Interruption[];
  /** Conversations that accepted no message at the end of the run, long after the last fault. */
  readonly stuckConversations: readonly string[];
}
