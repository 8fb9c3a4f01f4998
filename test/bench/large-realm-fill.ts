/**
 * Writes accounts and streams of an organization through the Store, because 100,000 `POST /users` take half an hour.
 * The caller restarts the server afterwards, because the realm's actor reads the records only when it is loaded.
 */
import { DIRECTORY_RECORD_PART_PREFIXES } from '#actors/realm';
import { SUBSCRIPTION_PART_PREFIX } from '#actors/user';
import type { Json } from '#base';
import { makeDefaultSubscription, STREAM_MEMBER_PART_PREFIX } from '#domain/streams';
import {
  type ActorKey,
  type RealmId,
  realmActorKey,
  streamActorKey,
  toEpoch,
  toStreamId,
  toUserId,
  userActorKey,
} from '#model';
import type { Store, StoreRecordWrite } from '#ports/store';
import { FIRST_GENERATED_ID, makeLargeSnapshot } from './large-directory.js';

export interface LargeRealm {
  readonly accounts: number;
  readonly streams: number;
  /** Number of subscribers of each stream. */
  readonly subscribers: number;
  /** Number of streams that `reader` is subscribed to. */
  readonly own: number;
  readonly reader: number;
  /** Existing stream that gets all accounts as subscribers. */
  readonly hall: number;
}

const WRITES_PER_BATCH = 1_000;
/** Revision of the records, above the revisions that the running server may write at the same time. */
const REVISION = 100_000;

const MEMBERSHIP = { stays: [{ from: 1, to: 0, after: 0, until: 0 }] };

function* listWrites(realm: RealmId, of: LargeRealm): Iterable<StoreRecordWrite> {
  const snapshot = makeLargeSnapshot(of.accounts, of.streams);
  const part = (key: ActorKey, name: string, value: Json): StoreRecordWrite => ({
    type: 'part',
    key,
    part: name,
    rev: REVISION,
    value,
  });
  const member = (stream: number, user: number): StoreRecordWrite =>
    part(streamActorKey(realm, toStreamId(stream)), `${STREAM_MEMBER_PART_PREFIX}${user}`, MEMBERSHIP);
  const subscription = (user: number, stream: number): StoreRecordWrite =>
    part(
      userActorKey(realm, toUserId(user)),
      `${SUBSCRIPTION_PART_PREFIX}${stream}`,
      makeDefaultSubscription(stream, '#76ce90') as unknown as Json,
    );
  for (const name of ['users', 'personals', 'sessions', 'streams'] as const) {
    for (const record of snapshot[name]) {
      const id = 'id' in record ? record.id : record.user;
      yield part(realmActorKey(realm), `${DIRECTORY_RECORD_PART_PREFIXES[name]}${id}`, record as unknown as Json);
    }
  }
  for (const { id } of snapshot.users) yield member(of.hall, id);
  for (let n = 0; n < ACCOUNTS_WITH_ACTORS; n++) yield subscription(FIRST_GENERATED_ID + n, of.hall);
  for (let n = 0; n < of.streams; n++) {
    const stream = FIRST_GENERATED_ID + n;
    const members = Array.from(
      { length: of.subscribers },
      (_, i) => FIRST_GENERATED_ID + ((n * of.subscribers + i * 7) % of.accounts),
    );
    if (n < of.own) {
      members.push(of.reader);
      yield subscription(of.reader, stream);
    }
    for (const user of new Set(members)) yield member(stream, user);
  }
}

/** Number of accounts with a user actor. The others are only in the records of the realm and of the streams. */
const ACCOUNTS_WITH_ACTORS = 100;

/** Commits the root documents of the streams and of the first accounts. */
async function commitRoots(store: Store, realm: RealmId, of: LargeRealm): Promise<void> {
  const commit = (key: ActorKey, state: Json): Promise<unknown> =>
    store.commit({ key, epoch: toEpoch(1), expected: 0, state, outbox: [], due: null, records: [] });
  const stream = { phase: 'active', mv: 1, last: 0, participants: [], recipient: 0 };
  const account = { phase: 'active', passwordHash: null, keySealed: '' };
  for (let from = 0; from < of.streams; from += WRITES_PER_BATCH) {
    const numbers = Array.from({ length: Math.min(WRITES_PER_BATCH, of.streams - from) }, (_, i) => from + i);
    await Promise.all(numbers.map((n) => commit(streamActorKey(realm, toStreamId(FIRST_GENERATED_ID + n)), stream)));
  }
  for (let n = 0; n < Math.min(ACCOUNTS_WITH_ACTORS, of.accounts); n++)
    await commit(userActorKey(realm, toUserId(FIRST_GENERATED_ID + n)), account);
}

export async function fillLargeRealm(store: Store, realm: RealmId, of: LargeRealm): Promise<void> {
  let writes: StoreRecordWrite[] = [];
  for (const write of listWrites(realm, of)) {
    writes.push(write);
    if (writes.length < WRITES_PER_BATCH) continue;
    await store.applyRecords(writes);
    writes = [];
  }
  await store.applyRecords(writes);
  await commitRoots(store, realm, of);
}
