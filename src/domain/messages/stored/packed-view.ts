/** Reads messages from their digests (digest.ts), and decodes a message only when its body is needed. */
import type { PackedMessage } from '#ports/store';
import { DIGEST_VERSION, FACT, MARK, SENT, TEXT } from './digest.js';
import { asStored, type MessageBody, type Move, type StoredMessage } from './message.js';

const NOBODY: readonly number[] = [];
const NO_MOVES: readonly Move[] = [];

/**
 * A reusable view of one packed message at a time. Like `PackedMessage` itself, the view is valid only until the Store
 * goes on to the next message.
 */
export class PackedMessageView implements StoredMessage {
  id = 0;
  sender = 0;
  participants: readonly number[] = NOBODY;
  originStream = 0;
  /** Stream where the message is now; 0 = a direct message. */
  stream = 0;
  /** Sum of `MARK` bits. */
  marks = 0;
  packed!: PackedMessage;

  /** Returns this view, or the decoded message if its digest has another version. */
  pointTo(packed: PackedMessage): StoredMessage {
    if (packed.version !== DIGEST_VERSION) return asStored(packed.record);
    this.packed = packed;
    this.id = packed.id;
    this.stream = packed.fact(FACT.stream);
    this.originStream = packed.fact(FACT.originStream);
    this.sender = packed.fact(FACT.sender);
    this.marks = packed.fact(FACT.marks);
    this.participants = packed.fact(FACT.participants) === 0 ? NOBODY : participantsOf(packed);
    return this;
  }

  get body(): MessageBody {
    return this.packed.record.body as MessageBody;
  }
}

function participantsOf(packed: PackedMessage): readonly number[] {
  const participants: number[] = [];
  const end = FACT.others + packed.fact(FACT.participants);
  for (let i: number = FACT.others; i < end; i++) participants.push(packed.fact(i));
  return participants;
}

export const streamOf = (message: StoredMessage): number =>
  message instanceof PackedMessageView ? message.stream : message.body.stream;

export function movesOf(message: StoredMessage): readonly Move[] {
  if (message instanceof PackedMessageView && (message.marks & MARK.moved) === 0) return NO_MOVES;
  return message.body.moves ?? NO_MOVES;
}

export const isWildcard = (message: StoredMessage): boolean =>
  message instanceof PackedMessageView ? (message.marks & MARK.wildcard) !== 0 : message.body.wildcard;

/** Flags that the user got at creation: a sum of `SENT` bits. */
export function sentFlags(message: StoredMessage, user: number): number {
  if (!(message instanceof PackedMessageView)) {
    let sum = 0;
    const flags = message.body.flags[user];
    if (flags)
      for (const flag of Object.keys(SENT) as (keyof typeof SENT)[]) if (flags.includes(flag)) sum |= SENT[flag];
    return sum;
  }
  const { packed } = message;
  for (let i = FACT.others + packed.fact(FACT.participants); i < packed.facts; i += 2) {
    if (packed.fact(i) === user) return packed.fact(i + 1);
  }
  return 0;
}

/** Makes a test whether a stream message is in the topic. @param key as `topicKey` makes it */
export function topicTest(key: string): (message: StoredMessage) => boolean {
  const json = Buffer.from(JSON.stringify(key).slice(1, -1));
  return (message) => {
    if (streamOf(message) === 0) return false;
    if (message instanceof PackedMessageView) return message.packed.isText(TEXT.topicKey, json);
    return message.body.topic.toLowerCase() === key;
  };
}
