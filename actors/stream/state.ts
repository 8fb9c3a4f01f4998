/** Persisted state of a conversation. Members are parts of their own, messages go to the Store's message port. */
import type { JsonObject } from '#base';
import type { DailyCounts } from '#domain/streams';

export interface StreamState extends JsonObject {
  readonly phase: string;
  /** Membership version: +1 with each change of who is subscribed. */
  readonly mv: number;
  /** Id of the newest message; 0 before the first. */
  readonly last: number;
  /** Direct messages: all participants, ascending. Streams: []. */
  readonly participants: readonly number[];
  /** Direct messages: recipient_id of the group; 0 for one or two participants, whose messages carry the receiver's. */
  readonly recipient: number;
  /** Its messages' age is looked at from time to time (commands/retention.ts). */
  readonly watched?: boolean;
  /** Streams: messages by day. */
  readonly traffic?: DailyCounts;
  /** Streams: what of it the realm actor was told last; absent: nothing. */
  readonly trafficTold?: number;
}
