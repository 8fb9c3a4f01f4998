/**
 * The users who received messages, and their flags, from plain data that can be sent to a thread (receiver-threads.ts).
 */
import type { Json, JsonObject } from '#base';
import {
  DIRECT_MESSAGES_ORIGIN,
  MESSAGE_MARK_PART_PREFIX,
  type MessageMarkName,
  READ_STATE_PART_PREFIX,
  type ReadableMessage,
  UserMessageFlagsView,
} from '#domain/messages';
import type { StreamMembershipRecord } from '#domain/streams';
import type { UserId } from '#model';
import { MarkCursors, OriginReadCursors } from './flag-cursors.js';
import { PresentStreamMembers } from './present-members.js';

/** True for a part of a user's actor that has read states or marks of messages. */
export const isPartOfMessageFlags = (name: string): boolean =>
  name.startsWith(READ_STATE_PART_PREFIX) || name.startsWith(MESSAGE_MARK_PART_PREFIX);

/** A user, with the parts of the user's actor that `isPartOfMessageFlags` names. */
class ExportedMessageReceiver {
  #list: ((own: ReadableMessage) => readonly string[]) | undefined;

  constructor(
    readonly user: UserId,
    /** Position among all users. */
    readonly position: number,
    private readonly parts: ReadonlyMap<string, Json>,
  ) {}

  /** The user's flags on any message, as the API names them. */
  listFlags(own: ReadableMessage): readonly string[] {
    this.#list ??= new UserMessageFlagsView(this.user, this.parts).makeFlagLister();
    return this.#list(own);
  }

  readStatePart(origin: number): JsonObject | undefined {
    return this.parts.get(`${READ_STATE_PART_PREFIX}${origin}`) as JsonObject | undefined;
  }

  markPart(name: MessageMarkName): JsonObject | undefined {
    return this.parts.get(`${MESSAGE_MARK_PART_PREFIX}${name}`) as JsonObject | undefined;
  }
}

/** The present and former subscribers of a stream, and their read states of the messages that were sent to it. */
interface ExportedStreamReceivers {
  /** Positions of the members among all users. */
  readonly positions: Uint32Array;
  readonly present: PresentStreamMembers;
  readonly reads: OriginReadCursors;
}

/** The users who received messages, and their flags. All users and streams are added before the first message. */
export class ExportedMessageReceivers {
  readonly #receivers: ExportedMessageReceiver[] = [];
  readonly #receiverByUserId = new Map<number, ExportedMessageReceiver>();
  readonly #membershipsByStreamAndUser = new Map<number, ReadonlyMap<number, StreamMembershipRecord>>();
  readonly #receiversByStream = new Map<number, ExportedStreamReceivers>();
  #directMessageReads: OriginReadCursors | undefined;
  #marks: MarkCursors | undefined;
  /** Users with a personal copy of a message, and the number of the message's moves before that copy; by message id. */
  readonly personalCopiesByMessageId = new Map<number, Map<number, number>>();

  /**
   * @param parts the parts of the user's actor that `isPartOfMessageFlags` names
   * @returns the user's position among all users
   */
  addUser(user: UserId, parts: ReadonlyMap<string, Json>): number {
    const receiver = new ExportedMessageReceiver(user, this.#receivers.length, parts);
    this.#receivers.push(receiver);
    this.#receiverByUserId.set(user, receiver);
    const flags = new UserMessageFlagsView(user, parts);
    const made = flags.makePersonalCopyLookup();
    for (const id of flags.personalCopyIds()) {
      const copies = this.personalCopiesByMessageId.get(id) ?? new Map<number, number>();
      this.personalCopiesByMessageId.set(id, copies.set(user, made(id)!));
    }
    return receiver.position;
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

  receiversOfStream(stream: number): ExportedStreamReceivers {
    let found = this.#receiversByStream.get(stream);
    if (!found) {
      const receivers: ExportedMessageReceiver[] = [];
      const members: StreamMembershipRecord[] = [];
      for (const [user, member] of this.membershipsByUserOfStream(stream)) {
        const receiver = this.findReceiver(user);
        if (!receiver) continue;
        receivers.push(receiver);
        members.push(member);
      }
      found = {
        positions: Uint32Array.from(receivers, ({ position }) => position),
        present: new PresentStreamMembers(members),
        reads: makeReadCursors(receivers, stream),
      };
      this.#receiversByStream.set(stream, found);
    }
    return found;
  }

  /** Read states of direct messages, by position of the user. */
  get directMessageReads(): OriginReadCursors {
    this.#directMessageReads ??= makeReadCursors(this.#receivers, DIRECT_MESSAGES_ORIGIN);
    return this.#directMessageReads;
  }

  /** Marks of messages, by position of the user. */
  get marks(): MarkCursors {
    this.#marks ??= new MarkCursors(
      this.#receivers.map((one) => {
        const [starred, collapsed] = [one.markPart('starred'), one.markPart('collapsed')];
        return { ...(starred ? { starred } : {}), ...(collapsed ? { collapsed } : {}) };
      }),
    );
    return this.#marks;
  }

  readonly makeMembershipLookupOfUser = (user: number) => (stream: number) =>
    this.#membershipsByStreamAndUser.get(stream)?.get(user);
}

const makeReadCursors = (receivers: readonly ExportedMessageReceiver[], origin: number): OriginReadCursors =>
  new OriginReadCursors(receivers.map((receiver) => receiver.readStatePart(origin)));
