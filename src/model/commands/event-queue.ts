import { type ActorFieldsReply, makeCommandDeclarer } from './command.js';

const declareCommand = makeCommandDeclarer<'queue'>();

export type EventQueueOptions = {
  readonly applyMarkdown: boolean;
  readonly clientGravatar: boolean;
  readonly slimPresence: boolean;
  readonly includeSubscribers: boolean;
  readonly allPublicStreams: boolean;
  /** True if the client knows the profile field type "pronouns". */
  readonly pronouns: boolean;
  /** API level at which the queue was registered; absent: the base level. */
  readonly apiLevel?: number;
  /** True if the client takes the empty topic name; only at an API level that has it. */
  readonly takesEmptyTopicName?: boolean;
  /**
   * True if a session of the web client registered the queue: neither state nor events carry API keys and tokens of
   * bots, because any script of a page could read them.
   */
  readonly withoutBotSecrets?: true;
  /** Types of events that the queue delivers; null: all. */
  readonly eventTypes: readonly string[] | null;
  /** Narrow of the queue as pairs of operator and operand; it filters message events only. */
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

/** Reasons for which the delivery of log events to a queue ends the queue. */
export type FeedQueueEndReason =
  /** The log no longer keeps entries that the queue still needs. */
  | 'trimmed'
  /** The log was lost or recreated since the queue was made. */
  | 'incarnation';

/** Reason why an event queue ended. */
export type EventQueueEndReason =
  /** The client deleted its queue. */
  | 'deleted'
  /** The client made no request for the lifespan of its queue. */
  | 'idle'
  /** More events waited for the client than a queue may hold. */
  | 'overflow'
  /** The account of the queue was deactivated. */
  | 'deactivated'
  /** The account has too many queues, and this one was idle for the longest time. */
  | 'crowded'
  | FeedQueueEndReason;

export type RegisterEventQueueArgs = {
  readonly options: EventQueueOptions;
  /** Sections of the initial state to send with the registration; null: all, []: none. */
  readonly fetch: readonly string[] | null;
  readonly queue_id: string;
  readonly lifespanMs: number;
  /** Base URL under which the client reached the server. */
  readonly origin: string;
  /** Base URL of the organization. */
  readonly site: string;
  /** True if the server's configuration allows streams that are open to the web. */
  readonly webPublicStreams: boolean;
  /** True if the server is configured with an identity provider of the organization. */
  readonly hasSingleSignOn: boolean;
};

export type PollEventsArgs = {
  /** Id of the newest event that the client has received; null: not given. */
  readonly last_event_id: number | null;
  /** True if the poll is answered at once, even if there are no events. */
  readonly dont_block: boolean;
  /** Number of heartbeat ids that the frontend may use while this poll waits. */
  readonly beats: number;
};

/** Commands of an event queue's actor. */
export const eventQueueActorCommands = {
  /** POST /register: makes an event queue and replies with the user's initial state. */
  register: declareCommand<RegisterEventQueueArgs, ActorFieldsReply>('register'),
  /** POST /register without an account: replies with the public state and makes no event queue. */
  visit: declareCommand<RegisterEventQueueArgs, ActorFieldsReply>('visit'),
  /** DELETE /events: deletes the event queue. */
  remove: declareCommand<Record<string, never>, ActorFieldsReply>('delete'),
  /** Sent by the queue's own sidecar: writes the state that is only in memory. */
  flush: declareCommand('flush'),
  /** Sent by the queue's own sidecar: ends the queue for a reason. */
  end: declareCommand<{ readonly reason: EventQueueEndReason }>('end'),
  /** Sent by the actor's timer: ends the queue if its client made no request for the whole lifespan. */
  due: declareCommand('due'),
};

/** Commands that the sidecar of an event queue handles, outside the mailbox. */
export const eventQueueSidecarCommands = {
  /** GET /events: a long poll, whose reply waits for an event. */
  poll: declareCommand<PollEventsArgs, ActorFieldsReply>('poll'),
};
