/** Persisted state of a conversation. Each subscriber is a part; messages are records of the Store. */
import type { JsonObject } from '#base';
import type { DailyMessageCounts } from '#domain/streams';
import type { ActorCommandName, ArgsOfCommand } from '#model/commands';
import type { ActorView, CommandDefinition } from '#runtime';
import type { ActorServices } from '../services.js';
import type { MissedMessageNoticeMemory } from './informed.js';
import type { RecentlyChangedMessages } from './recent.js';

/** Progress of the checks of the messages' age, from one batch to the next (commands/retention.ts). */
export interface RetentionProgress extends JsonObject {
  /** Id up to which the running check has looked; 0: the next batch begins with the oldest message. */
  readonly checkedUpTo: number;
  /** Highest known id of a message from a clock that was ahead, up to which each check goes; 0: none is known. */
  readonly aheadUpTo: number;
}

export interface ConversationActorState extends JsonObject {
  readonly phase: string;
  /** Membership version of the stream: raised by 1 with each change of the subscribers. */
  readonly mv: number;
  /** Id of the newest message in the conversation; 0 before the first. */
  readonly last: number;
  /** Ids of all participants of a direct-message conversation, ascending; [] for streams. */
  readonly participants: readonly number[];
  /**
   * recipient_id of a group of direct messages; 0 for streams, and for one or two participants, whose messages carry
   * the receiver's.
   */
  readonly recipient: number;
  /** True if the daily check of the messages' age is set (commands/retention.ts). */
  readonly watched?: boolean;
  /** Planned time of the next daily check, wall time, ms; absent: an earlier version planned it. */
  readonly nextCheck?: number;
  /** Time until which a check that came late was put off, wall time, ms (`findPauseOfLateDeletion`). */
  readonly checkPutOffUntil?: number;
  readonly retention?: RetentionProgress;
  /** Number of a stream's messages by day. */
  readonly traffic?: DailyMessageCounts;
  /** Number of a stream's messages of the last 28 days, as last reported to the realm actor; absent: 0. */
  readonly trafficTold?: number;
}

/** Handler of a conversation's command with these arguments. */
export type ConversationActorHandler<A extends JsonObject, I = undefined> = CommandDefinition<
  ConversationActorState,
  A,
  I,
  ConversationMemoryState,
  ActorServices
>;

/** Handler of a declared command of conversations. */
export type ConversationCommandHandler<
  C extends ActorCommandName<'stream' | 'dm'>,
  I = undefined,
> = ConversationActorHandler<ArgsOfCommand<C>, I>;

/** State of a conversation that is only in memory. */
export interface ConversationMemoryState {
  readonly recentlyChangedMessages: RecentlyChangedMessages;
  readonly missedNoticeMemory: MissedMessageNoticeMemory;
}

export type ConversationActorView = ActorView<ConversationActorState, ConversationMemoryState>;
