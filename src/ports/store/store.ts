/**
 * Store: the state of actors, and messages with their indexes.
 *
 * Contract (test/contract/store.ts runs it against every implementation):
 * - No transaction over several documents is assumed. The only atomic operation is `commit`: a conditional replacement
 *   of one actor's root.
 * - A resolved write is durable (LMDB: flushed to disk; MongoDB: majority, journaled) and visible to every later read.
 * - A rejected write has an unknown outcome: it may have happened. Callers reload and repeat; every operation may be
 *   repeated.
 * - The only error for an unreachable store is `StoreUnavailableError`.
 */

import type { Json } from '#base';
import type { ActorKey, Epoch, Partition, RealmId } from '#model';
import type { MessageRecord } from '#model/records';
import type { PackedMessageCursor } from './packed-message.js';

export class StoreUnavailableError extends Error {
  override name = 'StoreUnavailableError';
}

/**
 * The root of an actor: a small document (at most some 64 KiB plus its outbox) whose conditional replacement is the
 * actor's commit point.
 */
export interface ActorRoot {
  readonly key: ActorKey;
  readonly epoch: Epoch;
  /** Version of the root: 1 after the first commit, raised by 1 with each. */
  readonly version: number;
  readonly state: Json;
  /** Work that earlier commits left to do: events to append and commands to send; opaque to the Store. */
  readonly outbox: readonly Json[];
  /** Wall time (ms) at which the actor wants to be woken, or null. */
  readonly due: number | null;
}

export interface ActorRootWrite {
  readonly key: ActorKey;
  /** Epoch that the stored root must have (`loadRoot` writes it there). */
  readonly epoch: Epoch;
  /** Version that the stored root must have; 0: no root may exist yet. The write stores `expected + 1`. */
  readonly expected: number;
  readonly state: Json;
  readonly outbox: readonly Json[];
  readonly due: number | null;
  /**
   * Records written with the commit, in the same transaction, where `atomicRecords` is true; must be empty where it is
   * false.
   */
  readonly records: readonly StoreRecordWrite[];
  /** Writes of other ports in the same transaction; allowed only where `admitsParticipants` is true. */
  readonly participants?: readonly StoreTransactionParticipant[];
}

/**
 * A write of another port, which shares the Store's database, in the transaction of a commit: both are durable, or
 * neither.
 */
export interface StoreTransactionParticipant {
  /** Writes inside the transaction, after the commit's condition was checked. Must not throw. */
  write(): void;
  /**
   * Called after `write`, before the commit's promise settles: in any order among commits.
   * @param done false if the outcome is unknown
   */
  settle(done: boolean): void;
}

/**
 * A write of an actor's part that grows on its own (a subscriber, a subscription, a remembered reply), keyed (actor,
 * part). The write replaces the stored part only if the stored rev is smaller, so repeats and late writes of an older
 * owner have no effect.
 */
export interface ActorPartWrite {
  readonly type: 'part';
  readonly key: ActorKey;
  readonly part: string;
  readonly rev: number;
  /** Value of the part; null deletes the part, leaving a tombstone that keeps the rev for an hour. */
  readonly value: Json;
}

/** A write of a message and its index fields, keyed (realm, id). Revs work as in `ActorPartWrite`. */
export interface MessageRecordWrite {
  readonly type: 'message';
  readonly realm: RealmId;
  readonly id: number;
  readonly rev: number;
  /** The message; null deletes it. */
  readonly value: MessageRecord | null;
}

export type StoreRecordWrite = ActorPartWrite | MessageRecordWrite;

export interface StoredActorPart {
  readonly part: string;
  readonly rev: number;
  readonly value: Json;
}

/** A condition on messages that one index answers, always within one realm; ids ascend. */
export type MessageIndexCondition =
  | { readonly by: 'realm' }
  | { readonly by: 'conversation'; readonly conversation: string }
  | { readonly by: 'topic'; readonly conversation: string; readonly topicKey: string }
  | { readonly by: 'sender'; readonly sender: number }
  /** Direct messages in which this user takes part. */
  | { readonly by: 'participant'; readonly user: number }
  /** Messages that have this tag. */
  | { readonly by: 'tag'; readonly tag: string }
  /** Messages that were moved out of this conversation, regardless of their present one. */
  | { readonly by: 'moved'; readonly from: string }
  /** Messages with these ids; ascending, no repeats. */
  | { readonly by: 'ids'; readonly ids: readonly number[] };

/**
 * The intersection of one index and further conditions. Reading it costs as much as its rarest index, not as the common
 * ones.
 */
export interface MessageIndexRange {
  readonly index: MessageIndexCondition;
  /** Further conditions: only messages that are in all of these indexes. */
  readonly also?: readonly MessageIndexCondition[];
  /** Restricts the range to ids above this one. */
  readonly above?: number;
  /** Restricts the range to ids up to this one. */
  readonly upTo?: number;
}

export interface MessageScan extends MessageIndexRange {
  readonly realm: RealmId;
  /** Further ranges of the scan; their messages are merged into one order, each message once. */
  readonly or?: readonly MessageIndexRange[];
  /** Start of the scan, exclusive: `newer` yields ids > from ascending, `older` ids < from descending. */
  readonly from: number;
  readonly direction: 'newer' | 'older';
  readonly limit: number;
}

export interface ActorToWake {
  readonly key: ActorKey;
  readonly due: number | null;
  /** True if the actor's outbox is not empty. */
  readonly pending: boolean;
}

/** The reads of a Store that fetching messages and their access records needs. */
export type MessageReadStore = Pick<Store, 'getParts' | 'getMessages' | 'scanMessages'>;

/** Loads messages of an organization that no process reads or changes yet. */
export interface MessageBulkLoader {
  /**
   * Takes messages whose ids ascend from call to call and stores them, some of them only with a later call or `flush`;
   * a message that is stored already stays as it is. A call may begin while a flush is under way.
   * @throws MessageBulkLoadRefusedError
   */
  addMessages(messages: readonly MessageRecord[]): Promise<void>;

  /**
   * Makes all messages durable whose `addMessages` has ended, with the index entries by which scans find them.
   * @throws MessageBulkLoadRefusedError
   */
  flush(): Promise<void>;
}

/** Error of a bulk loader whose closing actor exists: others may have changed the messages since. */
export class MessageBulkLoadRefusedError extends Error {
  override readonly name = 'MessageBulkLoadRefusedError';
}

export interface Store {
  /** True if `commit` applies `records` in its own transaction, so that they need not pass through the outbox. */
  readonly atomicRecords: boolean;
  /**
   * True if every message with reactions has the tag of reactions. Data begun before messages got that tag don't have
   * it throughout.
   */
  readonly tagsReactions: boolean;
  /** True if other ports may write in the transaction of `commit`; only where `atomicRecords` is true. */
  readonly admitsParticipants: boolean;

  /**
   * Loads a root and fences older owners: writes `epoch` into the root and returns the root. From then on every commit
   * at a smaller epoch fails, even if the caller never writes. Returns null if the actor has no root (none is created),
   * and 'fenced' if the root already carries a larger epoch.
   */
  loadRoot(key: ActorKey, epoch: Epoch): Promise<ActorRoot | null | 'fenced'>;

  /**
   * Commits by replacing the actor's root. 'conflict' means that another epoch or version is stored and that no write
   * was made.
   */
  commit(write: ActorRootWrite): Promise<'ok' | 'conflict'>;

  /**
   * Applies records of any actors and realms, idempotently and in no particular order. Implementations batch the calls
   * of one event-loop turn.
   */
  applyRecords(writes: readonly StoreRecordWrite[]): Promise<void>;

  /**
   * Makes a loader for many messages; absent in Stores that load no faster than by `applyRecords`.
   * @param closingActor actor whose root is written when all messages are loaded; from then on nothing is loaded
   */
  makeMessageBulkLoader?(realm: RealmId, closingActor: ActorKey): MessageBulkLoader;

  /** Removes the root and all parts of an actor that ended for good, on the same condition as `commit`. */
  removeActor(key: ActorKey, epoch: Epoch, expected: number): Promise<'ok' | 'conflict'>;

  /**
   * Removes the actors and messages of an organization that no process reads or changes, in many small transactions.
   * Roots go first, so that the commits of an actor that is still active end with 'conflict'. Tombstones stay. May be
   * repeated, also after a crash.
   * @returns number of rows that were removed: a commit under way may have left some after an earlier call
   */
  removeRealm(realm: RealmId): Promise<number>;

  /**
   * Reads the live parts (no tombstones) of an actor whose names start with `prefix`, ordered by name (UTF-16 code
   * units).
   */
  listParts(key: ActorKey, prefix: string): Promise<StoredActorPart[]>;

  /** Reads named parts of any actors, in the order of the request; null for a missing part. */
  getParts(wanted: readonly { key: ActorKey; part: string }[]): Promise<(StoredActorPart | null)[]>;

  /** Reads messages by id, in the order of the request; null for a missing message. */
  getMessages(realm: RealmId, ids: readonly number[]): Promise<(MessageRecord | null)[]>;

  /** Reads at most `limit` messages of the scan's ranges. */
  scanMessages(scan: MessageScan): Promise<MessageRecord[]>;

  /**
   * Passes each message of the scan to `each`, without decoding it, and returns the number of messages. A message is
   * valid only during its call. The method is absent in Stores that must decode messages anyway.
   */
  forEachPackedMessage?(scan: MessageScan, each: (message: PackedMessageCursor) => void): Promise<number>;

  /** Finds actors of these partitions that need waking: their roots have a pending outbox or a due time. */
  listActorsToWake(partitions: readonly Partition[]): Promise<ActorToWake[]>;

  /**
   * Raises the partition's stored epoch to 1 + max(stored, atLeast) and returns it; durable when the promise resolves.
   */
  raiseEpoch(partition: Partition, atLeast: number): Promise<Epoch>;

  /** Raises epochs as `raiseEpoch` does, for many partitions in few writes. */
  raiseEpochs(atLeast: ReadonlyMap<Partition, number>): Promise<Map<Partition, Epoch>>;

  /** Checks the Store. Rejects with StoreUnavailableError if the Store can't be reached within a few seconds. */
  ping(): Promise<void>;

  /** Closes the Store after writes in flight. Later calls reject with StoreUnavailableError. */
  close(): Promise<void>;
}
