/**
 * The users who received messages, and their flags, from plain data that can be sent to a thread (receiver-threads.ts).
 */
import type { Json } from '#base';
import { type ReadableMessage, UserMessageFlagsView } from '#domain/messages';
import type { StreamMembershipRecord } from '#domain/streams';
import type { UserId } from '#model';

/** True for a part of a user's actor that has read states or marks of messages. */
export const isPartOfMessageFlags = (name: string): boolean => name.startsWith('read/') || name.startsWith('mark/');

/** Message flags and read marks of one user. */
interface ExportedMessageReceiver {
  readonly user: UserId;
  readonly flags: UserMessageFlagsView;
  readonly list: (own: ReadableMessage) => readonly string[];
}

/** A user who is or was subscribed to a stream. */
interface ExportedStreamReceiver {
  readonly receiver: ExportedMessageReceiver;
  readonly member: StreamMembershipRecord;
}

/** The users who received messages, and their flags. */
export class ExportedMessageReceivers {
  readonly #receiverByUserId = new Map<number, ExportedMessageReceiver>();
  readonly #membershipsByStreamAndUser = new Map<number, ReadonlyMap<number, StreamMembershipRecord>>();
  readonly #receiversByStream = new Map<number, readonly ExportedStreamReceiver[]>();
  /** Users with a personal copy of a message, and the number of the message's moves before that copy; by message id. */
  readonly personalCopiesByMessageId = new Map<number, Map<number, number>>();

  /** @param parts the parts of the user's actor that `isPartOfMessageFlags` names */
  addUser(user: UserId, parts: ReadonlyMap<string, Json>): void {
    const flags = new UserMessageFlagsView(user, parts);
    this.#receiverByUserId.set(user, { user, flags, list: flags.makeFlagLister() });
    const made = flags.makePersonalCopyLookup();
    for (const id of flags.personalCopyIds()) {
      const copies = this.personalCopiesByMessageId.get(id) ?? new Map<number, number>();
      this.personalCopiesByMessageId.set(id, copies.set(user, made(id)!));
    }
  }

  addStream(stream: number, members: ReadonlyMap<number, StreamMembershipRecord>): void {
    this.#membershipsByStreamAndUser.set(stream, members);
  }

  findReceiver(user: number): ExportedMessageReceiver | undefined {
    return this.#receiverByUserId.get(user);
  }

  membershipsByUserOfStream(stream: number): ReadonlyMap<number, StreamMembershipRecord> {
    return this.#membershipsByStreamAndUser.get(stream) ?? new Map();
  }

  /** Returns the present and former subscribers of a stream. All users must have been added before. */
  receiversOfStream(stream: number): readonly ExportedStreamReceiver[] {
    let receivers = this.#receiversByStream.get(stream);
    if (!receivers) {
      receivers = [...this.membershipsByUserOfStream(stream)].flatMap(([user, member]) => {
        const receiver = this.findReceiver(user);
        return receiver ? [{ receiver, member }] : [];
      });
      this.#receiversByStream.set(stream, receivers);
    }
    return receivers;
  }

  readonly makeMembershipLookupOfUser = (user: number) => (stream: number) =>
    this.#membershipsByStreamAndUser.get(stream)?.get(user);
}
