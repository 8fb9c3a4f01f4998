import type { JsonObject } from '../../core/index.js';

/**
 * The indexed fields of a message beside its body. `conversation` is where the message is now (`s<stream id>`, or
 * `d<recipient set>` as in the actor key of the conversation).
 */
export interface MessageRecord {
  readonly id: number;
  readonly conversation: string;
  /** Stream messages: lower-cased topic (case-folded by the caller). Direct messages: ''. */
  readonly topicKey: string;
  readonly sender: number;
  /** Ids of the users to whom the message was addressed directly (direct messages only): all participants. */
  readonly participants: readonly number[];
  /** Conversation to which it was sent, once it was moved away from there; '' before. */
  readonly movedFrom: string;
  /** Words of an open vocabulary under which it can be found (messages/tags.ts); no repeats. */
  readonly tags: readonly string[];
  /** Everything else; not indexed. */
  readonly body: JsonObject;
}
