/** The body of a stored message: what its record holds beside the indexed fields. */
import type { JsonObject } from '../core/index.js';
import type { MessageRecord } from '../store/index.js';

export interface MessageBody extends JsonObject {
  /** Raw Markdown. */
  readonly content: string;
  readonly html: string;
  /** Stream messages: topic in its own spelling. Direct: ''. */
  readonly topic: string;
  /** Seconds since 1970. */
  readonly sent: number;
  readonly client: string;
  /** recipient_id as sent. */
  readonly recipient: number;
  /** Stream id, or 0 for direct messages. */
  readonly stream: number;
  /** Revision of the record: 1 when sent, +1 with every change. */
  readonly rev: number;
  /** Flags that single users got when it was sent: user id → flags. */
  readonly flags: { readonly [user: string]: readonly string[] };
  /** Everybody who has it was mentioned. */
  readonly wildcard: boolean;
  readonly topicLinks: readonly { readonly text: string; readonly url: string }[];
  /** For `has:` narrows. */
  readonly has: { readonly link: boolean; readonly image: boolean };
}

export interface StoredMessage {
  readonly id: number;
  readonly sender: number;
  /** Direct messages: everybody in the conversation, ascending. Streams: []. */
  readonly participants: readonly number[];
  readonly body: MessageBody;
}

export const streamConversation = (stream: number): string => `s${stream}`;

export const asStored = (record: MessageRecord): StoredMessage => ({
  id: record.id,
  sender: record.sender,
  participants: record.participants,
  body: record.body as MessageBody,
});
