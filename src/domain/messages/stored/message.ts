/** The body of a stored message: what its record holds beside the indexed fields. */
import type { JsonObject } from '#base';
import type { EmojiRef } from '#model';
import type { MessageRecord } from '#model/records';

export interface StoredReaction extends EmojiRef {
  readonly user: number;
}

/** One entry of the edit history: what was there before, of what this edit changed. */
export interface StoredEdit extends JsonObject {
  readonly user: number;
  /** Seconds since 1970. */
  readonly at: number;
  readonly content?: { readonly raw: string; readonly html: string };
  readonly topic?: { readonly from: string; readonly to: string };
  readonly stream?: { readonly from: number; readonly to: number };
}

/**
 * A move to another stream. Who kept, lost or gained a copy follows from who was subscribed then: membership versions
 * are for ever.
 */
export interface Move extends JsonObject {
  readonly from: number;
  /** Membership version of the old stream. */
  readonly fromMv: number;
  readonly to: number;
  readonly toMv: number;
  /** Subscribers of the new stream can't read its history otherwise, so they gained copies (read ones). */
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
  /** In the order in which they were made. */
  readonly reactions?: readonly StoredReaction[];
  /** Who made a copy by reacting to what was none of theirs: they hear of changes from then on. */
  readonly copies?: readonly number[];
  /** Newest first. */
  readonly edits?: readonly StoredEdit[];
  /** Between streams; oldest first. */
  readonly moves?: readonly Move[];
  /** In the order in which they came. */
  readonly submessages?: readonly StoredSubmessage[];
  /** Uploaded files that it links: their paths. */
  readonly files?: readonly string[];
}

export interface StoredMessage {
  readonly id: number;
  readonly sender: number;
  /** Direct messages: everybody in the conversation, ascending. Streams: []. */
  readonly participants: readonly number[];
  /** Stream to which it was sent, whose stays say who has a copy; 0 = direct. */
  readonly originStream: number;
  readonly body: MessageBody;
}

export const streamConversation = (stream: number): string => `s${stream}`;

export const asStored = (record: MessageRecord): StoredMessage => {
  const body = record.body as MessageBody;
  return {
    id: record.id,
    sender: record.sender,
    participants: record.participants,
    originStream: record.movedFrom === '' ? body.stream : Number(record.movedFrom.slice(1)),
    body,
  };
};
