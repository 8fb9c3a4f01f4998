/** A stored message: the indexed fields of its record, and its body with all the others. */
import type { JsonObject } from '#base';
import type { EmojiReference } from '#model';
import type { MessageRecord } from '#model/records';

export interface StoredReaction extends EmojiReference {
  readonly user: number;
}

/** An entry of a message's edit history: the old values of everything that this edit changed. */
export interface StoredMessageEdit extends JsonObject {
  readonly user: number;
  /** Time of the edit, seconds since 1970. */
  readonly at: number;
  readonly content?: { readonly raw: string; readonly html: string };
  readonly topic?: { readonly from: string; readonly to: string };
  readonly stream?: { readonly from: number; readonly to: number };
}

/**
 * A move to another stream. The subscribers at that time decide which users kept, lost or gained a copy. They stay
 * known, as a membership version always names the same set of subscribers.
 */
export interface StoredMessageStreamMove extends JsonObject {
  readonly from: number;
  /** Membership version of the old stream at the move. */
  readonly fromMv: number;
  readonly to: number;
  readonly toMv: number;
  /** True if subscribers of the new stream got copies, marked as read, because they can't read the stream's history. */
  readonly gained: boolean;
  /**
   * True if the new stream is private: only its subscribers keep or gain copies. Moves of older versions lack it; a
   * `gained` move is closed, because only private streams have protected history.
   */
  readonly closed?: boolean;
}

export interface StoredSubmessage extends JsonObject {
  readonly id: number;
  readonly sender: number;
  readonly type: string;
  /** JSON text of the submessage. */
  readonly content: string;
}

export interface MessageBody extends JsonObject {
  /** Text of the message as Markdown source. */
  readonly content: string;
  readonly html: string;
  /** Topic of a stream message as spelled by the sender; '' for direct messages. */
  readonly topic: string;
  /** Time at which the message was sent, seconds since 1970. */
  readonly sent: number;
  readonly client: string;
  /** Recipient id of the message, the API's `recipient_id`. */
  readonly recipient: number;
  /** Stream where the message is now; 0 for direct messages. */
  readonly stream: number;
  /** Revision of the record: 1 when sent, +1 with every change. */
  readonly rev: number;
  /** Flags that single users got when the message was sent, by user id. */
  readonly flags: { readonly [user: string]: readonly string[] };
  /** True if the text mentions every user with a copy. */
  readonly wildcard: boolean;
  readonly topicLinks: readonly { readonly text: string; readonly url: string }[];
  /** Whether the text has a link and a picture, for `has:` narrows. */
  readonly has: { readonly link: boolean; readonly image: boolean };
  /** Reactions to the message, oldest first. */
  readonly reactions?: readonly StoredReaction[];
  /**
   * Users with a personal copy: they flagged a message of the history or reacted to it, or are bots that it mentioned.
   * They receive events of later changes.
   */
  readonly copies?: readonly number[];
  /** Edit history of the message, newest entry first. */
  readonly edits?: readonly StoredMessageEdit[];
  /** Moves of the message between streams, oldest first. */
  readonly moves?: readonly StoredMessageStreamMove[];
  /** Submessages of the message's widget, oldest first. */
  readonly submessages?: readonly StoredSubmessage[];
  /** Paths of the uploaded files to which the message links. */
  readonly files?: readonly string[];
}

export interface StoredMessage {
  readonly id: number;
  readonly sender: number;
  /** Ids of all participants of a direct message, ascending; [] for stream messages. */
  readonly participants: readonly number[];
  /** Stream to which the message was sent; its subscribers then got copies. 0 = a direct message. */
  readonly originStream: number;
  readonly body: MessageBody;
}

export const storeNameOfStreamConversation = (stream: number): string => `s${stream}`;

/** The stream and the topic to which a message was sent; it may have been moved since. */
export const placeWhereMessageWasSent = ({ originStream, body }: StoredMessage) => ({
  stream: originStream,
  topic: body.edits?.findLast(({ topic }) => topic !== undefined)?.topic?.from ?? body.topic,
});

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
