import type { Json } from '#base';
import {
  type ActorKey,
  type Epoch,
  type Partition,
  parseActorKey,
  partitionOfActor,
  type RealmId,
  toEpoch,
} from '#model';
import type { MessageRecord } from '#model/records';
import {
  type ActorRoot,
  type ActorRootWrite,
  type ActorToWake,
  deepCopyJson,
  isMessageInRange,
  type MessageScan,
  rangesOfMessageScan,
  type Store,
  type StoredActorPart,
  type StoreRecordWrite,
  StoreUnavailableError,
} from '#ports/store';

type Operation = Exclude<keyof Store, 'atomicRecords' | 'tagsReactions' | 'admitsParticipants' | 'close'>;
/**
 * Points at which a gate is awaited. `each:apply` precedes each record of `applyRecords`, so that a crash can leave the
 * call half done.
 */
export type StoreStep = `before:${Operation}` | `after:${Operation}` | 'each:apply';
/**
 * Awaited before an operation takes effect and again before its caller learns the result. A crash is a gate that never
 * resolves; a broken connection is a gate that rejects with StoreUnavailableError.
 * @param keys concerned actor keys, partition numbers, or `message/<realm>/<id>`
 */
export type StoreGate = (step: StoreStep, keys: readonly string[]) => Promise<void> | void;

interface Versioned<T> {
  readonly rev: number;
  readonly value: T | null;
}

/** Contents that several MemoryStores (one per simulated host) share. */
export class MemoryStoreContents {
  readonly roots = new Map<ActorKey, ActorRoot>();
  /** Values by part name, by actor. A null value is a tombstone, which is kept forever. */
  readonly parts = new Map<ActorKey, Map<string, Versioned<Json>>>();
  readonly messages = new Map<RealmId, Map<number, Versioned<MessageRecord>>>();
  readonly epochs = new Map<Partition, number>();

  /** Deep copy, for comparing the contents before and after an operation. */
  snapshot(): MemoryStoreContents {
    const to = new MemoryStoreContents();
    for (const [k, v] of this.roots) to.roots.set(k, structuredClone(v));
    for (const [k, v] of this.parts) to.parts.set(k, structuredClone(v));
    for (const [k, v] of this.messages) to.messages.set(k, structuredClone(v));
    for (const [k, v] of this.epochs) to.epochs.set(k, v);
    return to;
  }

  put(write: StoreRecordWrite): void {
    if (write.type === 'part') {
      const parts = this.parts.get(write.key) ?? new Map<string, Versioned<Json>>();
      this.parts.set(write.key, parts);
      if ((parts.get(write.part)?.rev ?? -1) < write.rev) {
        parts.set(write.part, { rev: write.rev, value: deepCopyJson(write.value) });
      }
      return;
    }
    const messages = this.messages.get(write.realm) ?? new Map<number, Versioned<MessageRecord>>();
    this.messages.set(write.realm, messages);
    if ((messages.get(write.id)?.rev ?? -1) < write.rev) {
      const value = write.value && (deepCopyJson(write.value as unknown as Json) as unknown as MessageRecord);
      messages.set(write.id, { rev: write.rev, value });
    }
  }
}

export interface MemoryStoreOptions {
  readonly atomicRecords: boolean;
  readonly gate?: StoreGate;
  /** Contents to share with other stores; new and empty by default. */
  readonly contents?: MemoryStoreContents;
}

/** Store over Maps, for tests and the simulator. An operation takes effect synchronously between its two gates. */
export class MemoryStore implements Store {
  readonly atomicRecords: boolean;
  readonly tagsReactions: boolean = true;
  readonly admitsParticipants: boolean;
  readonly contents: MemoryStoreContents;
  gate: StoreGate | undefined;
  #closed = false;

  constructor(options: MemoryStoreOptions) {
    this.atomicRecords = options.atomicRecords;
    this.admitsParticipants = options.atomicRecords;
    this.gate = options.gate;
    this.contents = options.contents ?? new MemoryStoreContents();
  }

  /** MemoryStore of another simulated host: shared contents, its own gate. */
  peer(gate?: StoreGate): MemoryStore {
    const options = { atomicRecords: this.atomicRecords, contents: this.contents };
    return new MemoryStore(gate ? { ...options, gate } : options);
  }

  async #gated<T>(operation: Operation, keys: readonly string[], effect: () => T | Promise<T>): Promise<T> {
    if (this.#closed) throw new StoreUnavailableError('closed');
    if (this.gate) await this.gate(`before:${operation}`, keys);
    const result = await effect();
    if (this.gate) await this.gate(`after:${operation}`, keys);
    return result;
  }

  loadRoot(key: ActorKey, at: Epoch): Promise<ActorRoot | null | 'fenced'> {
    return this.#gated('loadRoot', [key], () => {
      const root = this.contents.roots.get(key);
      if (!root) return null;
      if (root.epoch > at) return 'fenced';
      const stamped = { ...root, epoch: at };
      this.contents.roots.set(key, stamped);
      return structuredClone(stamped);
    });
  }

  commit(write: ActorRootWrite): Promise<'ok' | 'conflict'> {
    if (!this.atomicRecords && write.records.length > 0) throw new Error('records in a commit without atomicRecords');
    // Copied at the call: a caller that changes its state afterwards must not change the write.
    const state = deepCopyJson(write.state);
    const outbox = deepCopyJson(write.outbox as Json) as readonly Json[];
    const records = structuredClone(write.records) as readonly StoreRecordWrite[];
    const { key, due, expected, participants = [] } = write;
    if (!this.admitsParticipants && participants.length > 0) throw new Error('participants without admitsParticipants');
    return this.#gated('commit', [key], () => {
      if (!this.#matches(key, write.epoch, expected)) return 'conflict';
      this.contents.roots.set(key, { key, epoch: write.epoch, version: expected + 1, state, outbox, due });
      for (const record of records) this.contents.put(record);
      for (const participant of participants) participant.write();
      for (const participant of participants) participant.settle(true);
      return 'ok';
    });
  }

  #matches(key: ActorKey, at: Epoch, expected: number): boolean {
    const root = this.contents.roots.get(key);
    return expected === 0 ? !root : root !== undefined && root.epoch === at && root.version === expected;
  }

  applyRecords(writes: readonly StoreRecordWrite[]): Promise<void> {
    const copies = structuredClone(writes) as readonly StoreRecordWrite[];
    const keys = copies.map((w) => (w.type === 'part' ? w.key : `message/${w.realm}/${w.id}`));
    return this.#gated('applyRecords', keys, async () => {
      for (const [i, write] of copies.entries()) {
        if (this.gate) await this.gate('each:apply', [keys[i] as string]);
        this.contents.put(write);
      }
    });
  }

  removeActor(key: ActorKey, at: Epoch, expected: number): Promise<'ok' | 'conflict'> {
    return this.#gated('removeActor', [key], () => {
      if (!this.#matches(key, at, expected)) return 'conflict';
      this.contents.roots.delete(key);
      this.contents.parts.delete(key);
      return 'ok';
    });
  }

  removeRealm(realm: RealmId): Promise<number> {
    return this.#gated('removeRealm', [`realm/${realm}`], () => {
      const { roots, parts, messages } = this.contents;
      let removed = messages.get(realm)?.size ?? 0;
      const ofRealm = (keys: Iterable<ActorKey>): ActorKey[] =>
        [...keys].filter((key) => parseActorKey(key).realm === realm);
      for (const key of ofRealm(parts.keys())) removed += parts.get(key)!.size;
      removed += ofRealm(roots.keys()).length;
      for (const table of [roots, parts]) for (const key of ofRealm(table.keys())) table.delete(key);
      messages.delete(realm);
      return removed;
    });
  }

  listParts(key: ActorKey, prefix: string): Promise<StoredActorPart[]> {
    return this.#gated('listParts', [key], () => {
      const found: StoredActorPart[] = [];
      for (const [part, { rev, value }] of this.contents.parts.get(key) ?? []) {
        if (part.startsWith(prefix) && value !== null) found.push({ part, rev, value: structuredClone(value) });
      }
      return found.sort((a, b) => (a.part < b.part ? -1 : a.part > b.part ? 1 : 0));
    });
  }

  getParts(wanted: readonly { key: ActorKey; part: string }[]): Promise<(StoredActorPart | null)[]> {
    return this.#gated(
      'getParts',
      wanted.map((w) => w.key),
      () =>
        wanted.map(({ key, part }) => {
          const stored = this.contents.parts.get(key)?.get(part);
          if (!stored || stored.value === null) return null;
          return { part, rev: stored.rev, value: structuredClone(stored.value) };
        }),
    );
  }

  getMessages(realm: RealmId, ids: readonly number[]): Promise<(MessageRecord | null)[]> {
    return this.#gated(
      'getMessages',
      ids.map((id) => `message/${realm}/${id}`),
      () => ids.map((id) => structuredClone(this.contents.messages.get(realm)?.get(id)?.value ?? null)),
    );
  }

  scanMessages(scan: MessageScan): Promise<MessageRecord[]> {
    return this.#gated('scanMessages', [`message/${scan.realm}`], () => {
      const found: MessageRecord[] = [];
      for (const { value } of this.contents.messages.get(scan.realm)?.values() ?? []) {
        if (!value || !rangesOfMessageScan(scan).some((range) => isMessageInRange(value, range))) continue;
        if (scan.direction === 'newer' ? value.id > scan.from : value.id < scan.from) found.push(value);
      }
      found.sort((a, b) => (scan.direction === 'newer' ? a.id - b.id : b.id - a.id));
      return structuredClone(found.slice(0, Math.max(0, scan.limit)));
    });
  }

  listActorsToWake(partitions: readonly Partition[]): Promise<ActorToWake[]> {
    return this.#gated('listActorsToWake', partitions.map(String), () => {
      const wanted = new Set(partitions);
      const found: ActorToWake[] = [];
      for (const { key, due, outbox } of this.contents.roots.values()) {
        const pending = outbox.length > 0;
        if ((pending || due !== null) && wanted.has(partitionOfActor(key))) found.push({ key, due, pending });
      }
      return found;
    });
  }

  raiseEpoch(of: Partition, atLeast: number): Promise<Epoch> {
    return this.#gated('raiseEpoch', [String(of)], () => {
      const raised = 1 + Math.max(this.contents.epochs.get(of) ?? 0, atLeast);
      this.contents.epochs.set(of, raised);
      return toEpoch(raised);
    });
  }

  async raiseEpochs(atLeast: ReadonlyMap<Partition, number>): Promise<Map<Partition, Epoch>> {
    const raised = await Promise.all([...atLeast].map(([p, n]) => this.raiseEpoch(p, n)));
    return new Map([...atLeast.keys()].map((p, i) => [p, raised[i]!]));
  }

  ping(): Promise<void> {
    return this.#gated('ping', [], () => undefined);
  }

  async close(): Promise<void> {
    this.#closed = true;
  }
}
