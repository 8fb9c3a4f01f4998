/** Reads messages from their digests (digest.ts), and decodes a message only when its body is needed. */
import { PackedFieldFinder, type PackedMessageCursor, readPackedNumber, readPackedText } from '#ports/store';
import {
  MESSAGE_CREATION_FLAG_BITS,
  MESSAGE_DIGEST_FACT_BITS,
  MESSAGE_DIGEST_FACT_POSITIONS,
  MESSAGE_DIGEST_TEXT_POSITIONS,
  MESSAGE_DIGEST_VERSION,
} from './digest.js';
import { type MessageBody, type StoredMessage, type StoredMessageStreamMove, toStoredMessage } from './message.js';

/** Fields of a body that are read one by one. */
const SEPARATELY_READ_BODY_FIELDS = ['content', 'html', 'topic', 'sent'] as const;
type BodyText = Exclude<(typeof SEPARATELY_READ_BODY_FIELDS)[number], 'sent'>;
const bodyFieldFinder = new PackedFieldFinder(SEPARATELY_READ_BODY_FIELDS);

/** The fields of a body that decide access, flags and counts of unread messages. */
export type TextlessMessageBody = Pick<MessageBody, 'stream' | 'topic' | 'sent' | 'flags' | 'wildcard' | 'moves'>;

const NO_PARTICIPANTS: readonly number[] = [];
const NO_MOVES: readonly StoredMessageStreamMove[] = [];

/**
 * A reusable view of one packed message at a time. Like `PackedMessageCursor` itself, the view is valid only until the
 * Store goes on to the next message.
 */
export class PackedMessageView implements StoredMessage {
  id = 0;
  sender = 0;
  participants: readonly number[] = NO_PARTICIPANTS;
  originStream = 0;
  /** Stream where the message is now; 0 = a direct message. */
  currentStream = 0;
  /** Facts about the message: a sum of `MESSAGE_DIGEST_FACT_BITS`. */
  digestFactBits = 0;
  packed!: PackedMessageCursor;

  /** Shows this message. Returns this view, or the decoded message if its digest has another version. */
  showOrDecode(packed: PackedMessageCursor): StoredMessage {
    if (packed.digestVersion !== MESSAGE_DIGEST_VERSION) return toStoredMessage(packed.decodedRecord);
    this.packed = packed;
    this.id = packed.id;
    this.currentStream = packed.readDigestFact(MESSAGE_DIGEST_FACT_POSITIONS.stream);
    this.originStream = packed.readDigestFact(MESSAGE_DIGEST_FACT_POSITIONS.originStream);
    this.sender = packed.readDigestFact(MESSAGE_DIGEST_FACT_POSITIONS.sender);
    this.digestFactBits = packed.readDigestFact(MESSAGE_DIGEST_FACT_POSITIONS.marks);
    this.participants =
      packed.readDigestFact(MESSAGE_DIGEST_FACT_POSITIONS.participants) === 0
        ? NO_PARTICIPANTS
        : readParticipantsOfPacked(packed);
    return this;
  }

  /** The text as JSON without quotes. */
  get contentJson(): Uint8Array {
    return this.packed.readDigestTextJson(MESSAGE_DIGEST_TEXT_POSITIONS.content);
  }

  /** The rendered text as JSON without quotes. */
  get htmlJson(): Uint8Array {
    return this.packed.readDigestTextJson(MESSAGE_DIGEST_TEXT_POSITIONS.html);
  }

  /** Reads one text of the body without decoding the others. */
  readBodyText(name: BodyText): string {
    return readPackedText(this.packed.memoryView, this.#findBodyField(name)) ?? this.body[name];
  }

  readTextlessBody(): TextlessMessageBody {
    const moves = streamMovesOfMessage(this);
    return {
      stream: this.currentStream,
      topic: this.readBodyText('topic'),
      sent: readPackedNumber(this.packed.memoryView, this.#findBodyField('sent')) ?? this.body.sent,
      flags: creationFlagsByUser(this),
      wildcard: hasWildcardMention(this),
      ...(moves.length > 0 ? { moves } : {}),
    };
  }

  #findBodyField(name: (typeof SEPARATELY_READ_BODY_FIELDS)[number]): number {
    this.packed.findBodyFields(bodyFieldFinder);
    return bodyFieldFinder.positions[SEPARATELY_READ_BODY_FIELDS.indexOf(name)]!;
  }

  /** Returns the message in a form that stays valid. */
  decode(): StoredMessage {
    return toStoredMessage(this.packed.decodedRecord);
  }

  get body(): MessageBody {
    return this.packed.decodedRecord.body as MessageBody;
  }
}

function readParticipantsOfPacked(packed: PackedMessageCursor): readonly number[] {
  const participants: number[] = [];
  const end = MESSAGE_DIGEST_FACT_POSITIONS.others + packed.readDigestFact(MESSAGE_DIGEST_FACT_POSITIONS.participants);
  for (let i: number = MESSAGE_DIGEST_FACT_POSITIONS.others; i < end; i++) participants.push(packed.readDigestFact(i));
  return participants;
}

export const currentStreamIdOfMessage = (message: StoredMessage): number =>
  message instanceof PackedMessageView ? message.currentStream : message.body.stream;

const bodyTextOfMessage = (message: StoredMessage, name: BodyText): string =>
  message instanceof PackedMessageView ? message.readBodyText(name) : message.body[name];

export const contentOfMessage = (message: StoredMessage): string => bodyTextOfMessage(message, 'content');
export const htmlOfMessage = (message: StoredMessage): string => bodyTextOfMessage(message, 'html');
export const topicOfMessage = (message: StoredMessage): string => bodyTextOfMessage(message, 'topic');

export function streamMovesOfMessage(message: StoredMessage): readonly StoredMessageStreamMove[] {
  if (message instanceof PackedMessageView && (message.digestFactBits & MESSAGE_DIGEST_FACT_BITS.moved) === 0)
    return NO_MOVES;
  return message.body.moves ?? NO_MOVES;
}

export const hasWildcardMention = (message: StoredMessage): boolean =>
  message instanceof PackedMessageView
    ? (message.digestFactBits & MESSAGE_DIGEST_FACT_BITS.wildcard) !== 0
    : message.body.wildcard;

/** Flags that the user got when the message was sent: a sum of `MESSAGE_CREATION_FLAG_BITS`. */
export function creationFlagBitsOfUser(message: StoredMessage, user: number): number {
  if (!(message instanceof PackedMessageView)) return sumOfCreationFlagBits(message.body.flags[user]);
  const { packed } = message;
  for (let i = firstFlagFactOf(packed); i < packed.factCount; i += 2) {
    if (packed.readDigestFact(i) === user) return packed.readDigestFact(i + 1);
  }
  return 0;
}

/** Flags that users got when the message was sent: pairs of a user and a sum of `MESSAGE_CREATION_FLAG_BITS`. */
export function creationFlagBitPairs(message: StoredMessage): readonly number[] {
  const pairs: number[] = [];
  if (message instanceof PackedMessageView) {
    const { packed } = message;
    for (let i = firstFlagFactOf(packed); i < packed.factCount; i++) pairs.push(packed.readDigestFact(i));
  } else {
    const { flags } = message.body;
    for (const user in flags) pairs.push(Number(user), sumOfCreationFlagBits(flags[user]));
  }
  return pairs;
}

function creationFlagsByUser({ packed }: PackedMessageView): MessageBody['flags'] {
  const flags: Record<number, readonly string[]> = {};
  for (let i = firstFlagFactOf(packed); i < packed.factCount; i += 2)
    flags[packed.readDigestFact(i)] = CREATION_FLAG_LISTS_BY_BIT_SUM[packed.readDigestFact(i + 1)]!;
  return flags;
}

const CREATION_FLAG_NAMES = Object.keys(MESSAGE_CREATION_FLAG_BITS) as (keyof typeof MESSAGE_CREATION_FLAG_BITS)[];
/** Lists of creation flags by the sum of their bits. */
const CREATION_FLAG_LISTS_BY_BIT_SUM = Array.from({ length: 1 << CREATION_FLAG_NAMES.length }, (_, sum) =>
  CREATION_FLAG_NAMES.filter((name) => (sum & MESSAGE_CREATION_FLAG_BITS[name]) !== 0),
);

const firstFlagFactOf = (packed: PackedMessageCursor): number =>
  MESSAGE_DIGEST_FACT_POSITIONS.others + packed.readDigestFact(MESSAGE_DIGEST_FACT_POSITIONS.participants);

function sumOfCreationFlagBits(flags: readonly string[] | undefined): number {
  let sum = 0;
  if (flags) for (const flag of CREATION_FLAG_NAMES) if (flags.includes(flag)) sum |= MESSAGE_CREATION_FLAG_BITS[flag];
  return sum;
}

/** Makes a test whether a stream message is in the topic. @param key as `toComparableTopicKey` makes it */
export function makeInTopicPredicate(key: string): (message: StoredMessage) => boolean {
  const json = Buffer.from(JSON.stringify(key).slice(1, -1));
  return (message) => {
    if (currentStreamIdOfMessage(message) === 0) return false;
    if (message instanceof PackedMessageView)
      return message.packed.isDigestTextEqualTo(MESSAGE_DIGEST_TEXT_POSITIONS.topicKey, json);
    return message.body.topic.toLowerCase() === key;
  };
}
