/** Sources of an export: the directory of the organization, and the parts of users and streams in the Store. */
import { DIRECT_GROUP_RECIPIENT_PART_PREFIX } from '#actors/realm';
import type { Json } from '#base';
import type { DirectorySnapshot } from '#directory';
import { type ReadableMessage, UserMessageFlagsView } from '#domain/messages';
import { STREAM_MEMBER_PART_PREFIX, type StreamMembershipRecord, toStreamMembershipRecord } from '#domain/streams';
import {
  directMessageActorKey,
  parseActorKey,
  type RealmId,
  realmActorKey,
  type StreamId,
  streamActorKey,
  toUserId,
  type UserId,
  userActorKey,
} from '#model';
import type { DirectoryView } from '#model/records';
import type { BlobStorage } from '#ports/blobs';
import type { Store } from '#ports/store';

export interface OrganizationExportSource {
  readonly store: Store;
  readonly blobs: BlobStorage;
  readonly realm: RealmId;
  readonly snapshot: DirectorySnapshot;
  readonly directory: DirectoryView;
}

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
  /** Users who received a message individually, with the number of its moves before, by message id. */
  readonly personalCopiesByMessageId = new Map<number, Map<number, number>>();

  addUserFromActorParts(user: UserId, parts: ReadonlyMap<string, Json>): void {
    const own = new Map([...parts].filter(([name]) => name.startsWith('read/') || name.startsWith('mark/')));
    const flags = new UserMessageFlagsView(user, own);
    this.#receiverByUserId.set(user, { user, flags, list: flags.makeFlagLister() });
    const made = flags.makePersonalCopyLookup();
    for (const id of flags.personalCopyIds()) {
      const copies = this.personalCopiesByMessageId.get(id) ?? new Map<number, number>();
      this.personalCopiesByMessageId.set(id, copies.set(user, made(id)!));
    }
  }

  async loadStreamMemberships(store: Store, realm: RealmId, stream: StreamId): Promise<void> {
    const key = streamActorKey(realm, stream);
    const members = new Map<number, StreamMembershipRecord>();
    for (const { part, value } of await store.listParts(key, STREAM_MEMBER_PART_PREFIX)) {
      const member = toStreamMembershipRecord(value);
      if (member) members.set(Number(part.slice(STREAM_MEMBER_PART_PREFIX.length)), member);
    }
    this.#membershipsByStreamAndUser.set(stream, members);
  }

  findReceiver(user: number): ExportedMessageReceiver | undefined {
    return this.#receiverByUserId.get(user);
  }

  membershipsByUserOfStream(stream: number): ReadonlyMap<number, StreamMembershipRecord> {
    return this.#membershipsByStreamAndUser.get(stream) ?? new Map();
  }

  /** Returns everybody who is or was subscribed to a stream. All users must have been added. */
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

/** Recipient ids of group conversations. A group of more than eight participants is known by a hash of them. */
export class DirectGroupRecipientIds {
  readonly #recipientIdByParticipantsKey = new Map<string, number>();
  readonly knownParticipantsByRecipientId = new Map<number, readonly number[]>();
  #nextUnusedRecipientId = 0;

  constructor(
    private readonly realm: RealmId,
    first: number,
  ) {
    this.#nextUnusedRecipientId = first;
  }

  async loadExistingRecipientIds(store: Store): Promise<void> {
    for (const { part, value } of await store.listParts(
      realmActorKey(this.realm),
      DIRECT_GROUP_RECIPIENT_PART_PREFIX,
    )) {
      const group = part.slice(DIRECT_GROUP_RECIPIENT_PART_PREFIX.length);
      this.#recipientIdByParticipantsKey.set(group, Number(value));
      this.#nextUnusedRecipientId = Math.max(this.#nextUnusedRecipientId, Number(value) + 1);
      if (!group.startsWith('h')) this.knownParticipantsByRecipientId.set(Number(value), group.split(',').map(Number));
    }
  }

  /** Returns the recipient id of a group; a group without one gets a new id. */
  getOrAssignRecipientId(participants: readonly number[]): number {
    const group = parseActorKey(directMessageActorKey(this.realm, participants.map(toUserId))).idWithinRealm;
    let recipient = this.#recipientIdByParticipantsKey.get(group);
    if (recipient === undefined) {
      recipient = this.#nextUnusedRecipientId++;
      this.#recipientIdByParticipantsKey.set(group, recipient);
    }
    if (!this.knownParticipantsByRecipientId.has(recipient))
      this.knownParticipantsByRecipientId.set(recipient, [...participants]);
    return recipient;
  }
}

/** Reads all parts of a user's actor. */
export async function readAllUserActorParts(
  store: Store,
  realm: RealmId,
  user: UserId,
): Promise<ReadonlyMap<string, Json>> {
  return new Map((await store.listParts(userActorKey(realm, user), '')).map(({ part, value }) => [part, value]));
}
