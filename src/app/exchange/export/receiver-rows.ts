/**
 * Makes the rows of receivers (zerver_usermessage), one for each user who received a message: nine tenths of the bytes
 * of an export and half of its work. The rows need plain data only, so a thread can make them (receiver-threads.ts).
 */
import type { Json } from '#base';
import { computeMessageCopyState, type MessageBody, type StoredMessage } from '#domain/messages';
import { findReceivingStayOfMessageId, type StreamMembershipRecord } from '#domain/streams';
import type { UserId } from '#model';
import { EXPORTED_MESSAGE_FLAG_BITS } from '../format/flag-bits.js';
import { BufferedExportFileWriter } from '../format/writer.js';
import { ReceiverRowEncoder } from '../tables/receivers.js';
import { ExportedMessageReceivers } from './receivers.js';

/**
 * The fields of a message on which its rows of receivers depend. A tuple is copied to a thread faster than an object.
 */
export type MessageForReceivers = readonly [
  id: number,
  originStream: number,
  participants: readonly number[],
  flags: MessageBody['flags'],
  wildcard: boolean,
  moves: MessageBody['moves'],
];

export const toMessageForReceivers = ({ id, originStream, participants, body }: StoredMessage): MessageForReceivers => [
  id,
  originStream,
  participants,
  body.flags,
  body.wildcard,
  body.moves,
];

/** The message with empty values in the fields that its receivers do not depend on. */
function toMessageWithoutTexts(message: MessageForReceivers): StoredMessage {
  const [id, originStream, participants, flags, wildcard, moves] = message;
  return {
    id,
    sender: 0,
    participants,
    originStream,
    body: {
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
      ...(moves ? { moves } : {}),
    },
  };
}

export class ReceiverRowMaker {
  readonly #receivers = new ExportedMessageReceivers();
  /** Flush and close of the previous file, which may still be in progress. */
  #closing: Promise<void> | undefined;

  constructor(private readonly pace: () => Promise<void> | undefined = () => undefined) {}

  addStream(stream: number, members: ReadonlyMap<number, StreamMembershipRecord>): void {
    this.#receivers.addStream(stream, members);
  }

  /** Takes the parts of a user's actor that `isPartOfMessageFlags` names. */
  addUser(user: UserId, parts: ReadonlyMap<string, Json>): void {
    this.#receivers.addUser(user, parts);
  }

  /** Appends the rows of receivers to a file of messages and ends its JSON. The file is durable after the next call. */
  async appendToFile(path: string, messages: readonly MessageForReceivers[]): Promise<void> {
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

  async #appendRows(file: BufferedExportFileWriter, messages: readonly MessageForReceivers[]): Promise<void> {
    await file.appendText('  "zerver_usermessage": [\n');
    const rows = new ReceiverRowEncoder();
    for (const message of messages) {
      const pause = this.pace();
      if (pause) await pause;
      rows.beginMessage(message[0]);
      this.#forEachReceiver(toMessageWithoutTexts(message), (user, mask) => rows.addRow(user, mask));
      const full = file.appendBytes(rows.takeBytes());
      if (full) await full;
    }
    await file.appendText('\n  ]\n}\n');
  }

  /** Waits until all files are durable. */
  async finish(): Promise<void> {
    await this.#closing;
  }

  /** Calls the listener with each receiver of a message and the receiver's flag mask. */
  #forEachReceiver(message: StoredMessage, listener: (user: number, flagMask: number) => void): void {
    const { originStream, body, participants } = message;
    if (originStream === 0) {
      for (const user of participants) {
        const receiver = this.#receivers.findReceiver(user);
        if (!receiver) continue;
        const flags = receiver.list({ message, copy: true, gained: false });
        listener(user, exportedFlagMaskOf(flags) | EXPORTED_MESSAGE_FLAG_BITS.is_private);
      }
      return;
    }
    const own = this.#receivers.personalCopiesByMessageId.get(message.id);
    if (!own && !body.moves?.length) {
      // Most messages were never moved or copied: the stays in one stream decide.
      const readable = { message, copy: true, gained: false };
      for (const { receiver, member } of this.#receivers.receiversOfStream(originStream)) {
        if (findReceivingStayOfMessageId(member, message.id) !== undefined)
          listener(receiver.user, streamMessageFlagMask(message, receiver.list(readable)));
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
      if (has) listener(user, streamMessageFlagMask(message, receiver.list({ message, copy: true, gained })));
    }
  }
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

/** Flag mask of a receiver of a stream message; only stream messages can mention a topic. */
function streamMessageFlagMask({ body }: StoredMessage, flags: readonly string[]): number {
  const mask = exportedFlagMaskOf(flags);
  return body.wildcard ? mask : withTopicMentionBit(mask);
}

/** The mask with the bit for a topic mention in place of the bit for a wildcard mention. */
function withTopicMentionBit(mask: number): number {
  const { wildcard_mentioned, topic_wildcard_mentioned } = EXPORTED_MESSAGE_FLAG_BITS;
  return (mask & wildcard_mentioned) === 0 ? mask : (mask & ~wildcard_mentioned) | topic_wildcard_mentioned;
}
