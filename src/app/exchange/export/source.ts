/** Sources of an export: the directory of the organization, and the parts of users and streams in the Store. */
import { DIRECT_GROUP_RECIPIENT_PART_PREFIX } from '#actors/realm';
import type { Json } from '#base';
import type { DirectorySnapshot } from '#directory';
import { type MessageMarkName, type ReadableMessage, UserMessageFlags } from '#domain/messages';
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

const PERSONAL_COPY_MARKS: readonly MessageMarkName[] = ['historical', 'copied'];

/** Message flags and read marks of one user. */
interface ExportedMessageReceiver {
  readonly user: UserId;
  readonly flags: UserMessageFlags;
  readonly list: (own: ReadableMessage) => readonly string[];
}

/** The users who received messages, and their flags. */
export class ExportedMessageReceivers {
  readonly #receivers = new Map<number, ExportedMessageReceiver>();
  readonly #members = new Map<number, ReadonlyMap<number, StreamMembershipRecord>>();
  /** Users who received a message individually, by message id. */
  readonly personalCopyReceivers = new Map<number, number[]>();

  addUser(user: UserId, parts: ReadonlyMap<string, Json>): void {
    const own = new Map([...parts].filter(([name]) => name.startsWith('read/') || name.startsWith('mark/')));
    const flags = new UserMessageFlags(user, own);
    this.#receivers.set(user, { user, flags, list: flags.flagLister() });
    for (const name of PERSONAL_COPY_MARKS) {
      for (const id of flags.markedIds(name).ids) {
        const users = this.personalCopyReceivers.get(id);
        if (!users) this.personalCopyReceivers.set(id, [user]);
        else if (!users.includes(user)) users.push(user);
      }
    }
  }

  async addStream(store: Store, realm: RealmId, stream: StreamId): Promise<void> {
    const key = streamActorKey(realm, stream);
    const members = new Map<number, StreamMembershipRecord>();
    for (const { part, value } of await store.listParts(key, STREAM_MEMBER_PART_PREFIX)) {
      const member = toStreamMembershipRecord(value);
      if (member) members.set(Number(part.slice(STREAM_MEMBER_PART_PREFIX.length)), member);
    }
    this.#members.set(stream, members);
  }

  findReceiver(user: number): ExportedMessageReceiver | undefined {
    return this.#receivers.get(user);
  }

  membersOf(stream: number): ReadonlyMap<number, StreamMembershipRecord> {
    return this.#members.get(stream) ?? new Map();
  }

  readonly membershipLookupOf = (user: number) => (stream: number) => this.#members.get(stream)?.get(user);
}

/** Recipient ids of group conversations. A group of more than eight participants is known by a hash of them. */
export class DirectGroupRecipientIds {
  readonly #recipientIdsByParticipants = new Map<string, number>();
  readonly participantsByRecipientId = new Map<number, readonly number[]>();
  #nextRecipientId = 0;

  constructor(
    private readonly realm: RealmId,
    first: number,
  ) {
    this.#nextRecipientId = first;
  }

  async load(store: Store): Promise<void> {
    for (const { part, value } of await store.listParts(
      realmActorKey(this.realm),
      DIRECT_GROUP_RECIPIENT_PART_PREFIX,
    )) {
      const group = part.slice(DIRECT_GROUP_RECIPIENT_PART_PREFIX.length);
      this.#recipientIdsByParticipants.set(group, Number(value));
      this.#nextRecipientId = Math.max(this.#nextRecipientId, Number(value) + 1);
      if (!group.startsWith('h')) this.participantsByRecipientId.set(Number(value), group.split(',').map(Number));
    }
  }

  /** Returns the recipient id of a group; a group without one gets a new id. */
  recipientIdOf(participants: readonly number[]): number {
    const group = parseActorKey(directMessageActorKey(this.realm, participants.map(toUserId))).idWithinRealm;
    let recipient = this.#recipientIdsByParticipants.get(group);
    if (recipient === undefined) {
      recipient = this.#nextRecipientId++;
      this.#recipientIdsByParticipants.set(group, recipient);
    }
    if (!this.participantsByRecipientId.has(recipient))
      this.participantsByRecipientId.set(recipient, [...participants]);
    return recipient;
  }
}

/** Reads all parts of a user's actor. */
export async function readUserActorParts(
  store: Store,
  realm: RealmId,
  user: UserId,
): Promise<ReadonlyMap<string, Json>> {
  return new Map((await store.listParts(userActorKey(realm, user), '')).map(({ part, value }) => [part, value]));
}
