/** Sources of an export: the directory of the organization, and the parts of users and streams in the Store. */
import { DIRECT_GROUP_RECIPIENT_PART_PREFIX } from '#actors/realm';
import type { Json } from '#base';
import { type DirectorySnapshot, RealmDirectory } from '#directory';
import { findNewestMessageInRealm, PackedMessageView, type StoredMessage, toStoredMessage } from '#domain/messages';
import { USER_ROLE, weakestRoleSeeingEmailOrZero } from '#domain/people';
import { STREAM_MEMBER_PART_PREFIX, type StreamMembershipRecord, toStreamMembershipRecord } from '#domain/streams';
import {
  directMessageActorKey,
  type ProductEmoji,
  parseActorKey,
  type RealmId,
  realmActorKey,
  STREAM_VALUED_REALM_SETTING_NAMES,
  type StreamId,
  streamActorKey,
  toUserId,
  type UserId,
  userActorKey,
} from '#model';
import type { DirectoryUser, DirectoryView } from '#model/records';
import type { BlobBulkReader } from '#ports/blobs';
import type { MessageScan, Store } from '#ports/store';
import { HIDDEN_EMAIL_VISIBILITY_NUMBER } from '../tables/realm.js';

export interface OrganizationExportSource {
  readonly store: Store;
  readonly blobs: BlobBulkReader;
  readonly realm: RealmId;
  readonly snapshot: DirectorySnapshot;
  readonly directory: DirectoryView;
  /** True for an export of the public data; the snapshot and the directory then have nothing else. */
  readonly publicOnly: boolean;
  /** Id of the last message that may be exported; 0 without messages. */
  readonly newestMessageId: number;
}

interface ExportSourceOptions extends Pick<OrganizationExportSource, 'store' | 'blobs' | 'realm'> {
  readonly productEmoji: ProductEmoji;
  /** True for an export of what ordinary members see. */
  readonly publicOnly?: boolean;
  /** Reads the directory of the organization from its actor. */
  readSnapshot(): Promise<DirectorySnapshot>;
}

/**
 * Reads the directory of an organization, and the newest message id before it: the senders and streams of later
 * messages may be missing in the directory, and a stream that the directory shows as public may be private by then.
 */
export async function readExportSource(options: ExportSourceOptions): Promise<OrganizationExportSource> {
  const { store, blobs, realm, productEmoji, publicOnly = false } = options;
  const newest = await findNewestMessageInRealm(store, realm);
  const whole = await options.readSnapshot();
  const snapshot = publicOnly ? limitToPublicData(whole) : whole;
  const directory = new RealmDirectory(realm, snapshot, productEmoji);
  return { store, blobs, realm, snapshot, directory, publicOnly, newestMessageId: newest?.id ?? 0 };
}

/**
 * The part of a directory that ordinary members see, with the organization's defaults in place of the settings of
 * users. It lists all kinds of records: for a new kind its author must decide whether members see it.
 */
function limitToPublicData(whole: DirectorySnapshot): DirectorySnapshot {
  const { userDefaults } = whole;
  const streams = whole.streams.filter(({ inviteOnly, archived }) => !inviteOnly && !archived);
  const publicIds = new Set<number>(streams.map(({ id }) => id));
  const hiddenStreamSettings = STREAM_VALUED_REALM_SETTING_NAMES.filter(
    (name) => !publicIds.has(Number(whole.settings[name])),
  );
  return {
    version: whole.version,
    subdomain: whole.subdomain,
    deactivated: whole.deactivated,
    settings: { ...whole.settings, ...Object.fromEntries(hiddenStreamSettings.map((name) => [name, -1])) },
    fullMembersAt: whole.fullMembersAt,
    traffic: [],
    users: whole.users.map(hideAddressFromOthers),
    streams,
    realms: [],
    personals:
      Object.keys(userDefaults).length === 0
        ? []
        : whole.users.map(({ id }) => ({ user: id, settings: userDefaults, alertWords: [], muted: [] })),
    groups: whole.groups,
    emoji: whole.emoji,
    profiles: whole.profiles,
    bots: [],
    sessions: [],
    linkifiers: whole.linkifiers,
    playgrounds: whole.playgrounds,
    domains: whole.domains,
    streamGroups: whole.streamGroups.map((group) => ({
      ...group,
      streams: group.streams.filter((id) => publicIds.has(id)),
    })),
    profileFields: whole.profileFields,
    userDefaults,
    pictures: whole.pictures,
  };
}

/** Replaces an address that ordinary members do not see by the one that the API shows them. */
const hideAddressFromOthers = (user: DirectoryUser): DirectoryUser =>
  weakestRoleSeeingEmailOrZero(user) >= USER_ROLE.member
    ? user
    : { ...user, deliveryEmail: user.email, emailVisibility: HIDDEN_EMAIL_VISIBILITY_NUMBER };

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

/** Reads the memberships of a stream's present and former subscribers, by user id. */
export async function readStreamMemberships(
  store: Store,
  realm: RealmId,
  stream: StreamId,
): Promise<ReadonlyMap<number, StreamMembershipRecord>> {
  const members = new Map<number, StreamMembershipRecord>();
  for (const { part, value } of await store.listParts(streamActorKey(realm, stream), STREAM_MEMBER_PART_PREFIX)) {
    const member = toStreamMembershipRecord(value);
    if (member) members.set(Number(part.slice(STREAM_MEMBER_PART_PREFIX.length)), member);
  }
  return members;
}

/**
 * Passes each message of the scan to `each`, undecoded if the Store can do that: a `PackedMessageView` is valid only
 * during its call. @returns the number of messages
 */
export async function forEachMessage(
  store: Store,
  scan: MessageScan,
  each: (message: StoredMessage) => void,
): Promise<number> {
  if (!store.forEachPackedMessage) {
    const records = await store.scanMessages(scan);
    for (const record of records) each(toStoredMessage(record));
    return records.length;
  }
  const view = new PackedMessageView();
  return store.forEachPackedMessage(scan, (packed) => each(view.showOrDecode(packed)));
}
