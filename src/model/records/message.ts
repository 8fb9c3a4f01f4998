import type { JsonObject } from '#base';

/**
 * A message as stored: indexed fields beside the body. `conversation` is the message's current place: `s<stream id>`,
 * or `d<recipient set>` as in the conversation's actor key.
 */
export interface MessageRecord {
  readonly id: number;
  readonly conversation: string;
  /** Topic of a stream message with folded case; '' for direct messages. */
  readonly topicKey: string;
  readonly sender: number;
  /** User ids of all participants of a direct message; empty for stream messages. */
  readonly participants: readonly number[];
  /** The original conversation of a message that was moved to another one; '' for other messages. */
  readonly movedFrom: string;
  /** Search tags from an open vocabulary (domain/messages/stored/record.ts); no repeats. */
  readonly tags: readonly string[];
  /** All other fields of the message; not indexed. */
  readonly body: JsonObject;
}
