/** A stored message: the indexed fields of its record, and its body with all the others. */
import type { JsonObject } from '#base';
import type { EmojiRef } from '#model';
import type { MessageRecord } from '#model/records';

export interface StoredReaction extends EmojiRef {
  readonly user: number;
}

/** One entry of the edit history: the old values of everything that this edit changed. */
export interface StoredEdit extends JsonObject {
  readonly user: number;
  /** Seconds since 1970. */
  readonly at: number;
  readonly content?: { readonly raw: string; readonly html: string };
  readonly topic?: { readonly from: string; readonly to: string };
  readonly stream?: { readonly from: number; readonly to: number };
}

/**
 * A move to another stream. The subscribers at that time decide which users kept, lost or gained a copy. They stay
 * known, as a membership version always names the same set of subscribers.
 */
export interface StreamMoveRecord extends JsonObject {
  readonly from: number;
  /** Membership version of the old stream at the move. */
  readonly fromMv: number;
  readonly to: number;
  readonly toMv: number;
  /** Subscribers of the new stream got copies, marked as read, because they can't read the stream's history. */
  readonly gained: boolean;
}

export interface StoredSubmessage extends JsonObject {
  readonly id: number;
  readonly sender: number;
  readonly type: string;
  /** JSON text. */
  readonly content: string;
}

export interface MessageBody extends JsonObject {
  /** Raw Markdown. */
  readonly content: string;
  readonly html: string;
  /** Stream messages: the topic as spelled by the sender. Direct messages: ''. */
  readonly topic: string;
  /** Seconds since 1970. */
  readonly sent: number;
  readonly client: string;
  /** The API's `recipient_id`. */
  readonly recipient: number;
  /** Stream where the message is now; 0 for direct messages. */
  readonly stream: number;
  /** Revision of the record: 1 when sent, +1 with every change. */
  readonly rev: number;
  /** Flags that single users got at creation: user id → flags. */
  readonly flags: { readonly [user: string]: readonly string[] };
  /** The text mentions every user with a copy. */
  readonly wildcard: boolean;
  readonly topicLinks: readonly { readonly text: string; readonly url: string }[];
  /** Tested by `has:` narrows. */
  readonly has: { readonly link: boolean; readonly image: boolean };
  /** Oldest first. */
  readonly reactions?: readonly StoredReaction[];
  /** Users who got a copy by reacting to a message of the history; they receive events of later changes. */
  readonly copies?: readonly number[];
  /** Newest first. */
  readonly edits?: readonly StoredEdit[];
  /** Moves between streams; oldest first. */
  readonly moves?: readonly StreamMoveRecord[];
  /** Oldest first. */
  readonly submessages?: readonly StoredSubmessage[];
  /** Paths of the uploaded files to which the message links. */
  readonly files?: readonly string[];
}

export interface StoredMessage {
  readonly id: number;
  readonly sender: number;
  /** Direct messages: ids of all participants, ascending. Stream messages: []. */
  readonly participants: readonly number[];
  /** Stream to which the message was sent; its subscribers then got copies. 0 = a direct message. */
  readonly originStream: number;
  readonly body: MessageBody;
}

export const streamConversationName = (stream: number): string => `s${stream}`;

export const toStoredMessage = (record: MessageRecord): StoredMessage => {
  const body = record.body as MessageBody;
  return {
    id: record.id,
    sender: record.sender,
    participants: record.participants,
    originStream: record.movedFrom === '' ? body.stream : Number(record.movedFrom.slice(1)),
    body,
  };
};
