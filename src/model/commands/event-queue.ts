import { commandOf, type FieldsReply } from './command.js';

const command = commandOf<'queue'>();

export type QueueOptions = {
  readonly applyMarkdown: boolean;
  readonly clientGravatar: boolean;
  readonly slimPresence: boolean;
  readonly includeSubscribers: boolean;
  readonly allPublicStreams: boolean;
  /** The client knows the profile field type "pronouns". */
  readonly pronouns: boolean;
  /** null: all. */
  readonly eventTypes: readonly string[] | null;
  /** For message events only; pairs of operator and operand. */
  readonly narrow: readonly (readonly string[])[];
  readonly capabilities: {
    readonly notification_settings_null: boolean;
    readonly bulk_message_deletion: boolean;
    readonly user_avatar_url_field_optional: boolean;
    readonly stream_typing_notifications: boolean;
    readonly user_settings_object: boolean;
    readonly linkifier_url_template: boolean;
  };
};

/** Reasons for which the feed of the log ends a queue. */
export type FeedEndReason =
  /** Entries that the queue still needs are no longer kept. */
  | 'trimmed'
  /** The log is another one than when the queue was made. */
  | 'incarnation';

/** Reason of the end of a queue. */
export type QueueEndReason =
  /** Its client deleted it. */
  | 'deleted'
  /** No sign of life from its client for its whole lifespan. */
  | 'idle'
  /** More events waited than the queue may hold. */
  | 'overflow'
  /** Its account was deactivated. */
  | 'deactivated'
  /** Its account has too many queues, and this one was idle for longest. */
  | 'crowded'
  | FeedEndReason;

export type RegisterArgs = {
  readonly options: QueueOptions;
  /** State sections to send; null: all, []: none. */
  readonly fetch: readonly string[] | null;
  readonly queue_id: string;
  readonly lifespanMs: number;
  /** Base URL under which the client reached the server. */
  readonly origin: string;
  /** Base URL of the organization. */
  readonly site: string;
  /** The configuration allows streams that are open to the web. */
  readonly webPublicStreams: boolean;
};

export type PollArgs = {
  /** Highest event id that the client has received; null: the client says nothing about it. */
  readonly last_event_id: number | null;
  /** Answer at once, also with no events. */
  readonly dont_block: boolean;
  /** Heartbeat ids that the frontend may hand out for this poll. */
  readonly beats: number;
};

/** Commands of an event queue. */
export const queueCommands = {
  /** POST /register: make the queue and answer with the state. */
  register: command<RegisterArgs, FieldsReply>('register'),
  /** POST /register without an account: the state alone. */
  visit: command<RegisterArgs, FieldsReply>('visit'),
  /** DELETE /events. */
  remove: command<Record<string, never>, FieldsReply>('delete'),
  /** From the sidecar: write the state that is only in memory. */
  flush: command('flush'),
  /** From the sidecar: the queue ends. */
  end: command<{ readonly reason: QueueEndReason }>('end'),
  /** Timer: end the queue if its client was idle for its whole lifespan. */
  due: command('due'),
};

/** Commands that the sidecar of an event queue takes, outside the mailbox. */
export const liveQueueCommands = {
  /** GET /events: the reply waits for an event. */
  poll: command<PollArgs, FieldsReply>('poll'),
};
