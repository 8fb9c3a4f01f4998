/**
 * Store: the state of actors, and messages with their indexes.
 *
 * Contract (test/contract/store.ts runs it against every implementation):
 * - No transaction over several documents is assumed. The one thing that must be atomic is `commit`: a conditional
 *   replacement of one actor's root.
 * - A resolved write is durable (LMDB: flushed to disk; MongoDB: majority, journaled) and visible to every later read.
 * - A rejected write has an unknown outcome: it may have happened. Callers reload and repeat; everything here can be
 *   repeated.
 * - `StoreUnavailable` is the only error that callers meet for a store that cannot be reached.
 */
import type { ActorKey, Epoch, Json, Partition, RealmId } from '../core/index.js';
import type { MessageRecord } from '../model/records/message.js';
import type { PackedMessage } from './packed-message.js';

export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
}

/** The small document (at most some 64 KiB plus its outbox) whose conditional replacement is an actor's commit point. */
export interface Root {
  readonly key: ActorKey;
  readonly epoch: Epoch;
  /** 1 after the first commit; +1 with each. */
  readonly version: number;
  readonly state: Json;
  /** What earlier commits still have to do; opaque here. */
  readonly outbox: readonly Json[];
  /** Wall time (ms) at which the actor wants to be woken, or null. */
  readonly due: number | null;
}

export interface RootWrite {
  readonly key: ActorKey;
  /** Must equal the epoch stored in the root (stamped there by `load`). */
  readonly epoch: Epoch;
  /** Version that must be stored; 0 = no root may exist yet. The write stores expected + 1. */
  readonly expected: number;
  readonly state: Json;
  readonly outbox: readonly Json[];
  readonly due: number | null;
  /** Applied in the same transaction where `atomicRecords` is true; must be empty where it is false. */
  readonly records: readonly RecordWrite[];
}

/**
 * A part of an actor that grows on its own (a subscriber, a subscription, a remembered reply), keyed (actor, part).
 * Applying replaces where the stored rev is smaller, so that repeats and late writes of an older owner do nothing.
 */
export interface PartWrite {
  readonly type: 'part';
  readonly key: ActorKey;
  readonly part: string;
  readonly rev: number;
  /** null = deleted: a tombstone that keeps the rev for a while. */
  readonly value: Json;
}

/** A message with what its indexes need; same rule of revs, keyed (realm, id). */
export interface MessageWrite {
  readonly type: 'message';
  readonly realm: RealmId;
  readonly id: number;
  readonly rev: number;
  /** null = deleted. */
  readonly value: MessageRecord | null;
}

export type RecordWrite = PartWrite | MessageWrite;

export interface StoredPart {
  readonly part: string;
  readonly rev: number;
  readonly value: Json;
}

/** One index range, always within one realm; ids ascending. */
export type MessageIndex =
  | { readonly by: 'realm' }
  | { readonly by: 'conversation'; readonly conversation: string }
  | { readonly by: 'topic'; readonly conversation: string; readonly topicKey: string }
  | { readonly by: 'sender'; readonly sender: number }
  /** Direct messages in which this user takes part. */
  | { readonly by: 'participant'; readonly user: number }
  /** Messages that carry this tag. */
  | { readonly by: 'tag'; readonly tag: string }
  /** Messages that were moved away from this conversation, wherever they are now. */
  | { readonly by: 'moved'; readonly from: string }
  /** These messages; ascending, no repeats. */
  | { readonly by: 'ids'; readonly ids: readonly number[] };

/** What several conditions leave of an index. Costs what its rarest index does, not what the others hold. */
export interface MessageRange {
  readonly index: MessageIndex;
  /** Only messages that are in all of these, too. */
  readonly also?: readonly MessageIndex[];
  /** Only ids above this one. */
  readonly above?: number;
  /** Only ids up to this one. */
  readonly upTo?: number;
}

export interface MessageScan extends MessageRange {
  readonly realm: RealmId;
  /** Messages of any of these ranges, too, in one order with the others; each message once. */
  readonly or?: readonly MessageRange[];
  /** Exclusive start: `newer` yields ids > from ascending, `older` ids < from descending. */
  readonly from: number;
  readonly direction: 'newer' | 'older';
  readonly limit: number;
}

export interface Sleeper {
  readonly key: ActorKey;
  readonly due: number | null;
  /** An outbox entry is waiting. */
  readonly pending: boolean;
}

/** What looking at messages, and at who has copies of them, needs of a Store. */
export type MessageReads = Pick<Store, 'getParts' | 'getMessages' | 'scanMessages'>;

export interface Store {
  /** True: `commit` applies `records` in its own transaction, so they need not pass through the outbox. */
  readonly atomicRecords: boolean;

  /**
   * Fencing at load: stamps `epoch` into the root and returns it, so that from now on every commit at a smaller epoch
   * fails, even if the caller never writes. Returns null when the actor has no root (nothing is created); returns
   * 'fenced' when the root already carries a larger epoch.
   */
  load(key: ActorKey, epoch: Epoch): Promise<Root | null | 'fenced'>;

  /** The commit point. 'conflict': another epoch or version is stored, nothing was written. */
  commit(write: RootWrite): Promise<'ok' | 'conflict'>;

  /** Apply records (any actors, any realm), idempotently, in no particular order. Implementations batch per tick. */
  apply(writes: readonly RecordWrite[]): Promise<void>;

  /** Remove a root and all parts of an actor that ended for good; same condition as `commit`. */
  remove(key: ActorKey, epoch: Epoch, expected: number): Promise<'ok' | 'conflict'>;

  /** Live parts (no tombstones) of an actor whose name starts with `prefix`, ordered by name (code units). */
  parts(key: ActorKey, prefix: string): Promise<StoredPart[]>;

  /** Named parts of any actors, in the order asked for; null where there is none. */
  getParts(wanted: readonly { key: ActorKey; part: string }[]): Promise<(StoredPart | null)[]>;

  /** Messages by id, in the order asked for; null where there is none. */
  getMessages(realm: RealmId, ids: readonly number[]): Promise<(MessageRecord | null)[]>;

  /** At most `limit` messages of a range, or of several. */
  scanMessages(scan: MessageScan): Promise<MessageRecord[]>;

  /**
   * The same without decoding what nobody asks for: shows one message after the other, each only until the call returns,
   * and tells how many there were. A Store that must decode them has no such method.
   */
  lookAtMessages?(scan: MessageScan, each: (message: PackedMessage) => void): Promise<number>;

  /** Roots of these partitions that must not sleep for ever: a pending outbox or a due time. */
  sleepers(partitions: readonly Partition[]): Promise<Sleeper[]>;

  /** Raise the epoch stored for a partition to 1 + max(stored, atLeast) and return it; durable when it resolves. */
  raiseEpoch(partition: Partition, atLeast: number): Promise<Epoch>;

  /** The same for many partitions in few writes. */
  raiseEpochs(atLeast: ReadonlyMap<Partition, number>): Promise<Map<Partition, Epoch>>;

  /** Rejects with StoreUnavailable when the store cannot be reached within a few seconds. */
  ping(): Promise<void>;

  /** Waits for writes under way. */
  close(): Promise<void>;
}
