import type { Key } from 'lmdb';
import type { Json } from '#base';
import type { Clock } from '#base/clock';
import { type ActorKey, type Epoch, type Partition, partitionOfActor, type RealmId, toEpoch } from '#model';
import type { MessageRecord } from '#model/records';
import { packJsonToBuffer, unpackJson } from './codec.js';
import { checkLmdbKeyText, type LmdbEnvironment, type LmdbTable } from './lmdb-environment.js';
import type { MessageDigestMaker, PackedMessage } from './packed-message.js';
import {
  type ActorPartWrite,
  type ActorRoot,
  type ActorRootWrite,
  type MessageScan,
  type SleepingActor,
  type Store,
  type StoredActorPart,
  type StoreRecordWrite,
  StoreUnavailableError,
} from './store.js';
import { LmdbConsistentCache, LmdbTransactionCacheChanges } from './store-lmdb-cache.js';
import { LmdbMessageTable } from './store-lmdb-messages.js';
import { LmdbTombstoneTable } from './store-lmdb-tombstones.js';

/**
 * The head of a root: the fields that the conditions of a commit check, stored apart from the state, so that fencing
 * and checking neither rewrite nor decode 64 KiB.
 */
interface RootHead {
  readonly epoch: number;
  readonly version: number;
  readonly due: number | null;
  readonly pending: boolean;
}

/** Maximum number of cached actor parts that were read by name (mostly memberships). */
const MAX_CACHED_PARTS = 20_000;

/** The Store of the embedded server. A write that has resolved was flushed to disk. */
export class LmdbStore implements Store {
  readonly atomicRecords = true;
  readonly #environment: LmdbEnvironment;
  readonly #heads: LmdbTable;
  /** Table of actor roots: actor -> [state, outbox]. */
  readonly #roots: LmdbTable;
  /** Table of actor parts: [actor, part] -> [rev, value]. */
  readonly #parts: LmdbTable;
  /** Table of actors to wake: [partition, actor] -> [due, pending]. */
  readonly #sleepers: LmdbTable;
  readonly #epochs: LmdbTable;
  readonly #tombstones: LmdbTombstoneTable;
  readonly #messages: LmdbMessageTable;
  readonly #partCache = new LmdbConsistentCache<string, { readonly found: StoredActorPart | null }>(
    MAX_CACHED_PARTS,
    () => 1,
  );
  readonly #writing = new Set<Promise<unknown>>();
  #closed = false;

  /**
   * Opens the Store in an environment, which must have only one Store.
   * @param clock only decides when tombstones are purged
   * @param digestOf makes the digests that `lookAtMessages` shows; messages stored without one stay readable
   */
  constructor(environment: LmdbEnvironment, clock: Clock, digestOf?: MessageDigestMaker) {
    this.#environment = environment;
    this.#heads = environment.table('root-heads');
    this.#roots = environment.table('roots');
    this.#parts = environment.table('parts');
    this.#sleepers = environment.table('sleepers');
    this.#epochs = environment.table('epochs');
    this.#tombstones = new LmdbTombstoneTable(environment, clock);
    this.#messages = new LmdbMessageTable(environment, this.#tombstones, digestOf);
  }

  load(key: ActorKey, at: Epoch): Promise<ActorRoot | null | 'fenced'> {
    return this.#write(() => {
      const head = this.#head(key);
      if (!head) return null;
      if (head.epoch > at) return 'fenced';
      if (head.epoch < at) this.#putHead(key, { ...head, epoch: at }, head);
      const [state, outbox] = unpackJson(this.#roots.get(key) as Buffer) as [Json, Json[]];
      return { key, epoch: at, version: head.version, state, outbox, due: head.due };
    });
  }

  async commit(write: ActorRootWrite): Promise<'ok' | 'conflict'> {
    const { key, expected, due } = write;
    checkLmdbKeyText(key);
    const root = packJsonToBuffer([write.state, write.outbox]);
    const head = { epoch: write.epoch, version: expected + 1, due, pending: write.outbox.length > 0 };
    const changes = new LmdbTransactionCacheChanges();
    const records = write.records.map((r) => this.#prepare(r, changes));
    return this.#write(() => {
      const stored = this.#head(key);
      if (!matches(stored, write.epoch, expected)) return 'conflict';
      this.#putHead(key, head, stored);
      this.#roots.put(key, root);
      for (const put of records) put();
      this.#tombstones.purge();
      return 'ok';
    }, changes);
  }

  async apply(writes: readonly StoreRecordWrite[]): Promise<void> {
    if (writes.length === 0) return;
    const changes = new LmdbTransactionCacheChanges();
    const records = writes.map((r) => this.#prepare(r, changes));
    await this.#write(() => {
      for (const put of records) put();
      this.#tombstones.purge();
    }, changes);
  }

  remove(key: ActorKey, at: Epoch, expected: number): Promise<'ok' | 'conflict'> {
    const changes = new LmdbTransactionCacheChanges();
    return this.#write(() => {
      if (!matches(this.#head(key), at, expected)) return 'conflict';
      this.#heads.remove(key);
      this.#roots.remove(key);
      this.#sleepers.remove([partitionOfActor(key), key]);
      for (const part of this.#partNames(key, '')) {
        this.#parts.remove([key, part]);
        this.#invalidate(key, part, changes);
      }
      this.#tombstones.removeParts(key);
      return 'ok';
    }, changes);
  }

  async parts(key: ActorKey, prefix: string): Promise<StoredActorPart[]> {
    this.#check();
    const found: StoredActorPart[] = [];
    for (const part of this.#partNames(key, prefix)) {
      const stored = this.#part(key, part);
      if (stored) found.push(stored);
    }
    // lmdb sorts by UTF-8 bytes, but the contract by UTF-16 code units, which differ for characters beyond U+FFFF.
    return found.sort((a, b) => (a.part < b.part ? -1 : a.part > b.part ? 1 : 0));
  }

  async getParts(wanted: readonly { key: ActorKey; part: string }[]): Promise<(StoredActorPart | null)[]> {
    this.#check();
    return wanted.map(({ key, part }) => {
      const name = cacheKey(key, part);
      let kept = this.#partCache.get(name);
      if (!kept) {
        kept = { found: this.#part(key, part) };
        this.#partCache.put(name, kept);
      }
      return kept.found;
    });
  }

  async getMessages(realm: RealmId, ids: readonly number[]): Promise<(MessageRecord | null)[]> {
    this.#check();
    return this.#messages.get(realm, ids);
  }

  async scanMessages(scan: MessageScan): Promise<MessageRecord[]> {
    this.#check();
    return this.#messages.scan(scan);
  }

  async lookAtMessages(scan: MessageScan, each: (message: PackedMessage) => void): Promise<number> {
    this.#check();
    return this.#messages.look(scan, each);
  }

  async sleepers(partitions: readonly Partition[]): Promise<SleepingActor[]> {
    this.#check();
    const found: SleepingActor[] = [];
    for (const partition of new Set(partitions)) {
      for (const { key, value } of this.#sleepers.getRange({ start: [partition], end: [partition + 1] })) {
        const [due, pending] = unpackJson(value) as [number | null, boolean];
        found.push({ key: (key as unknown as [number, ActorKey])[1], due, pending });
      }
    }
    return found;
  }

  raiseEpoch(partition: Partition, atLeast: number): Promise<Epoch> {
    return this.#write(() => {
      const stored = this.#epochs.get(partition);
      const raised = 1 + Math.max(stored ? (unpackJson(stored) as number) : 0, atLeast);
      this.#epochs.put(partition, packJsonToBuffer(raised));
      return toEpoch(raised);
    });
  }

  async raiseEpochs(atLeast: ReadonlyMap<Partition, number>): Promise<Map<Partition, Epoch>> {
    const raised = await Promise.all([...atLeast].map(([p, n]) => this.raiseEpoch(p, n)));
    return new Map([...atLeast.keys()].map((p, i) => [p, raised[i]!]));
  }

  async ping(): Promise<void> {
    this.#check();
  }

  /** Closes the Store. The environment stays open: its opener closes it after the event log is closed too. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([...this.#writing]);
  }

  #check(): void {
    if (this.#closed || this.#environment.closed) throw new StoreUnavailableError('the embedded store is closed');
  }

  async #write<T>(action: () => T, changes?: LmdbTransactionCacheChanges): Promise<T> {
    this.#check();
    const write = this.#environment.transaction(action);
    this.#writing.add(write);
    let done = false;
    try {
      const result = await write;
      done = true;
      return result;
    } finally {
      this.#writing.delete(write);
      changes?.settle(done);
    }
  }

  /** Blocks the cached part until the transaction is settled. Must be called inside the transaction. */
  #invalidate(key: ActorKey, part: string, changes: LmdbTransactionCacheChanges): void {
    const name = cacheKey(key, part);
    this.#partCache.block(name);
    changes.onSettled(() => this.#partCache.release(name));
  }

  #head(key: ActorKey): RootHead | undefined {
    const bytes = this.#heads.get(key);
    if (!bytes) return undefined;
    const [at, version, due, pending] = unpackJson(bytes) as [number, number, number | null, boolean];
    return { epoch: at, version, due, pending };
  }

  /** Writes the head of a root, and the table of sleepers only if `due` or `pending` changed. */
  #putHead(key: ActorKey, head: RootHead, stored?: RootHead): void {
    this.#heads.put(key, packJsonToBuffer([head.epoch, head.version, head.due, head.pending]));
    const sleeps = head.pending || head.due !== null;
    if (head.due === (stored?.due ?? null) && head.pending === (stored?.pending ?? false)) return;
    const entry: Key = [partitionOfActor(key), key];
    if (sleeps) this.#sleepers.put(entry, packJsonToBuffer([head.due, head.pending]));
    else this.#sleepers.remove(entry);
  }

  #prepare(write: StoreRecordWrite, changes: LmdbTransactionCacheChanges): () => void {
    return write.type === 'part' ? this.#preparePart(write, changes) : this.#messages.prepare(write, changes);
  }

  #preparePart({ key, part, rev, value }: ActorPartWrite, changes: LmdbTransactionCacheChanges): () => void {
    const id: Key = [checkLmdbKeyText(key), checkLmdbKeyText(part)];
    const bytes = value === null ? null : packJsonToBuffer([rev, value]);
    return () => {
      const old = this.#part(key, part);
      if ((old?.rev ?? this.#tombstones.rev(['p', key, part])) >= rev) return;
      this.#invalidate(key, part, changes);
      if (bytes) {
        if (!old) this.#tombstones.remove(['p', key, part]);
        this.#parts.put(id, bytes);
      } else {
        if (old) this.#parts.remove(id);
        this.#tombstones.put(['p', key, part], rev);
      }
    };
  }

  #part(key: ActorKey, part: string): StoredActorPart | null {
    const bytes = this.#parts.get([key, part]);
    if (!bytes) return null;
    const [rev, value] = unpackJson(bytes) as [number, Json];
    return { part, rev, value };
  }

  #partNames(key: ActorKey, prefix: string): string[] {
    const names: string[] = [];
    for (const found of this.#parts.getKeys({ start: [key, prefix] })) {
      const [actor, part] = found as unknown as [ActorKey, string];
      if (actor !== key || !part.startsWith(prefix)) break;
      names.push(part);
    }
    return names;
  }
}

const cacheKey = (key: ActorKey, part: string): string => `${key} ${part}`;

function matches(stored: RootHead | undefined, at: Epoch, expected: number): boolean {
  if (expected === 0) return stored === undefined;
  return stored !== undefined && stored.epoch === at && stored.version === expected;
}
