/** Persisted state of a conversation. Each subscriber is a part; messages are records of the Store. */
import type { JsonObject } from '#base';
import type { DailyCounts } from '#domain/streams';
import type { ArgsOf, Command } from '#model/commands';
import type { CommandDefinition, View } from '#runtime';
import type { ActorServices } from '../services.js';
import type { RecentlyChangedMessages } from './recent.js';

export interface StreamState extends JsonObject {
  readonly phase: string;
  /** Membership version: raised by 1 with each change of the subscribers. */
  readonly mv: number;
  /** Id of the newest message; 0 before the first. */
  readonly last: number;
  /** Direct messages: all participants, ascending. Streams: []. */
  readonly participants: readonly number[];
  /** Direct messages: recipient_id of the group; 0 for one or two participants, whose messages carry the receiver's. */
  readonly recipient: number;
  /** The daily check of the messages' age is set (commands/retention.ts). */
  readonly watched?: boolean;
  /** Streams: messages by day. */
  readonly traffic?: DailyCounts;
  /** Streams: the traffic last reported to the realm actor; absent: 0. */
  readonly trafficTold?: number;
}

/** Handler of a command with these arguments. */
export type StreamHandler<A extends JsonObject, I = undefined> = CommandDefinition<
  StreamState,
  A,
  I,
  StreamVolatile,
  ActorServices
>;

/** Handler of a declared command. */
export type StreamCommand<C extends Command<'stream' | 'dm'>, I = undefined> = StreamHandler<ArgsOf<C>, I>;

/** In memory only. */
export interface StreamVolatile {
  readonly recent: RecentlyChangedMessages;
}

export type StreamView = View<StreamState, StreamVolatile>;
