/**
 * Record of a run: requests and responses of its clients, events of their queues, and the messages stored at the end.
 */

/** Milliseconds of the one clock of the process that holds all clients. */
export type Moment = number;

export type Outcome =
  | { readonly kind: 'acknowledged'; readonly at: Moment }
  | { readonly kind: 'refused'; readonly at: Moment; readonly status: number; readonly code: string }
  /** The connection broke, or nothing came in time. */
  | { readonly kind: 'unanswered'; readonly at: Moment; readonly reason: string };

export type WriteKind = 'send' | 'edit' | 'reaction';

/** One change that a client asked for, once. */
export interface ClientWrite {
  readonly kind: WriteKind;
  /** Under which it is found in events and in the history; no two deeds have the same. */
  readonly key: string;
  readonly conversation: string;
  /** Of a send, the id in the answer. */
  message: number | undefined;
  readonly begun: Moment;
  /** Undefined while it is under way. */
  outcome: Outcome | undefined;
}

export interface Received {
  readonly id: number;
  /** Of the deed; undefined for what the server says by itself. */
  readonly key: string | undefined;
  readonly kind: WriteKind | 'other';
  readonly message: number | undefined;
  /** Undefined where the event does not say. */
  readonly conversation: string | undefined;
}

/** An answered poll. */
export interface Poll {
  /** Id of the event that the client acknowledged with the poll. */
  readonly after: number;
  readonly at: Moment;
  readonly events: readonly Received[];
  /** Whether the client used the response; otherwise it acts as if the response was lost, and repeats the poll. */
  readonly taken: boolean;
}

export interface QueueHistory {
  readonly name: string;
  /** To which it belonged from before the first deed to after the last. */
  readonly conversations: ReadonlySet<string>;
  readonly polls: Poll[];
  /** BAD_EVENT_QUEUE_ID, each with its moment. */
  readonly ended: Moment[];
  /** Polls without an answer for longer than any poll is held. */
  readonly stuck: Moment[];
}

/** One message as `GET /messages` shows it. */
export interface Stored {
  readonly id: number;
  readonly key: string | undefined;
  readonly conversation: string;
  /** Keys of the edits and reactions that it shows. */
  readonly changes: readonly string[];
}

export interface Interruption {
  readonly at: Moment;
  /**
   * A host or a frontend killed, a service away for a while, or a host that alone did not reach the store for a while.
   */
  readonly kind: 'kill' | 'service' | 'cut';
  readonly name: string;
}

export interface RunHistory {
  readonly writes: readonly ClientWrite[];
  readonly queues: readonly QueueHistory[];
  /**
   * Keys that the history showed before each queue got a last message of each of its conversations: all of it was on
   * its way.
   */
  readonly settled: ReadonlySet<string>;
  /** The whole history at the end, as answered: each conversation oldest first. */
  readonly stored: readonly Stored[];
  readonly interruptions: readonly Interruption[];
  /** Conversations that took no message although everything had long been back. */
  readonly stuckConversations: readonly string[];
}
