/**
 * Record of a run: requests and responses of its clients, events of their queues, and the messages stored at the end.
 */

/** `performance.now()` of the process that runs all clients, ms. */
export type TimestampMs = number;

export type Outcome =
  | { readonly kind: 'acknowledged'; readonly at: TimestampMs }
  | { readonly kind: 'refused'; readonly at: TimestampMs; readonly status: number; readonly code: string }
  /** Connection lost, or no response within the timeout. */
  | { readonly kind: 'unanswered'; readonly at: TimestampMs; readonly reason: string };

export type WriteKind = 'send' | 'edit' | 'reaction';

/** One write request of a client: a send, an edit or a reaction. Clients never retry a write. */
export interface Write {
  readonly kind: WriteKind;
  /** Unique text that identifies the write in events and in stored messages. */
  readonly key: string;
  readonly conversation: string;
  /** Message id: of an edit or reaction its target, of a send the id in the response. */
  message: number | undefined;
  readonly startedAt: TimestampMs;
  /** Undefined while the request is in flight. */
  outcome: Outcome | undefined;
}

export interface ReceivedEvent {
  readonly id: number;
  /** Key of the write; undefined for events that no client caused, such as messages of system bots. */
  readonly key: string | undefined;
  readonly kind: WriteKind | 'other';
  readonly message: number | undefined;
  /** Undefined if the event does not name the conversation, as reactions do not. */
  readonly conversation: string | undefined;
}

/** Poll with a successful response. */
export interface Poll {
  /** Id of the event that the client acknowledged with the poll. */
  readonly after: number;
  readonly at: TimestampMs;
  readonly events: readonly ReceivedEvent[];
  /** Whether the client processed the response. A dropped response simulates its loss: the client repeats the poll. */
  readonly processed: boolean;
}

export interface QueueHistory {
  readonly name: string;
  /** Names of the conversations that the user of the queue was in during the whole run. */
  readonly conversations: ReadonlySet<string>;
  readonly polls: Poll[];
  /** Times of BAD_EVENT_QUEUE_ID responses. */
  readonly ended: TimestampMs[];
  /** Start times of polls without a response within 90 s, longer than the server holds a poll. */
  readonly stuck: TimestampMs[];
}

/** Message in a response of `GET /messages`. */
export interface StoredMessage {
  readonly id: number;
  readonly key: string | undefined;
  readonly conversation: string;
  /** Keys of the edits and reactions that the message contains. */
  readonly changes: readonly string[];
}

export interface Interruption {
  readonly at: TimestampMs;
  /**
   * `kill`: SIGKILL of an actor host or a frontend. `service`: outage of NATS or the store. `cut`: one actor host alone
   * without a connection to the store.
   */
  readonly kind: 'kill' | 'service' | 'cut';
  readonly name: string;
}

export interface RunHistory {
  readonly writes: readonly Write[];
  readonly queues: readonly QueueHistory[];
  /**
   * Keys of writes that were stored before the final message of each conversation was sent. Each queue must have these
   * writes when it has the final messages.
   */
  readonly settledKeys: ReadonlySet<string>;
  /** All messages stored at the end, in the order of the responses: each conversation oldest first. */
  readonly stored: readonly StoredMessage[];
  readonly interruptions: readonly Interruption[];
  /** Names of conversations that accepted no final message within 60 s after the load. */
  readonly deadConversations: readonly string[];
}
