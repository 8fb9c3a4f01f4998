/**
 * Writes an organization into the Store in the form in which its actors would have left it: records and parts first,
 * the roots last. Every write has revision 1 and depends only on the export and the reservation, so a repeat after a
 * crash changes no record that exists already.
 */
import {
  DIRECTORY_RECORD_PART_PREFIXES,
  DIRECTORY_SINGLETON_PART_NAMES,
  nextDigestPlanningTime,
  type RealmActorState,
  realmActorKind,
  STREAM_TRAFFIC_PART_PREFIX,
} from '#actors/realm';
import { makeNotifiedSubscribersPart, STREAM_TOPIC_PART_PREFIX } from '#actors/stream';
import type { Json } from '#base';
import type { DirectorySnapshot } from '#directory';
import { FIRST_CUSTOM_GROUP_ID, LAST_RESERVED_USER_ID } from '#domain/people';
import { countRecentMessages, STREAM_MEMBER_PART_PREFIX } from '#domain/streams';
import { type ActorKey, realmActorKey, streamActorKey, toEpoch, toStreamId, toUserId, userActorKey } from '#model';
import type { Store, StoreRecordWrite } from '#ports/store';
import type { ImportedStreamMemberships } from '../tables/copies.js';
import type { MessageImport } from '../tables/messages.js';
import type { ImportedOrganizationDraft } from './draft.js';

/** Number of records that are written at a time. */
const MAX_WRITE_BATCH_RECORDS = 1_000;
/** Version of every imported root, and of the directory. */
const FIRST_ROOT_VERSION = 1;
const DAY_MS = 86_400_000;

/** Collects records and writes them in batches. */
export class ImportRecordWriter {
  #bufferedWrites: StoreRecordWrite[] = [];

  constructor(private readonly store: Store) {}

  async writePart(key: ActorKey, part: string, value: Json): Promise<void> {
    await this.#add({ type: 'part', key, part, rev: FIRST_ROOT_VERSION, value });
  }

  async writeParts(key: ActorKey, parts: Readonly<Record<string, Json>>): Promise<void> {
    for (const [part, value] of Object.entries(parts)) await this.writePart(key, part, value);
  }

  /** Waits until all records are durable. */
  async flush(): Promise<void> {
    const writes = this.#bufferedWrites;
    this.#bufferedWrites = [];
    if (writes.length > 0) await this.store.applyRecords(writes);
  }

  async #add(write: StoreRecordWrite): Promise<void> {
    this.#bufferedWrites.push(write);
    if (this.#bufferedWrites.length >= MAX_WRITE_BATCH_RECORDS) await this.flush();
  }
}

/** The data of an import that is written in addition to the messages. */
export interface FinishedImportData {
  readonly draft: ImportedOrganizationDraft;
  readonly messages: MessageImport;
  readonly streams: ReadonlyMap<number, ImportedStreamMemberships>;
  readonly passwords: ReadonlyMap<number, string>;
}

/** Makes the directory snapshot of the imported organization, equal to the one that its realm actor will send. */
export function makeImportedDirectorySnapshot(draft: ImportedOrganizationDraft): DirectorySnapshot {
  return {
    ...draft.records,
    ...draft.lists,
    version: FIRST_ROOT_VERSION,
    subdomain: draft.facts.subdomain,
    deactivated: draft.deactivated,
    settings: draft.settings,
    fullMembersAt: draft.facts.begun,
    traffic: [],
  };
}

export async function writeImportedOrganization(store: Store, of: FinishedImportData): Promise<ActorKey[]> {
  const writer = new ImportRecordWriter(store);
  await writeStreamParts(writer, of);
  for (const user of of.draft.records.users) {
    await writer.writeParts(userActorKey(of.draft.facts.realm, user.id), of.draft.userParts(user.id));
  }
  await writeRealmParts(writer, of);
  await writer.flush();
  await writeRoot(store, realmActorKey(of.draft.facts.realm), makeRealmActorState(of), computeFirstRealmTimerTime(of));
  return writeUserAndConversationRoots(store, of);
}

function computeFirstRealmTimerTime(of: FinishedImportData): number | null {
  const { settings, facts } = of.draft;
  const fullMembers = settings.waiting_period_threshold > 0 ? facts.begun + DAY_MS : null;
  const digests = nextDigestPlanningTime(makeRealmActorState(of));
  return fullMembers === null || digests === null ? (fullMembers ?? digests) : Math.min(fullMembers, digests);
}

async function writeStreamParts(
  writer: ImportRecordWriter,
  { draft, messages, streams }: FinishedImportData,
): Promise<void> {
  for (const { id } of draft.records.streams) {
    const key = streamActorKey(draft.facts.realm, id);
    await writer.writeParts(key, draft.streamParts(id));
    const notified = draft.notifiedUsersByStream.get(id);
    if (notified) await writer.writeParts(key, makeNotifiedSubscribersPart(notified));
    for (const [user, member] of streams.get(id)?.members ?? []) {
      await writer.writePart(key, `${STREAM_MEMBER_PART_PREFIX}${user}`, {
        stays: member.stays.map((stay) => ({ ...stay })),
      });
    }
    for (const [topic, { name, max }] of messages.topicsByStream.get(id) ?? []) {
      await writer.writePart(key, `${STREAM_TOPIC_PART_PREFIX}${topic}`, { name, max });
    }
  }
}

async function writeRealmParts(writer: ImportRecordWriter, { draft, messages }: FinishedImportData): Promise<void> {
  const key = realmActorKey(draft.facts.realm);
  await writer.writeParts(key, draft.realmParts);
  const collections = Object.keys(DIRECTORY_RECORD_PART_PREFIXES) as (keyof typeof DIRECTORY_RECORD_PART_PREFIXES)[];
  for (const name of collections) {
    for (const record of draft.records[name]) {
      const id = 'id' in record ? record.id : record.user;
      await writer.writePart(key, `${DIRECTORY_RECORD_PART_PREFIXES[name]}${id}`, toPartJson(record));
    }
  }
  const lists = Object.keys(DIRECTORY_SINGLETON_PART_NAMES) as (keyof typeof DIRECTORY_SINGLETON_PART_NAMES)[];
  for (const name of lists)
    await writer.writePart(key, DIRECTORY_SINGLETON_PART_NAMES[name], toPartJson(draft.lists[name]));
  for (const [stream, counts] of messages.dailyCountsByStream) {
    await writer.writePart(
      key,
      `${STREAM_TRAFFIC_PART_PREFIX}${stream}`,
      countRecentMessages(counts, draft.facts.begun),
    );
  }
}

const toPartJson = (value: object): Json => value as Record<string, Json>;

function makeRealmActorState({ draft }: FinishedImportData): RealmActorState {
  const { facts, lists, records } = draft;
  const key = realmActorKey(facts.realm);
  return {
    ...realmActorKind.makeInitialState(key),
    phase: draft.deactivated ? 'deactivated' : 'active',
    id: facts.realm,
    subdomain: facts.subdomain,
    created: draft.createdMs,
    settings: draft.settings,
    nextUser: LAST_RESERVED_USER_ID + 1 + records.users.length,
    nextStream: records.streams.length + 1,
    nextRecipient: draft.nextRecipient,
    reservedIds: draft.messageIds.count,
    nextGroup: FIRST_CUSTOM_GROUP_ID + records.groups.length,
    nextLinkifier: lists.linkifiers.length + 1,
    nextPlayground: lists.playgrounds.length + 1,
    nextDomain: lists.domains.length + 1,
    nextEmoji: records.emoji.length + 1,
    nextProfileField: lists.profileFields.length + 1,
    uploads: draft.uploadCounters,
    fullMembersAt: facts.begun,
    directoryVersion: FIRST_ROOT_VERSION,
    weeklyDigest: { origin: facts.origin, plannedUntil: facts.begun },
  };
}

/** Writes the roots of users and conversations. @returns keys of the actors that have a timer */
async function writeUserAndConversationRoots(store: Store, of: FinishedImportData): Promise<ActorKey[]> {
  const { draft, messages, streams, passwords } = of;
  const { realm, begun } = draft.facts;
  const timed: ActorKey[] = [];
  const roots: (readonly [ActorKey, Record<string, Json>, number | null])[] = [];
  for (const user of draft.records.users) {
    const keySealed = user.botType === null ? draft.apiKeysByUser.get(user.id)!.sealed : '';
    const phase = user.isActive ? 'active' : 'deactivated';
    const state = { phase, passwordHash: passwords.get(user.id) ?? null, keySealed, ...draft.userStates.get(user.id) };
    roots.push([userActorKey(realm, toUserId(user.id)), state, draft.userDueTimesMs.get(user.id) ?? null]);
  }
  for (const stream of draft.records.streams) {
    const { mv = 0, last = 0 } = streams.get(stream.id) ?? {};
    const counts = messages.dailyCountsByStream.get(stream.id);
    const state = {
      phase: stream.archived ? 'archived' : 'active',
      mv,
      last,
      participants: [],
      recipient: 0,
      ...(last > 0 ? { watched: true } : {}),
      ...(counts ? { traffic: counts, trafficTold: countRecentMessages(counts, begun) } : {}),
    };
    roots.push([streamActorKey(realm, toStreamId(stream.id)), state, last > 0 ? begun + DAY_MS : null]);
  }
  for (const [conversation, { participants, recipient, last }] of messages.directConversations) {
    const state = { phase: 'active', mv: 0, last, participants, recipient, watched: true };
    // The name of a conversation is the letter `d` with the rest of its actor's key.
    const key = `dm/${realm}/${conversation.slice(1)}` as ActorKey<'dm'>;
    roots.push([key, state, begun + DAY_MS]);
  }
  for (let from = 0; from < roots.length; from += MAX_WRITE_BATCH_RECORDS) {
    await Promise.all(
      roots.slice(from, from + MAX_WRITE_BATCH_RECORDS).map(([key, state, due]) => writeRoot(store, key, state, due)),
    );
  }
  for (const [key, , due] of roots) if (due !== null) timed.push(key);
  return timed;
}

/** Writes the root of an actor. A conflict means that an earlier attempt has written the root. */
const writeRoot = (store: Store, key: ActorKey, state: Json, due: number | null) =>
  store.commit({ key, epoch: toEpoch(1), expected: 0, state, outbox: [], due, records: [] });
