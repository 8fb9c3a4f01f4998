/** Reads messages from their digests (digest.ts), and decodes a message only when its body is needed. */
import type { PackedMessage } from '#ports/store';
import {
  MESSAGE_CREATION_FLAG_BITS,
  MESSAGE_DIGEST_FACT_INDEX,
  MESSAGE_DIGEST_MARK_BITS,
  MESSAGE_DIGEST_TEXT_INDEX,
  MESSAGE_DIGEST_VERSION,
} from './digest.js';
import { type MessageBody, type StoredMessage, type StoredMessageStreamMove, toStoredMessage } from './message.js';

const NO_PARTICIPANTS: readonly number[] = [];
const NO_MOVES: readonly StoredMessageStreamMove[] = [];

/**
 * A reusable view of one packed message at a time. Like `PackedMessage` itself, the view is valid only until the Store
 * goes on to the next message.
 */
export class PackedMessageView implements StoredMessage {
  id = 0;
  sender = 0;
  participants: readonly number[] = NO_PARTICIPANTS;
  originStream = 0;
  /** Stream where the message is now; 0 = a direct message. */
  stream = 0;
  /** Facts about the message: a sum of `MESSAGE_DIGEST_MARK_BITS`. */
  markBits = 0;
  packed!: PackedMessage;

  /** Shows this message. Returns this view, or the decoded message if its digest has another version. */
  pointTo(packed: PackedMessage): StoredMessage {
    if (packed.digestVersion !== MESSAGE_DIGEST_VERSION) return toStoredMessage(packed.record);
    this.packed = packed;
    this.id = packed.id;
    this.stream = packed.readFact(MESSAGE_DIGEST_FACT_INDEX.stream);
    this.originStream = packed.readFact(MESSAGE_DIGEST_FACT_INDEX.originStream);
    this.sender = packed.readFact(MESSAGE_DIGEST_FACT_INDEX.sender);
    this.markBits = packed.readFact(MESSAGE_DIGEST_FACT_INDEX.marks);
    this.participants =
      packed.readFact(MESSAGE_DIGEST_FACT_INDEX.participants) === 0 ? NO_PARTICIPANTS : participantsOf(packed);
    return this;
  }

  get body(): MessageBody {
    return this.packed.record.body as MessageBody;
  }
}

function participantsOf(packed: PackedMessage): readonly number[] {
  const participants: number[] = [];
  const end = MESSAGE_DIGEST_FACT_INDEX.others + packed.readFact(MESSAGE_DIGEST_FACT_INDEX.participants);
  for (let i: number = MESSAGE_DIGEST_FACT_INDEX.others; i < end; i++) participants.push(packed.readFact(i));
  return participants;
}

export const streamIdOfMessage = (message: StoredMessage): number =>
  message instanceof PackedMessageView ? message.stream : message.body.stream;

export function streamMovesOfMessage(message: StoredMessage): readonly StoredMessageStreamMove[] {
  if (message instanceof PackedMessageView && (message.markBits & MESSAGE_DIGEST_MARK_BITS.moved) === 0)
    return NO_MOVES;
  return message.body.moves ?? NO_MOVES;
}

export const hasWildcardMention = (message: StoredMessage): boolean =>
  message instanceof PackedMessageView
    ? (message.markBits & MESSAGE_DIGEST_MARK_BITS.wildcard) !== 0
    : message.body.wildcard;

/** Flags that the user got when the message was sent: a sum of `MESSAGE_CREATION_FLAG_BITS`. */
export function creationFlagBitsOfUser(message: StoredMessage, user: number): number {
  if (!(message instanceof PackedMessageView)) {
    let sum = 0;
    const flags = message.body.flags[user];
    if (flags)
      for (const flag of Object.keys(MESSAGE_CREATION_FLAG_BITS) as (keyof typeof MESSAGE_CREATION_FLAG_BITS)[])
        if (flags.includes(flag)) sum |= MESSAGE_CREATION_FLAG_BITS[flag];
    return sum;
  }
  const { packed } = message;
  for (
    let i = MESSAGE_DIGEST_FACT_INDEX.others + packed.readFact(MESSAGE_DIGEST_FACT_INDEX.participants);
    i < packed.factCount;
    i += 2
  ) {
    if (packed.readFact(i) === user) return packed.readFact(i + 1);
  }
  return 0;
}

/** Makes a test whether a stream message is in the topic. @param key as `toTopicKey` makes it */
export function makeTopicPredicate(key: string): (message: StoredMessage) => boolean {
  const json = Buffer.from(JSON.stringify(key).slice(1, -1));
  return (message) => {
    if (streamIdOfMessage(message) === 0) return false;
    if (message instanceof PackedMessageView)
      return message.packed.isTextEqualTo(MESSAGE_DIGEST_TEXT_INDEX.topicKey, json);
    return message.body.topic.toLowerCase() === key;
  };
}
