/**
 * Writes an organization into the Store in the form in which its actors would have left it: records and parts first,
 * the roots last. Every write has revision 1 and depends only on the export and the reservation, so a repeat after a
 * crash changes no record that exists already.
 */
import {
  DIRECTORY_RECORD_PART_PREFIXES,
  DIRECTORY_SINGLETON_PART_NAMES,
  makePasswordInvitationsPart,
  nextDigestPlanningTime,
  type RealmActorState,
  realmActorKind,
  STREAM_TRAFFIC_PART_PREFIX,
} from '#actors/realm';
import { makeNotifiedSubscribersPart, STREAM_TOPIC_PART_PREFIX } from '#actors/stream';
import type { Json } from '#base';
import type { DirectorySnapshot } from '#directory';
import { FIRST_CUSTOM_GROUP_ID, LAST_RESERVED_USER_ID } from '#domain/people';
import { countMessagesInTrafficWindow, STREAM_MEMBER_PART_PREFIX } from '#domain/streams';
import {
  type ActorKey,
  directMessageActorKey,
  type Partition,
  partitionOfActor,
  realmActorKey,
  streamActorKey,
  toEpoch,
  toStreamId,
  toUserId,
  userActorKey,
} from '#model';
import type { Store, StoreRecordWrite } from '#ports/store';
import type { ImportedStreamMemberships } from '../tables/copies.js';
import type { MessageImport } from '../tables/messages.js';
import type { ImportedOrganizationDraft } from './draft.js';

/** Number of records that are written at a time: some 3 ms, for which commits of other processes wait. */
const MAX_RECORDS_PER_IMPORT_WRITE = 200;
/** Version of every imported root, and of the directory. */
const IMPORTED_REVISION = 1;
const DAY_MS = 86_400_000;

/**
 * Collects records and writes them in batches. Nothing is made while a batch is written: a transaction of LMDB waits
 * for this thread, and the commits of a server beside wait for the transaction.
 */
export class BatchedImportRecordWriter {
  #pendingWrites: StoreRecordWrite[] = [];

  constructor(private readonly store: Store) {}

  async writePart(key: ActorKey, part: string, value: Json): Promise<void> {
    await this.writeParts(key, [[part, value]]);
  }

  async writeParts(key: ActorKey, parts: Iterable<readonly [name: string, value: Json]>): Promise<void> {
    for (const [part, value] of parts) {
      const full = this.#bufferAndFlushIfFull({ type: 'part', key, part, rev: IMPORTED_REVISION, value });
      if (full) await full;
    }
  }

  /** Waits until all records are durable. */
  async flushDurably(): Promise<void> {
    const writes = this.#pendingWrites;
    this.#pendingWrites = [];
    await this.store.applyRecords(writes);
  }

  #bufferAndFlushIfFull(write: StoreRecordWrite): Promise<void> | undefined {
    this.#pendingWrites.push(write);
    return this.#pendingWrites.length >= MAX_RECORDS_PER_IMPORT_WRITE ? this.flushDurably() : undefined;
  }
}

/** The data of an import that is written in addition to the messages. */
export interface FinishedImportData {
  readonly draft: ImportedOrganizationDraft;
  readonly messages: MessageImport;
  /** Returns the members of a stream; called once for each stream, before the parts of users are asked for. */
  takeStreamMemberships(stream: number): ImportedStreamMemberships;
  /** Returns all parts of a user's actor; called once for each user. */
  takePartsOfUser(user: number): Iterable<readonly [name: string, value: Json]>;
  readonly passwords: ReadonlyMap<number, string>;
  /** Accounts that are invited by mail to set a password. */
  readonly invitedUserIds: readonly number[];
}

/** The fields of a stream's root that follow from its members and messages. */
type ImportedStreamPosition = Pick<ImportedStreamMemberships, 'mv' | 'last'>;

/** Makes the directory snapshot of the imported organization, equal to the one that its realm actor will send. */
export function makeImportedDirectorySnapshot(draft: ImportedOrganizationDraft): DirectorySnapshot {
  return {
    ...draft.directoryRecords,
    ...draft.directorySingletons,
    version: IMPORTED_REVISION,
    subdomain: draft.facts.subdomain,
    deactivated: draft.isDeactivated,
    settings: draft.settings,
    fullMembersAt: draft.facts.begun,
    traffic: [],
  };
}

/** Writes the organization. @returns for each partition with actors that have a timer, the key of one of them */
export async function writeOrganizationAndListTimedActors(store: Store, of: FinishedImportData): Promise<ActorKey[]> {
  const writer = new BatchedImportRecordWriter(store);
  const streamPositions = await writeAllStreamParts(writer, of);
  for (const user of of.draft.directoryRecords.users) {
    await writer.writeParts(userActorKey(of.draft.facts.realm, user.id), of.takePartsOfUser(user.id));
  }
  await writeDirectoryAndRealmParts(writer, of);
  await writer.flushDurably();
  await commitImportedRoot(
    store,
    realmActorKey(of.draft.facts.realm),
    makeImportedRealmState(of),
    computeFirstRealmTimerTime(of),
  );
  return writeUserAndConversationRootsAndListTimed(store, of, streamPositions);
}

function computeFirstRealmTimerTime(of: FinishedImportData): number | null {
  const { settings, facts } = of.draft;
  const fullMembers = settings.waiting_period_threshold > 0 ? facts.begun + DAY_MS : null;
  const digests = nextDigestPlanningTime(makeImportedRealmState(of));
  const invitations = of.invitedUserIds.length > 0 ? facts.begun : null;
  const times = [fullMembers, digests, invitations].filter((at) => at !== null);
  return times.length === 0 ? null : Math.min(...times);
}

/** Writes the parts of streams one stream at a time. @returns positions of all streams, for their roots */
async function writeAllStreamParts(
  writer: BatchedImportRecordWriter,
  { draft, messages, takeStreamMemberships }: FinishedImportData,
): Promise<Map<number, ImportedStreamPosition>> {
  const positions = new Map<number, ImportedStreamPosition>();
  for (const { id } of draft.directoryRecords.streams) {
    const key = streamActorKey(draft.facts.realm, id);
    await writer.writeParts(key, Object.entries(draft.partsOfStream(id)));
    const notified = draft.allMessagesNotifiedUsersByStream.get(id);
    if (notified) await writer.writeParts(key, Object.entries(makeNotifiedSubscribersPart(notified)));
    const { mv, last, members } = takeStreamMemberships(id);
    positions.set(id, { mv, last });
    for (const [user, member] of members) {
      await writer.writePart(key, `${STREAM_MEMBER_PART_PREFIX}${user}`, {
        stays: member.stays.map((stay) => ({ ...stay })),
      });
    }
    for (const [topic, { name, max }] of messages.newestInTopicByStream.get(id) ?? []) {
      await writer.writePart(key, `${STREAM_TOPIC_PART_PREFIX}${topic}`, { name, max });
    }
  }
  return positions;
}

async function writeDirectoryAndRealmParts(
  writer: BatchedImportRecordWriter,
  { draft, messages, invitedUserIds }: FinishedImportData,
): Promise<void> {
  const key = realmActorKey(draft.facts.realm);
  await writer.writeParts(key, Object.entries(draft.realmParts));
  if (invitedUserIds.length > 0) {
    const part = makePasswordInvitationsPart(draft.facts.origin, invitedUserIds, draft.facts.begun);
    await writer.writeParts(key, Object.entries(part));
  }
  const collections = Object.keys(DIRECTORY_RECORD_PART_PREFIXES) as (keyof typeof DIRECTORY_RECORD_PART_PREFIXES)[];
  for (const name of collections) {
    for (const record of draft.directoryRecords[name]) {
      const id = 'id' in record ? record.id : record.user;
      await writer.writePart(key, `${DIRECTORY_RECORD_PART_PREFIXES[name]}${id}`, castToPartJson(record));
    }
  }
  const lists = Object.keys(DIRECTORY_SINGLETON_PART_NAMES) as (keyof typeof DIRECTORY_SINGLETON_PART_NAMES)[];
  for (const name of lists)
    await writer.writePart(key, DIRECTORY_SINGLETON_PART_NAMES[name], castToPartJson(draft.directorySingletons[name]));
  for (const [stream, counts] of messages.dailyMessageCountsByStreamId) {
    await writer.writePart(
      key,
      `${STREAM_TRAFFIC_PART_PREFIX}${stream}`,
      countMessagesInTrafficWindow(counts, draft.facts.begun),
    );
  }
}

const castToPartJson = (value: object): Json => value as Record<string, Json>;

function makeImportedRealmState({ draft }: FinishedImportData): RealmActorState {
  const { facts, directorySingletons, directoryRecords } = draft;
  const key = realmActorKey(facts.realm);
  return {
    ...realmActorKind.makeInitialState(key),
    phase: draft.isDeactivated ? 'deactivated' : 'active',
    id: facts.realm,
    subdomain: facts.subdomain,
    created: draft.createdMs,
    settings: draft.settings,
    nextUser: LAST_RESERVED_USER_ID + 1 + directoryRecords.users.length,
    nextStream: directoryRecords.streams.length + 1,
    nextRecipient: draft.nextRecipientId,
    reservedIds: draft.messageIdMap.mappedCount,
    nextGroup: FIRST_CUSTOM_GROUP_ID + directoryRecords.groups.length,
    nextStreamGroup: directorySingletons.streamGroups.length + 1,
    nextLinkifier: directorySingletons.linkifiers.length + 1,
    nextPlayground: directorySingletons.playgrounds.length + 1,
    nextDomain: directorySingletons.domains.length + 1,
    nextEmoji: directoryRecords.emoji.length + 1,
    nextProfileField: directorySingletons.profileFields.length + 1,
    uploads: draft.uploadIdAndBytesCounters,
    fullMembersAt: facts.begun,
    directoryVersion: IMPORTED_REVISION,
    weeklyDigest: { origin: facts.origin, plannedUntil: facts.begun },
  };
}

type ImportedRoot = readonly [key: ActorKey, state: Record<string, Json>, due: number | null];

/**
 * Writes the roots of users and conversations, which are made in batches: an organization has a hundred thousand
 * conversations. @returns for each partition with actors that have a timer, the key of one of them
 */
async function writeUserAndConversationRootsAndListTimed(
  store: Store,
  of: FinishedImportData,
  streamPositions: ReadonlyMap<number, ImportedStreamPosition>,
): Promise<ActorKey[]> {
  const timedKeyByPartition = new Map<Partition, ActorKey>();
  let batch: Promise<unknown>[] = [];
  for (const [key, state, due] of makeUserAndConversationRoots(of, streamPositions)) {
    batch.push(commitImportedRoot(store, key, state, due));
    if (due !== null) timedKeyByPartition.set(partitionOfActor(key), key);
    if (batch.length < MAX_RECORDS_PER_IMPORT_WRITE) continue;
    await Promise.all(batch);
    batch = [];
  }
  await Promise.all(batch);
  return [...timedKeyByPartition.values()];
}

function* makeUserAndConversationRoots(
  { draft, messages, passwords }: FinishedImportData,
  streamPositions: ReadonlyMap<number, ImportedStreamPosition>,
): Generator<ImportedRoot> {
  const { realm, begun } = draft.facts;
  for (const user of draft.directoryRecords.users) {
    const keySealed = user.botType === null ? draft.apiKeyByUserId.get(user.id)!.sealed : '';
    const phase = user.isActive ? 'active' : 'deactivated';
    const state = {
      phase,
      passwordHash: passwords.get(user.id) ?? null,
      keySealed,
      ...draft.extraUserStateByUserId.get(user.id),
    };
    yield [userActorKey(realm, toUserId(user.id)), state, draft.earliestDueTimeMsByUserId.get(user.id) ?? null];
  }
  for (const stream of draft.directoryRecords.streams) {
    const { mv, last } = streamPositions.get(stream.id)!;
    const counts = messages.dailyMessageCountsByStreamId.get(stream.id);
    const state = {
      phase: stream.archived ? 'archived' : 'active',
      mv,
      last,
      participants: [],
      recipient: 0,
      ...(last > 0 ? { watched: true } : {}),
      ...(counts ? { traffic: counts, trafficTold: countMessagesInTrafficWindow(counts, begun) } : {}),
    };
    yield [streamActorKey(realm, toStreamId(stream.id)), state, last > 0 ? begun + DAY_MS : null];
  }
  for (const { participants, recipient, last } of messages.directConversations.all()) {
    const state = { phase: 'active', mv: 0, last, participants, recipient, watched: true };
    yield [directMessageActorKey(realm, participants.map(toUserId)), state, begun + DAY_MS];
  }
}

/** Writes the root of an actor. A conflict means that an earlier attempt has written the root. */
const commitImportedRoot = (store: Store, key: ActorKey, state: Json, due: number | null) =>
  store.commit({ key, epoch: toEpoch(1), expected: 0, state, outbox: [], due, records: [] });
