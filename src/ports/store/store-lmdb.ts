import { setTimeout } from 'node:timers/promises';
import type { Key, RangeOptions } from 'lmdb';
import type { Json } from '#base';
import type { Clock } from '#base/clock';
import {
  type ActorKey,
  actorKeyRangesOfRealm,
  type Epoch,
  type Partition,
  partitionOfActor,
  type RealmId,
  realmActorKey,
  toEpoch,
} from '#model';
import type { MessageRecord } from '#model/records';
import { packJsonToBuffer, readFirstSmallInteger, unpackJson } from './codec.js';
import { checkLmdbKeyText, type LmdbEnvironment, type LmdbTable } from './lmdb-environment.js';
import type { MessageDigestMaker, PackedMessageCursor } from './packed-message.js';
import {
  type ActorPartWrite,
  type ActorRoot,
  type ActorRootWrite,
  type ActorToWake,
  type MessageBulkLoader,
  type MessageScan,
  type Store,
  type StoredActorPart,
  type StoreRecordWrite,
  type StoreTransactionParticipant,
  StoreUnavailableError,
} from './store.js';
import { LmdbMessageBulkLoader, PAUSE_BETWEEN_TRANSACTIONS_MS } from './store-lmdb-bulk.js';
import { LmdbConsistentCache, LmdbTransactionCacheChanges } from './store-lmdb-cache.js';
import { LmdbMessageTable } from './store-lmdb-messages.js';
import { LmdbTombstoneTable } from './store-lmdb-tombstones.js';

/**
 * The head of a root: the fields that the conditions of a commit check, stored apart from the state, so that fencing
 * and checking neither rewrite nor decode 64 KiB.
 */
interface ActorRootHead {
  readonly epoch: number;
  readonly version: number;
  readonly due: number | null;
  readonly pending: boolean;
}

/** Maximum number of cached actor parts that were read by name (mostly memberships). */
const MAX_CACHED_PARTS = 20_000;
/** Maximum number of keys that one transaction removes: it takes some 5 ms, while other processes wait. */
const MAX_KEYS_REMOVED_AT_ONCE = 1_000;

const NO_PARTICIPANTS: readonly StoreTransactionParticipant[] = [];

/** The Store of the embedded server. A write that has resolved was flushed to disk. */
export class LmdbStore implements Store {
  readonly atomicRecords = true;
  readonly tagsReactions: boolean;
  readonly admitsParticipants = true;
  readonly #environment: LmdbEnvironment;
  readonly #rootHeadTable: LmdbTable;
  /** Table of actor roots: actor -> [state, outbox]. */
  readonly #rootTable: LmdbTable;
  /** Table of actor parts: [actor, part] -> [rev, value]. */
  readonly #partTable: LmdbTable;
  /** Table of actors to wake: [partition, actor] -> [due, pending]. */
  readonly #sleeperTable: LmdbTable;
  readonly #epochTable: LmdbTable;
  readonly #tombstoneTable: LmdbTombstoneTable;
  readonly #messageTable: LmdbMessageTable;
  readonly #partCache = new LmdbConsistentCache<string, { readonly found: StoredActorPart | null }>(
    MAX_CACHED_PARTS,
    () => 1,
  );
  readonly #writesInFlight = new Set<Promise<unknown>>();
  #closed = false;

  /**
   * Opens the Store in an environment, which must have only one Store.
   * @param clock only decides when tombstones are purged
   * @param digestOf makes the digests that `forEachPackedMessage` shows; messages stored without one stay readable
   */
  constructor(environment: LmdbEnvironment, clock: Clock, digestOf?: MessageDigestMaker) {
    this.#environment = environment;
    this.tagsReactions = environment.tagsReactions;
    this.#rootHeadTable = environment.openTable('root-heads');
    this.#rootTable = environment.openTable('roots');
    this.#partTable = environment.openTable('parts');
    this.#sleeperTable = environment.openTable('sleepers');
    this.#epochTable = environment.openTable('epochs');
    this.#tombstoneTable = new LmdbTombstoneTable(environment, clock);
    this.#messageTable = new LmdbMessageTable(environment, this.#tombstoneTable, digestOf);
  }

  loadRoot(key: ActorKey, at: Epoch): Promise<ActorRoot | null | 'fenced'> {
    const load = (): ActorRoot | null | 'fenced' => {
      const head = this.#readRootHead(key);
      if (!head) return null;
      if (head.epoch > at) return 'fenced';
      if (head.epoch < at) this.#writeRootHead(key, { ...head, epoch: at }, head);
      const [state, outbox] = unpackJson(this.#rootTable.get(key) as Buffer) as [Json, Json[]];
      return { key, epoch: at, version: head.version, state, outbox, due: head.due };
    };
    return this.#trackWrite(() => this.#environment.runMostlyReadingTransaction(load));
  }

  async commit(write: ActorRootWrite): Promise<'ok' | 'conflict'> {
    const { key, expected, due, participants = NO_PARTICIPANTS } = write;
    checkLmdbKeyText(key);
    const root = packJsonToBuffer([write.state, write.outbox]);
    const head = { epoch: write.epoch, version: expected + 1, due, pending: write.outbox.length > 0 };
    const changes = new LmdbTransactionCacheChanges();
    const records = write.records.map((r) => this.#prepareRecordWrite(r, changes));
    let isWritten = false;
    if (participants.length > 0)
      changes.onSettled((done) => {
        if (isWritten) for (const participant of participants) participant.settle(done);
      });
    return this.#runWrite(() => {
      const stored = this.#readRootHead(key);
      if (!isRootHeadAsExpected(stored, write.epoch, expected)) return 'conflict';
      isWritten = true;
      this.#writeRootHead(key, head, stored);
      this.#rootTable.put(key, root);
      for (const put of records) put();
      for (const participant of participants) participant.write();
      this.#tombstoneTable.purgeSomeOldTombstones();
      return 'ok';
    }, changes);
  }

  async applyRecords(writes: readonly StoreRecordWrite[]): Promise<void> {
    if (writes.length === 0) return;
    const changes = new LmdbTransactionCacheChanges();
    const records = writes.map((r) => this.#prepareRecordWrite(r, changes));
    await this.#runWrite(() => {
      for (const put of records) put();
      this.#tombstoneTable.purgeSomeOldTombstones();
    }, changes);
  }

  makeMessageBulkLoader(realm: RealmId, closingActor: ActorKey): MessageBulkLoader {
    return new LmdbMessageBulkLoader({
      realm,
      closingActor,
      messageTable: this.#messageTable,
      writeUnlessClosed: (enqueue) =>
        this.#trackWrite(() => this.#environment.writeUnlessKeyExists(this.#rootHeadTable, closingActor, enqueue)),
    });
  }

  removeActor(key: ActorKey, at: Epoch, expected: number): Promise<'ok' | 'conflict'> {
    const changes = new LmdbTransactionCacheChanges();
    return this.#runWrite(() => {
      if (!isRootHeadAsExpected(this.#readRootHead(key), at, expected)) return 'conflict';
      this.#rootHeadTable.remove(key);
      this.#rootTable.remove(key);
      this.#sleeperTable.remove([partitionOfActor(key), key]);
      for (const part of this.#listPartNames(key)) {
        this.#partTable.remove([key, part]);
        this.#blockCachedPart(key, part, changes);
      }
      this.#tombstoneTable.removePartTombstonesOfActor(key);
      return 'ok';
    }, changes);
  }

  async removeRealm(realm: RealmId): Promise<number> {
    const ranges = actorKeyRangesOfRealm(realm);
    let removed = 0;
    for (const { first, end } of ranges)
      removed += await this.#removeKeysOfRange(this.#rootHeadTable, { start: first, end }, async (keys) =>
        this.#runWrite(() => {
          for (const key of keys as ActorKey[]) {
            this.#rootHeadTable.remove(key);
            this.#rootTable.remove(key);
            this.#sleeperTable.remove([partitionOfActor(key), key]);
          }
        }),
      );
    const others = [
      ...ranges.map(({ first, end }) => ({ table: this.#partTable, range: { start: [first], end: [end] } })),
      ...this.#messageTable.listRangesOfRealm(realm),
    ];
    const realmActor = realmActorKey(realm);
    for (const { table, range } of others)
      removed += await this.#removeKeysOfRange(table, range, async (keys) => {
        const remove = (): void => {
          for (const key of keys) table.remove(key);
        };
        const isWritten = await this.#trackWrite(() =>
          this.#environment.writeUnlessKeyExists(this.#rootHeadTable, realmActor, remove),
        );
        if (!isWritten) throw new Error(`${realmActor} exists again`);
      });
    return removed;
  }

  /** Removes all keys of a range in many transactions, with pauses in which other processes get the lock. */
  async #removeKeysOfRange(
    table: LmdbTable,
    range: RangeOptions,
    removeKeys: (keys: readonly Key[]) => Promise<void>,
  ): Promise<number> {
    for (let removed = 0; ; ) {
      const keys = [...table.getKeys({ ...range, limit: MAX_KEYS_REMOVED_AT_ONCE })];
      if (keys.length === 0) return removed;
      await removeKeys(keys);
      removed += keys.length;
      await setTimeout(PAUSE_BETWEEN_TRANSACTIONS_MS);
    }
  }

  async listParts(key: ActorKey, prefix: string): Promise<StoredActorPart[]> {
    this.#assertOpen();
    const found: StoredActorPart[] = [];
    // One pass over names and values takes 2.2 µs for a part; names, and a read for each, take 2.9.
    for (const { key: id, value: bytes } of this.#partTable.getRange({ start: [key, prefix] })) {
      const [actor, part] = id as unknown as [ActorKey, string];
      if (actor !== key || !part.startsWith(prefix)) break;
      found.push(toStoredPart(part, bytes));
    }
    // lmdb sorts by UTF-8 bytes, but the contract by UTF-16 code units, which differ for characters beyond U+FFFF.
    return found.sort((a, b) => (a.part < b.part ? -1 : a.part > b.part ? 1 : 0));
  }

  async getParts(wanted: readonly { key: ActorKey; part: string }[]): Promise<(StoredActorPart | null)[]> {
    this.#assertOpen();
    return wanted.map(({ key, part }) => {
      const name = partCacheKey(key, part);
      let kept = this.#partCache.get(name);
      if (!kept) {
        kept = { found: this.#readPart(key, part) };
        this.#partCache.putUnlessBlocked(name, kept);
      }
      return kept.found;
    });
  }

  async getMessages(realm: RealmId, ids: readonly number[]): Promise<(MessageRecord | null)[]> {
    this.#assertOpen();
    return this.#messageTable.getMessages(realm, ids);
  }

  async scanMessages(scan: MessageScan): Promise<MessageRecord[]> {
    this.#assertOpen();
    return this.#messageTable.scanMessages(scan);
  }

  async forEachPackedMessage(scan: MessageScan, each: (message: PackedMessageCursor) => void): Promise<number> {
    this.#assertOpen();
    return this.#messageTable.forEachPackedMessage(scan, each);
  }

  async listActorsToWake(partitions: readonly Partition[]): Promise<ActorToWake[]> {
    this.#assertOpen();
    const found: ActorToWake[] = [];
    for (const partition of new Set(partitions)) {
      for (const { key, value } of this.#sleeperTable.getRange({ start: [partition], end: [partition + 1] })) {
        const [due, pending] = unpackJson(value) as [number | null, boolean];
        found.push({ key: (key as unknown as [number, ActorKey])[1], due, pending });
      }
    }
    return found;
  }

  raiseEpoch(partition: Partition, atLeast: number): Promise<Epoch> {
    return this.#runWrite(() => {
      const stored = this.#epochTable.get(partition);
      const raised = 1 + Math.max(stored ? (unpackJson(stored) as number) : 0, atLeast);
      this.#epochTable.put(partition, packJsonToBuffer(raised));
      return toEpoch(raised);
    });
  }

  async raiseEpochs(atLeast: ReadonlyMap<Partition, number>): Promise<Map<Partition, Epoch>> {
    const raised = await Promise.all([...atLeast].map(([p, n]) => this.raiseEpoch(p, n)));
    return new Map([...atLeast.keys()].map((p, i) => [p, raised[i]!]));
  }

  async ping(): Promise<void> {
    this.#assertOpen();
  }

  /** Closes the Store. The environment stays open: its opener closes it after the event log is closed too. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([...this.#writesInFlight]);
  }

  #assertOpen(): void {
    if (this.#closed || this.#environment.isClosed) throw new StoreUnavailableError('the embedded store is closed');
  }

  #runWrite<T>(action: () => T, changes?: LmdbTransactionCacheChanges): Promise<T> {
    return this.#trackWrite(() => this.#environment.runWriteTransaction(action), changes);
  }

  async #trackWrite<T>(start: () => Promise<T>, changes?: LmdbTransactionCacheChanges): Promise<T> {
    this.#assertOpen();
    const write = start();
    this.#writesInFlight.add(write);
    let done = false;
    try {
      const result = await write;
      done = true;
      return result;
    } finally {
      this.#writesInFlight.delete(write);
      changes?.runSettledListeners(done);
    }
  }

  /** Blocks the cached part until the transaction is settled. Must be called inside the transaction. */
  #blockCachedPart(key: ActorKey, part: string, changes: LmdbTransactionCacheChanges): void {
    const name = partCacheKey(key, part);
    this.#partCache.blockKey(name);
    changes.onSettled(() => this.#partCache.releaseKey(name));
  }

  #readRootHead(key: ActorKey): ActorRootHead | undefined {
    const bytes = this.#rootHeadTable.get(key);
    if (!bytes) return undefined;
    const [at, version, due, pending] = unpackJson(bytes) as [number, number, number | null, boolean];
    return { epoch: at, version, due, pending };
  }

  /** Writes the head of a root, and the table of sleepers only if `due` or `pending` changed. */
  #writeRootHead(key: ActorKey, head: ActorRootHead, stored?: ActorRootHead): void {
    this.#rootHeadTable.put(key, packJsonToBuffer([head.epoch, head.version, head.due, head.pending]));
    const sleeps = head.pending || head.due !== null;
    if (head.due === (stored?.due ?? null) && head.pending === (stored?.pending ?? false)) return;
    const entry: Key = [partitionOfActor(key), key];
    if (sleeps) this.#sleeperTable.put(entry, packJsonToBuffer([head.due, head.pending]));
    else this.#sleeperTable.remove(entry);
  }

  #prepareRecordWrite(write: StoreRecordWrite, changes: LmdbTransactionCacheChanges): () => void {
    return write.type === 'part'
      ? this.#preparePartWrite(write, changes)
      : this.#messageTable.prepareWrite(write, changes);
  }

  #preparePartWrite({ key, part, rev, value }: ActorPartWrite, changes: LmdbTransactionCacheChanges): () => void {
    const id: Key = [checkLmdbKeyText(key), checkLmdbKeyText(part)];
    const bytes = value === null ? null : packJsonToBuffer([rev, value]);
    return () => {
      const old = this.#readPartRevision(id);
      if ((old ?? this.#tombstoneTable.readRevision(['p', key, part])) >= rev) return;
      this.#blockCachedPart(key, part, changes);
      if (bytes) {
        if (old === undefined) this.#tombstoneTable.removeTombstone(['p', key, part]);
        this.#partTable.put(id, bytes);
      } else {
        if (old !== undefined) this.#partTable.remove(id);
        this.#tombstoneTable.addTombstone(['p', key, part], rev);
      }
    };
  }

  /** Returns the revision of a stored part; its value, such as a list of remembered replies, is not decoded. */
  #readPartRevision(id: Key): number | undefined {
    const bytes = this.#partTable.getBinaryFast(id);
    if (!bytes) return undefined;
    return readFirstSmallInteger(bytes) ?? (unpackJson(bytes.subarray(0, bytes.length)) as [number, Json])[0];
  }

  #readPart(key: ActorKey, part: string): StoredActorPart | null {
    const bytes = this.#partTable.get([key, part]);
    return bytes ? toStoredPart(part, bytes) : null;
  }

  #listPartNames(key: ActorKey): string[] {
    const names: string[] = [];
    for (const found of this.#partTable.getKeys({ start: [key, ''] })) {
      const [actor, part] = found as unknown as [ActorKey, string];
      if (actor !== key) break;
      names.push(part);
    }
    return names;
  }
}

function toStoredPart(part: string, bytes: Uint8Array): StoredActorPart {
  const [rev, value] = unpackJson(bytes) as [number, Json];
  return { part, rev, value };
}

const partCacheKey = (key: ActorKey, part: string): string => `${key} ${part}`;

function isRootHeadAsExpected(stored: ActorRootHead | undefined, at: Epoch, expected: number): boolean {
  if (expected === 0) return stored === undefined;
  return stored !== undefined && stored.epoch === at && stored.version === expected;
}
