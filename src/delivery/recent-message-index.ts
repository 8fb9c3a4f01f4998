/**
 * The part of a realm's messages that registrations read, in memory: the newest messages, and the members of streams.
 * The index is read from the Store once, then kept up to date from the log in step with the feed. Registrations that
 * come together share the one question that is left for the Store: does the Store hold a message that the log has not
 * shown here?
 *
 * Invariant: the view from `catchUpAndSelectReadStore` shows every message that the Store held at the call, and every
 * change of a message that the log had shown here. For everything else an event is still to come.
 */

import { SingleFlight } from '#base';
import type { Clock } from '#base/clock';
import {
  type MessageBody,
  NEWEST_ANCHOR_MESSAGE_ID,
  storeNameOfStreamConversation,
  streamIdsDecidingMessageCopies,
  toStoredMessage,
} from '#domain/messages';
import { STREAM_MEMBER_PART_PREFIX, toComparableTopicKey } from '#domain/streams';
import {
  type EventLogItem,
  LOG_ENTRY_HEAD_FLAGS,
  type LogEntry,
  type LogItem,
  type MessageLogItem,
  type MessageMoveProgressLogItem,
  parseActorKey,
  type RealmId,
} from '#model';
import type { MessageRecord } from '#model/records';
import type { MessageReadStore, MessageScan, Store, StoredActorPart } from '#ports/store';
import type { StreamMembershipCache } from './memberships.js';
import { getMessagesWithoutText, RecentMessageRecords, scanMessagesWithoutText } from './recent-messages.js';

/** Number of messages that the first load reads, the newest ones. */
const INITIAL_LOAD_MESSAGES = 2_048;
const STORE_SCAN_BATCH_MESSAGES = 1_024;
/** Maximum number of messages in the index; beyond it the oldest are dropped. */
const MAX_INDEXED_MESSAGES = 8_192;
/**
 * Longest time between the sending of a message and its write to the Store, seconds. No older message comes into the
 * Store later.
 */
const STORE_WRITE_LAG_SECONDS = 5;
/** Age in seconds up to which the log may still bring changes of a message that was read from the Store. */
const UNSETTLED_MESSAGE_AGE_SECONDS = 300;
/**
 * Longest wait for the log to bring a message that the Store holds, ms. If the message has not come by then, something
 * is wrong, and the index is reset.
 */
const LOG_ARRIVAL_TIMEOUT_MS = 1_000;
/** Maximum number of deleted messages whose ids are remembered. */
const MAX_REMEMBERED_DELETED_IDS = 1_000;
/** Number of questions about single members of a stream after which all its members are loaded. */
const MEMBER_QUERIES_BEFORE_FULL_LOAD = 3;

/** The part of its feed that the message index uses. */
interface RecentMessageIndexSource {
  readonly clock: Clock;
  /** Log entries that the feed has read, oldest first. */
  recentEntries(): Iterable<{ readonly entry: LogEntry }>;
  /**
   * Resolves when the feed has delivered all entries that had arrived from the log before the call, and the index has
   * applied them.
   */
  delivered(): Promise<void>;
}

interface ArrivalWaiter {
  readonly ids: Set<number>;
  resolve(): void;
}

export class RecentMessageIndex implements MessageReadStore {
  #messageRecords: RecentMessageRecords | undefined;
  #loadInProgress: Promise<void> | undefined;
  /** Log items that arrived while messages were being read from the Store. */
  #itemsDuringLoad: LogItem[] | undefined;
  /** Ids of messages that changed after they were read: the Store has their new form. */
  #staleIds = new Set<number>();
  #deletedIds = new Set<number>();
  #arrivalWaiters: ArrivalWaiter[] = [];
  /** Number of moves between streams that have begun and not ended. */
  #unfinishedMoveCount = 0;
  /** Generation of the index, raised by every reset. Work begun under an older generation is dropped. */
  #resetGeneration = 0;
  /** Number of questions about single members, by stream. */
  readonly #memberQueryCounts = new Map<number, number>();
  readonly #catchUpSingleFlight = new SingleFlight<'all', boolean>(true);

  constructor(
    private readonly store: Store,
    private readonly realm: RealmId,
    private readonly memberships: StreamMembershipCache,
    private readonly source: RecentMessageIndexSource,
    private readonly budget: RecentMessageMemoryBudget,
  ) {}

  /** True if `applyLogItem` must be called for each log item: the index has messages, or is reading them. */
  get followsLog(): boolean {
    return this.#messageRecords !== undefined || this.#itemsDuringLoad !== undefined;
  }

  /** Applies a log item. Must be called once for each item, after `memberships` has applied the item's log entry. */
  applyLogItem(item: LogItem): void {
    if (item.t === 'carrying') this.#countMoveAndReset(item);
    // A move between streams resets the index: only the Store knows which users have copies after it, and a load under
    // way may lack the move.
    else if (isMoveBetweenStreams(item)) this.reset();
    else if (item.t === 'message' || item.t === 'event') {
      this.#itemsDuringLoad?.push(item);
      if (this.#messageRecords) this.#applyItemToRecords(this.#messageRecords, item);
    }
  }

  /**
   * Forgets all messages, because they can't be kept up to date any more or their memory is needed. The next call
   * of `catchUpAndSelectReadStore` loads them again.
   */
  reset(): void {
    this.#resetGeneration++;
    this.#messageRecords = undefined;
    this.#itemsDuringLoad = undefined;
    this.#staleIds.clear();
    this.#deletedIds.clear();
    this.budget.removeIndex(this);
    for (const { resolve } of this.#arrivalWaiters.splice(0)) resolve();
  }

  /**
   * Source of reads for a registration. @returns reads that show at least what the Store holds now; while messages move
   * between streams, the Store
   */
  async catchUpAndSelectReadStore(): Promise<MessageReadStore> {
    if (!this.#messageRecords) await this.#loadUnlessLoading();
    if (!this.#messageRecords) return this.store;
    return (await this.#catchUpSingleFlight.joinQueuedRunOrStart('all', () => this.#catchUpWithStore()))
      ? this
      : this.store;
  }

  /**
   * False if the Store has one of these messages but this process has not read its log entry yet. Must be called after
   * `catchUpAndSelectReadStore`.
   */
  async hasEveryStoredMessage(ids: Iterable<number>): Promise<boolean> {
    const records = this.#messageRecords;
    if (!records) return false;
    const unknown = [...ids].filter(
      (id) => id >= records.completeFromId && !records.recordOfId(id) && !this.#deletedIds.has(id),
    );
    if (unknown.length === 0) return true;
    const found = await this.store.getMessages(this.realm, unknown);
    unknown.forEach((id, i) => {
      if (found[i] === null) this.#rememberDeleted(id);
    });
    return found.every((record) => record === null);
  }

  async scanMessages(scan: MessageScan): Promise<MessageRecord[]> {
    const found = this.#messageRecords?.scanInMemory(scan);
    if (!found) return this.store.scanMessages(scan);
    return found.rest ? [...found.records, ...(await scanMessagesWithoutText(this.store, found.rest))] : found.records;
  }

  async getMessages(realm: RealmId, ids: readonly number[]): Promise<(MessageRecord | null)[]> {
    const records = this.#messageRecords;
    if (!records) return this.store.getMessages(realm, ids);
    const older = ids.filter((id) => id < records.completeFromId);
    const found = await getMessagesWithoutText(this.store, realm, older);
    const before = new Map(found.map((record) => [record.id, record]));
    return ids.map((id) => before.get(id) ?? records.recordOfId(id) ?? null);
  }

  async getParts(wanted: Parameters<Store['getParts']>[0]): Promise<(StoredActorPart | null)[]> {
    const unknown = wanted.filter(({ key, part }) => {
      const stream = streamOfMemberPart(key, part);
      return stream === undefined || !this.#hasMembersOrCountQuery(stream);
    });
    const found = unknown.length > 0 ? await this.store.getParts(unknown) : [];
    const stored = new Map(unknown.map((one, i) => [one, found[i] ?? null]));
    return wanted.map((one) => {
      const read = stored.get(one);
      if (read !== undefined) return read;
      const { key, part } = one;
      const member = this.memberships
        .membersOfLoadedStream(streamOfMemberPart(key, part)!)
        ?.get(Number(part.slice(STREAM_MEMBER_PART_PREFIX.length)));
      return member ? { part, rev: 0, value: member as never } : null;
    });
  }

  /** True if the stream's members are loaded. A stream that is asked for often is loaded in the background. */
  #hasMembersOrCountQuery(stream: number): boolean {
    if (this.memberships.membersOfLoadedStream(stream)) return true;
    const asked = (this.#memberQueryCounts.get(stream) ?? 0) + 1;
    this.#memberQueryCounts.set(stream, asked);
    if (asked >= MEMBER_QUERIES_BEFORE_FULL_LOAD) this.memberships.loadUnlessAtVersion(stream)?.catch(() => undefined);
    return false;
  }

  #loadUnlessLoading(): Promise<void> {
    this.#loadInProgress ??= this.#loadNewestMessages().finally(() => {
      this.#loadInProgress = undefined;
      this.#itemsDuringLoad = undefined;
    });
    return this.#loadInProgress;
  }

  async #loadNewestMessages(): Promise<void> {
    const generation = this.#resetGeneration;
    this.#itemsDuringLoad = [];
    const read: MessageRecord[] = [];
    let floor = 0;
    for (let from = NEWEST_ANCHOR_MESSAGE_ID; ; from = read.at(-1)!.id) {
      const limit = Math.min(STORE_SCAN_BATCH_MESSAGES, INITIAL_LOAD_MESSAGES - read.length);
      const scan = { realm: this.realm, index: { by: 'realm' }, from, direction: 'older', limit } as const;
      const batch = await scanMessagesWithoutText(this.store, scan);
      read.push(...batch);
      if (batch.length < limit) break;
      if (read.length < INITIAL_LOAD_MESSAGES) continue;
      floor = read.at(-1)!.id;
      break;
    }
    await this.#reloadMembersOfMessageStreams(read);
    if (generation !== this.#resetGeneration) return;
    const since = this.#itemsDuringLoad ?? [];
    this.#itemsDuringLoad = undefined;
    this.#unfinishedMoveCount = Math.max(this.#unfinishedMoveCount, this.#countUnfinishedRecentMoves());
    if (this.#unfinishedMoveCount > 0) return;
    const records = new RecentMessageRecords(read, floor);
    this.#applyRecentRenames(records);
    for (const item of since) this.#applyItemToRecords(records, item);
    this.#messageRecords = records;
    this.budget.setIndexSizeAndResetOverMax(this, records.messageCount);
  }

  /**
   * Loads the members of the streams of these messages. Memberships decide which users have a copy. The Store may hold
   * messages whose log entries have not arrived here, so the members are read from the Store, too.
   */
  async #reloadMembersOfMessageStreams(records: readonly MessageRecord[]): Promise<void> {
    const young = this.source.clock.now() / 1000 - UNSETTLED_MESSAGE_AGE_SECONDS;
    const streams = new Set<number>();
    const moves: Promise<void>[] = [];
    for (const record of records) {
      const message = toStoredMessage(record);
      if (message.body.sent >= young) for (const stream of streamIdsDecidingMessageCopies(message)) streams.add(stream);
      for (const move of message.body.moves ?? []) {
        moves.push(this.#loadMembersAtVersion(move.from, move.fromMv), this.#loadMembersAtVersion(move.to, move.toMv));
      }
    }
    await Promise.all([...moves, ...[...streams].map((stream) => this.memberships.reloadFromStore(stream))]);
  }

  /** Brings the members of a stream that is in memory to a version. Other streams are read from the Store later. */
  async #loadMembersAtVersion(stream: number, mv: number): Promise<void> {
    if (this.memberships.membersOfLoadedStream(stream)) await this.memberships.loadUnlessAtVersion(stream, mv);
  }

  /** Counts the moves that the log has announced and that may not be written yet. */
  #countUnfinishedRecentMoves(): number {
    let moving = 0;
    for (const item of this.#recentLogItems()) {
      if (item.t === 'carrying') moving = Math.max(0, moving + (item.done ? -1 : 1));
    }
    return moving;
  }

  /** Applies renames of topics that the log has announced. For messages that changed stream, the Store decides. */
  #applyRecentRenames(records: RecentMessageRecords): void {
    const moved = new Set<number>();
    const renames: EventLogItem[] = [];
    for (const item of this.#recentLogItems()) {
      if (item.t !== 'event' || item.event.type !== 'update_message') continue;
      if (!isMoveBetweenStreams(item)) renames.push(item);
      else for (const id of item.event.message_ids as readonly number[]) moved.add(id);
    }
    for (const { event } of renames) {
      if (event.subject === undefined) continue;
      for (const id of event.message_ids as readonly number[]) {
        if (!moved.has(id)) records.setTopic(id, event.subject as string);
      }
    }
  }

  /** Items of the newest entries that changed messages. */
  *#recentLogItems(): Iterable<LogItem> {
    for (const { entry } of this.source.recentEntries()) {
      const { head } = entry;
      if (head && (head.flags & LOG_ENTRY_HEAD_FLAGS.messageChanges) === 0) continue;
      for (const { items } of entry.groups) yield* items;
    }
  }

  #applyItemToRecords(records: RecentMessageRecords, item: LogItem): void {
    if (item.t === 'message') {
      const record = makeRecordOfLogItem(item);
      records.addIfMissing(record);
      this.#resolveArrivalWaitersOf(record.id);
      if (records.messageCount > MAX_INDEXED_MESSAGES * 1.25) records.keepNewest(MAX_INDEXED_MESSAGES);
      this.budget.setIndexSizeAndResetOverMax(this, records.messageCount);
      return;
    }
    if (item.t !== 'event') return;
    const { type, message_id, message_ids = [message_id], subject, content } = item.event;
    const ids = message_ids as readonly number[];
    if (type === 'delete_message') for (const id of ids) this.#removeRecord(records, id);
    else if (type === 'update_message') {
      if (subject !== undefined) for (const id of ids) records.setTopic(id, subject as string);
      if (content !== undefined || subject === undefined) this.#staleIds.add(message_id as number);
    }
  }

  #removeRecord(records: RecentMessageRecords, id: number): void {
    records.replaceOrRemove(id, null);
    this.#rememberDeleted(id);
  }

  #rememberDeleted(id: number): void {
    this.#deletedIds.add(id);
    if (this.#deletedIds.size > MAX_REMEMBERED_DELETED_IDS)
      this.#deletedIds.delete(this.#deletedIds.values().next().value as number);
  }

  #countMoveAndReset({ done }: MessageMoveProgressLogItem): void {
    this.#unfinishedMoveCount = Math.max(0, this.#unfinishedMoveCount + (done ? -1 : 1));
    this.reset();
  }

  #resolveArrivalWaitersOf(id: number): void {
    for (const one of this.#arrivalWaiters) if (one.ids.delete(id) && one.ids.size === 0) one.resolve();
  }

  /** Brings the index level with the Store. @returns false if that is not possible */
  async #catchUpWithStore(): Promise<boolean> {
    await this.source.delivered();
    if (!(await this.#waitForAllStoreMessages()) || !(await this.#rereadStaleMessages())) return false;
    this.budget.markIndexUsed(this);
    return this.#messageRecords !== undefined;
  }

  /**
   * Waits until the index has every message above its oldest one that the Store held at the call.
   * @returns false if the index was reset meanwhile
   */
  async #waitForAllStoreMessages(): Promise<boolean> {
    const records = this.#messageRecords;
    if (!records) return false;
    const missing = new Set<number>();
    let from = records.newestIdSentBefore(this.source.clock.now() / 1000 - STORE_WRITE_LAG_SECONDS);
    for (;;) {
      const scan = {
        realm: this.realm,
        index: { by: 'realm' },
        from,
        direction: 'newer',
        limit: STORE_SCAN_BATCH_MESSAGES,
      } as const;
      const count = await this.#forEachStoredId(scan, (id) => {
        missing.add(id);
        from = id;
      });
      if (count < STORE_SCAN_BATCH_MESSAGES) break;
    }
    for (const id of missing) {
      if (id < records.completeFromId || records.recordOfId(id) || this.#deletedIds.has(id)) missing.delete(id);
    }
    return records === this.#messageRecords && (missing.size === 0 || this.#waitForArrivalOrReset(missing));
  }

  /** Passes the ids of a scan to `each`, without decoding the messages if the Store can. @returns their number */
  async #forEachStoredId(scan: MessageScan, each: (id: number) => void): Promise<number> {
    if (this.store.forEachPackedMessage) return this.store.forEachPackedMessage(scan, ({ id }) => each(id));
    const found = await this.store.scanMessages(scan);
    for (const { id } of found) each(id);
    return found.length;
  }

  /** Waits until the log brings these messages, which are committed already. */
  async #waitForArrivalOrReset(ids: Set<number>): Promise<boolean> {
    const generation = this.#resetGeneration;
    const { clock } = this.source;
    await new Promise<void>((resolve) => {
      const timer = clock.setTimeout(() => this.reset(), LOG_ARRIVAL_TIMEOUT_MS);
      this.#arrivalWaiters.push({
        ids,
        resolve: () => {
          clock.clearTimeout(timer);
          resolve();
        },
      });
    });
    this.#arrivalWaiters = this.#arrivalWaiters.filter((one) => one.ids.size > 0);
    return generation === this.#resetGeneration;
  }

  /** Reads changed messages again from the Store. @returns false if the index was reset during the read */
  async #rereadStaleMessages(): Promise<boolean> {
    const records = this.#messageRecords;
    if (!records) return false;
    const ids = [...this.#staleIds].filter((id) => records.recordOfId(id));
    // A changed message above the newest id has not arrived yet, and stays stale until then.
    for (const id of this.#staleIds) if (id <= records.newestId) this.#staleIds.delete(id);
    if (ids.length === 0) return true;
    const found = await this.store.getMessages(this.realm, ids).catch((error: unknown) => {
      for (const id of ids) this.#staleIds.add(id);
      throw error;
    });
    await this.#reloadMembersOfMessageStreams(found.filter((record) => record !== null));
    if (records !== this.#messageRecords) return false;
    ids.forEach((id, i) => {
      const record = found[i] ?? null;
      if (record) records.replaceOrRemove(id, record);
      else this.#removeRecord(records, id);
    });
    return true;
  }
}

const isMoveBetweenStreams = (item: LogItem): boolean =>
  item.t === 'event' && item.event.type === 'update_message' && item.event.new_stream_id !== undefined;

const streamOfMemberPart = (key: string, part: string): number | undefined => {
  if (!part.startsWith(STREAM_MEMBER_PART_PREFIX)) return undefined;
  const { kind, idWithinRealm } = parseActorKey(key as never);
  return kind === 'stream' ? Number(idWithinRealm) : undefined;
};

function makeRecordOfLogItem({ message, to, flags, wildcard }: MessageLogItem): MessageRecord {
  const { id, sender_id, timestamp, subject, stream_id } = message.common as {
    readonly id: number;
    readonly sender_id: number;
    readonly timestamp: number;
    readonly subject: string;
    readonly stream_id?: number;
  };
  const stream = stream_id ?? 0;
  const body: Partial<MessageBody> = { stream, topic: subject, sent: timestamp, flags, wildcard: wildcard === true };
  return {
    id,
    conversation: stream === 0 ? '' : storeNameOfStreamConversation(stream),
    topicKey: toComparableTopicKey(subject),
    sender: sender_id,
    participants: stream === 0 ? (to.users ?? []) : [],
    movedFrom: '',
    tags: [],
    body: body as MessageRecord['body'],
  };
}

/** Bounds the messages that all realms of a process hold in memory: resets the index that was unused for longest. */
export class RecentMessageMemoryBudget {
  /** Number of messages per index, least recently used index first. */
  readonly #messageCountByIndex = new Map<RecentMessageIndex, number>();
  #totalMessages = 0;

  constructor(private readonly max = 200_000) {}

  setIndexSizeAndResetOverMax(index: RecentMessageIndex, size: number): void {
    this.#totalMessages += size - (this.#messageCountByIndex.get(index) ?? 0);
    this.#messageCountByIndex.set(index, size);
    for (const [other] of this.#messageCountByIndex) {
      if (this.#totalMessages <= this.max) return;
      if (other !== index) other.reset();
    }
  }

  markIndexUsed(index: RecentMessageIndex): void {
    const size = this.#messageCountByIndex.get(index);
    if (size === undefined) return;
    this.#messageCountByIndex.delete(index);
    this.#messageCountByIndex.set(index, size);
  }

  removeIndex(index: RecentMessageIndex): void {
    this.#totalMessages -= this.#messageCountByIndex.get(index) ?? 0;
    this.#messageCountByIndex.delete(index);
  }
}
