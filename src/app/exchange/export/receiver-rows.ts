/**
 * Makes the rows of receivers (zerver_usermessage), one for each user who received a message: nine tenths of the bytes
 * of an export and half of its work. The rows need plain data only, so a thread can make them (receiver-threads.ts).
 */
import { type Json, withDoubledLength } from '#base';
import {
  computeMessageCopyState,
  creationFlagBitPairs,
  hasWildcardMention,
  MESSAGE_CREATION_FLAG_BITS,
  type MessageBody,
  type StoredMessage,
  type StoredMessageStreamMove,
  streamMovesOfMessage,
} from '#domain/messages';
import type { StreamMembershipRecord } from '#domain/streams';
import type { UserId } from '#model';
import { EXPORTED_MESSAGE_FLAG_BITS } from '../format/flag-bits.js';
import { BufferedExportFileWriter } from '../format/writer.js';
import { ReceiverRowEncoder } from '../tables/receivers.js';
import { READ_DECISIONS } from './flag-cursors.js';
import { ExportedMessageReceivers } from './receivers.js';

/** The fields of messages on which their rows of receivers depend, as numbers: those are copied to a thread fastest. */
export interface MessagesForReceivers {
  /**
   * For each message its id, its origin stream, 1 if it mentions everybody, the numbers of participants and of users
   * with flags, the participants, and for each user with flags the user and a sum of `MESSAGE_CREATION_FLAG_BITS`.
   */
  readonly numbers: Float64Array;
  /** Moves of the messages that were moved between streams, by message id. */
  readonly movesByMessageId: ReadonlyMap<number, readonly StoredMessageStreamMove[]>;
}

const NO_MOVES: readonly StoredMessageStreamMove[] = [];
const FIRST_CAPACITY_NUMBERS = 16_384;
const NUMBERS_BEFORE_PARTICIPANTS = 5;

/** Collects messages whose rows of receivers are made together. */
export class MessagesForReceiversBuilder {
  #numbers = new Float64Array(FIRST_CAPACITY_NUMBERS);
  #length = 0;
  #movesByMessageId = new Map<number, readonly StoredMessageStreamMove[]>();
  #messageCount = 0;

  /** Number of messages since the last call of `take`. */
  get messageCount(): number {
    return this.#messageCount;
  }

  add(message: StoredMessage): void {
    const { id, originStream, participants } = message;
    const flagPairs = creationFlagBitPairs(message);
    const length = this.#length + NUMBERS_BEFORE_PARTICIPANTS + participants.length + flagPairs.length;
    while (length > this.#numbers.length) this.#numbers = withDoubledLength(this.#numbers);
    const numbers = this.#numbers;
    let at = this.#length;
    numbers[at++] = id;
    numbers[at++] = originStream;
    numbers[at++] = hasWildcardMention(message) ? 1 : 0;
    numbers[at++] = participants.length;
    numbers[at++] = flagPairs.length / 2;
    for (const participant of participants) numbers[at++] = participant;
    for (const one of flagPairs) numbers[at++] = one;
    this.#length = at;
    const moves = streamMovesOfMessage(message);
    if (moves.length > 0) this.#movesByMessageId.set(id, moves);
    this.#messageCount++;
  }

  /** Returns the messages since the last call. */
  take(): MessagesForReceivers {
    const taken = { numbers: this.#numbers.slice(0, this.#length), movesByMessageId: this.#movesByMessageId };
    this.#length = 0;
    this.#messageCount = 0;
    this.#movesByMessageId = new Map();
    return taken;
  }
}

/** One message of `MessagesForReceivers`. */
interface MessageForReceivers {
  readonly id: number;
  readonly originStream: number;
  readonly wildcard: boolean;
  readonly participants: Float64Array;
  /** Pairs of a user and a sum of `MESSAGE_CREATION_FLAG_BITS`. */
  readonly flagPairs: Float64Array;
  readonly moves: readonly StoredMessageStreamMove[];
}

/** The message with empty values in the fields that its receivers do not depend on. */
function toMessageWithoutTexts({ id, originStream, wildcard, participants, flagPairs, moves }: MessageForReceivers) {
  const flags: Record<string, readonly string[]> = {};
  for (let i = 0; i < flagPairs.length; i += 2) {
    const names = Object.entries(MESSAGE_CREATION_FLAG_BITS).filter(([, bit]) => (flagPairs[i + 1]! & bit) !== 0);
    flags[flagPairs[i]!] = names.map(([name]) => name);
  }
  const body: MessageBody = {
    content: '',
    html: '',
    topic: '',
    sent: 0,
    client: '',
    recipient: 0,
    stream: originStream,
    rev: 1,
    flags,
    wildcard,
    topicLinks: [],
    has: { link: false, image: false },
    moves,
  };
  return { id, sender: 0, participants: [...participants], originStream, body } satisfies StoredMessage;
}

export class ReceiverRowMaker {
  readonly #receivers = new ExportedMessageReceivers();
  #lastId = 0;
  readonly #rows = new ReceiverRowEncoder();
  /** Sums of `MESSAGE_CREATION_FLAG_BITS` for the present message, by position of the user. */
  readonly #flagBitsByPosition = new Map<number, number>();
  /** Flush and close of the previous file, which may still be in progress. */
  #closing: Promise<void> | undefined;

  constructor(private readonly pace: () => Promise<void> | undefined = () => undefined) {}

  addStream(stream: number, members: ReadonlyMap<number, StreamMembershipRecord>): void {
    this.#receivers.addStream(stream, members);
  }

  /** Takes the parts of a user's actor that `isPartOfMessageFlags` names. */
  addUser(user: UserId, parts: ReadonlyMap<string, Json>): void {
    this.#rows.addUser(this.#receivers.addUser(user, parts), user);
  }

  /**
   * Appends the rows of receivers to a file of messages and ends its JSON. The file is durable after the next call.
   * Message ids ascend from call to call.
   */
  async appendToFile(path: string, messages: MessagesForReceivers): Promise<void> {
    const file = await BufferedExportFileWriter.openToAppend(path);
    try {
      await this.#appendRows(file, messages);
      await this.#closing;
    } catch (error) {
      await file.abandon();
      throw error;
    }
    this.#closing = file.syncAndClose();
    // A failure is reported by the next call.
    this.#closing.catch(() => undefined);
  }

  async #appendRows(file: BufferedExportFileWriter, messages: MessagesForReceivers): Promise<void> {
    await file.appendText('  "zerver_usermessage": [\n');
    const { numbers, movesByMessageId } = messages;
    const rows = this.#rows;
    rows.beginFile();
    for (let at = 0; at < numbers.length; ) {
      const pause = this.pace();
      if (pause) await pause;
      const id = numbers[at]!;
      const participantsAt = at + NUMBERS_BEFORE_PARTICIPANTS;
      const flagPairsAt = participantsAt + numbers[at + 3]!;
      const end = flagPairsAt + 2 * numbers[at + 4]!;
      const message: MessageForReceivers = {
        id,
        originStream: numbers[at + 1]!,
        wildcard: numbers[at + 2] === 1,
        participants: numbers.subarray(participantsAt, flagPairsAt),
        flagPairs: numbers.subarray(flagPairsAt, end),
        moves: movesByMessageId.get(id) ?? NO_MOVES,
      };
      at = end;
      rows.beginMessage(id);
      this.#addRowsOf(message);
      const full = file.appendBytes(rows.takeBytes());
      if (full) await full;
    }
    await file.appendText('\n  ]\n}\n');
  }

  /** Waits until all files are durable. */
  async finish(): Promise<void> {
    await this.#closing;
  }

  #addRowsOf(message: MessageForReceivers): void {
    const { id, originStream, moves } = message;
    if (id <= this.#lastId) throw new Error(`message ${id} comes after message ${this.#lastId}`);
    this.#lastId = id;
    const own = this.#receivers.personalCopiesByMessageId.get(id);
    if (originStream === 0 && !own) this.#addDirectMessageRows(message);
    // Most messages were never moved or copied: the stays in one stream decide.
    else if (!own && moves.length === 0) this.#addStreamMessageRows(message);
    else this.#addRowsByComputedCopies(toMessageWithoutTexts(message), own);
  }

  #addDirectMessageRows(message: MessageForReceivers): void {
    const { id, participants } = message;
    const { directMessageReads, marks } = this.#receivers;
    const { wildcard_mentioned, is_private } = EXPORTED_MESSAGE_FLAG_BITS;
    const everybodyBit = message.wildcard ? wildcard_mentioned : 0;
    this.#setFlagBitsOfUsers(message);
    for (const user of participants) {
      const receiver = this.#receivers.findReceiver(user);
      if (!receiver) continue;
      const { position } = receiver;
      const mask = this.#flagMaskOf(
        position,
        directMessageReads.decideOn(position, id),
        everybodyBit,
        wildcard_mentioned,
      );
      this.#rows.addRow(position, mask | marks.flagBitsOf(position, id) | is_private);
    }
  }

  #addStreamMessageRows(message: MessageForReceivers): void {
    const { id, originStream } = message;
    const { wildcard_mentioned, topic_wildcard_mentioned } = EXPORTED_MESSAGE_FLAG_BITS;
    const everybodyBit = message.wildcard ? wildcard_mentioned : 0;
    const wildcardBit = message.wildcard ? wildcard_mentioned : topic_wildcard_mentioned;
    const { positions, present, reads } = this.#receivers.receiversOfStream(originStream);
    const { marks } = this.#receivers;
    const rows = this.#rows;
    const members = present.receiversOf(id);
    const haveNoFlags = message.flagPairs.length === 0;
    this.#setFlagBitsOfUsers(message);
    for (let i = 0; i < members.length; i++) {
      const member = members[i]!;
      const position = positions[member]!;
      const decision = reads.decideOn(member, id);
      const mask = haveNoFlags
        ? everybodyBit | (decision === READ_DECISIONS.read ? EXPORTED_MESSAGE_FLAG_BITS.read : 0)
        : this.#flagMaskOf(position, decision, everybodyBit, wildcardBit);
      rows.addRow(position, mask | marks.flagBitsOf(position, id));
    }
  }

  /** Remembers the flags that users got when the message was sent. */
  #setFlagBitsOfUsers({ flagPairs }: MessageForReceivers): void {
    this.#flagBitsByPosition.clear();
    for (let i = 0; i < flagPairs.length; i += 2) {
      const receiver = this.#receivers.findReceiver(flagPairs[i]!);
      if (receiver) this.#flagBitsByPosition.set(receiver.position, flagPairs[i + 1]!);
    }
  }

  /**
   * The flags of a user but for marks: a sum of `EXPORTED_MESSAGE_FLAG_BITS`.
   * @param readDecision one of `READ_DECISIONS`
   * @param everybodyBits flags that all users have
   * @param wildcardBit flag of a user whom the message mentioned by a wildcard
   */
  #flagMaskOf(position: number, readDecision: number, everybodyBits: number, wildcardBit: number): number {
    const isRead = readDecision === READ_DECISIONS.read;
    const mask = everybodyBits | (isRead ? EXPORTED_MESSAGE_FLAG_BITS.read : 0);
    const sent = this.#flagBitsByPosition.get(position);
    return sent === undefined ? mask : mask | exportedBitsOfCreationFlags(sent, readDecision, wildcardBit);
  }

  #addRowsByComputedCopies(message: StoredMessage, own: ReadonlyMap<number, number> | undefined): void {
    const { originStream, body, participants } = message;
    if (originStream === 0) {
      for (const user of participants) {
        const receiver = this.#receivers.findReceiver(user);
        if (!receiver) continue;
        const mask = exportedFlagMaskOf(receiver.listFlags({ message, copy: true, gained: false }));
        this.#rows.addRow(receiver.position, mask | EXPORTED_MESSAGE_FLAG_BITS.is_private);
      }
      return;
    }
    const users = new Set(this.#receivers.membershipsByUserOfStream(originStream).keys());
    for (const { from, to } of body.moves ?? []) {
      for (const stream of [from, to])
        for (const user of this.#receivers.membershipsByUserOfStream(stream).keys()) users.add(user);
    }
    for (const user of own?.keys() ?? []) users.add(user);
    for (const user of users) {
      const receiver = this.#receivers.findReceiver(user);
      if (!receiver) continue;
      const { has, gained } = computeMessageCopyState(
        message,
        user,
        this.#receivers.makeMembershipLookupOfUser(user),
        own?.get(user),
      );
      if (!has) continue;
      const mask = exportedFlagMaskOf(receiver.listFlags({ message, copy: true, gained }));
      this.#rows.addRow(receiver.position, body.wildcard ? mask : withTopicMentionBit(mask));
    }
  }
}

/** @param readDecision one of `READ_DECISIONS` */
function exportedBitsOfCreationFlags(sent: number, readDecision: number, wildcardBit: number): number {
  const { read, mentioned, has_alert_word, wildcard_mentioned } = MESSAGE_CREATION_FLAG_BITS;
  let mask = 0;
  if ((sent & read) !== 0 && readDecision === READ_DECISIONS.undecided) mask |= EXPORTED_MESSAGE_FLAG_BITS.read;
  if ((sent & mentioned) !== 0) mask |= EXPORTED_MESSAGE_FLAG_BITS.mentioned;
  if ((sent & has_alert_word) !== 0) mask |= EXPORTED_MESSAGE_FLAG_BITS.has_alert_word;
  if ((sent & wildcard_mentioned) !== 0) mask |= wildcardBit;
  return mask;
}

const EXPORTED_FLAG_BIT_BY_NAME: Readonly<Record<string, number>> = EXPORTED_MESSAGE_FLAG_BITS;

/** Flag masks by list of flags: a flag lister returns the same array for equal lists. */
const flagMaskByList = new WeakMap<readonly string[], number>();

function exportedFlagMaskOf(flags: readonly string[]): number {
  let mask = flagMaskByList.get(flags);
  if (mask === undefined) {
    mask = 0;
    for (const flag of flags) mask |= EXPORTED_FLAG_BIT_BY_NAME[flag] ?? 0;
    flagMaskByList.set(flags, mask);
  }
  return mask;
}

/** The mask with the bit for a topic mention in place of the bit for a wildcard mention. */
function withTopicMentionBit(mask: number): number {
  const { wildcard_mentioned, topic_wildcard_mentioned } = EXPORTED_MESSAGE_FLAG_BITS;
  return (mask & wildcard_mentioned) === 0 ? mask : (mask & ~wildcard_mentioned) | topic_wildcard_mentioned;
}
