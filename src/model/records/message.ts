import type { JsonObject } from '#base';

/**
 * A message as stored: indexed fields beside the body. `conversation` is the message's current place: `s<stream id>`,
 * or `d<recipient set>` as in the conversation's actor key.
 */
export interface MessageRecord {
  readonly id: number;
  readonly conversation: string;
  /** Stream messages: the topic, case-folded by the caller. Direct messages: ''. */
  readonly topicKey: string;
  readonly sender: number;
  /** User ids of all participants of a direct message; empty for stream messages. */
  readonly participants: readonly number[];
  /** The original conversation of a message that was moved to another one; '' otherwise. */
  readonly movedFrom: string;
  /** Search tags from an open vocabulary (domain/messages/stored/record.ts); no repeats. */
  readonly tags: readonly string[];
  /** All other fields; not indexed. */
  readonly body: JsonObject;
}
