/**
 * The part of a realm's messages that registrations read, in memory: the newest messages, and the members of streams.
 * The index is read from the Store once, then kept up to date from the log in step with the feed. Registrations that
 * come together share the one question that is left for the Store: does the Store hold a message that the log has not
 * shown here?
 *
 * Invariant: `reads()` shows every message that the Store held at the call, and every change of a message that the log
 * had shown here. For everything else an event is still to come.
 */

import { SingleFlight } from '#base';
import type { Clock } from '#base/clock';
import {
  type MessageBody,
  NEWEST_ANCHOR_MESSAGE_ID,
  storeNameOfStreamConversation,
  streamsDecidingMessageCopies,
  toStoredMessage,
} from '#domain/messages';
import { STREAM_MEMBER_PART_PREFIX, toTopicKey } from '#domain/streams';
import {
  type EventLogItem,
  type LogEntry,
  type LogItem,
  type MessageLogItem,
  type MoveProgressLogItem,
  parseActorKey,
  type RealmId,
} from '#model';
import type { MessageRecord } from '#model/records';
import type { MessageReadStore, MessageScan, Store, StoredActorPart } from '#ports/store';
import type { StreamMembershipCache } from './memberships.js';
import { RecentMessageRecords } from './recent-messages.js';

/** Number of messages that the first load reads, the newest ones. */
const FIRST_LOAD = 2_048;
const BATCH = 1_024;
/** Maximum number of messages in the index; beyond it the oldest are dropped. */
const MAX_MESSAGES = 8_192;
/**
 * Longest time between the sending of a message and its write to the Store, seconds. No older message comes into the
 * Store later.
 */
const WRITE_LAG = 5;
/** Age in seconds up to which the log may still bring changes of a message that was read from the Store. */
const YOUNG = 300;
/**
 * Longest wait for the log to bring a message that the Store holds, ms. If the message has not come by then, something
 * is wrong, and the index is reset.
 */
const ARRIVAL_TIMEOUT_MS = 1_000;
/** Maximum number of deleted messages whose ids are remembered. */
const MAX_DELETED = 1_000;
/** Number of questions about single members of a stream after which all its members are loaded. */
const LOAD_MEMBERS_AFTER = 3;

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

interface Arrival {
  readonly ids: Set<number>;
  resolve(): void;
}

export class RecentMessageIndex implements MessageReadStore {
  #records: RecentMessageRecords | undefined;
  #loading: Promise<void> | undefined;
  /** Log items that arrived while messages were being read from the Store. */
  #since: LogItem[] | undefined;
  /** Ids of messages that changed after they were read: the Store has their new form. */
  #stale = new Set<number>();
  #deleted = new Set<number>();
  #arrivals: Arrival[] = [];
  /** Number of moves between streams that have begun and not ended. */
  #moving = 0;
  /** Generation of the index, raised by every reset. Work begun under an older generation is dropped. */
  #generation = 0;
  /** Number of questions about single members, by stream. */
  readonly #memberQuestions = new Map<number, number>();
  readonly #levelRuns = new SingleFlight<'all', boolean>(true);

  constructor(
    private readonly store: Store,
    private readonly realm: RealmId,
    private readonly memberships: StreamMembershipCache,
    private readonly source: RecentMessageIndexSource,
    private readonly budget: RecentMessageMemoryBudget,
  ) {}

  /** Applies a log item. Call it once for each item, after the memberships have reached the item's entry. */
  apply(item: LogItem): void {
    if (item.t === 'carrying') this.#applyMove(item);
    // A move between streams resets the index: only the Store knows which users have copies after it, and a load under
    // way may lack the move.
    else if (isMove(item)) this.reset();
    else if (item.t === 'message' || item.t === 'event') {
      this.#since?.push(item);
      if (this.#records) this.#applyTo(this.#records, item);
    }
  }

  /**
   * Forgets all messages, because they can't be kept up to date any more or their memory is needed. The next `reads()`
   * loads them again.
   */
  reset(): void {
    this.#generation++;
    this.#records = undefined;
    this.#since = undefined;
    this.#stale.clear();
    this.#deleted.clear();
    this.budget.removed(this);
    for (const { resolve } of this.#arrivals.splice(0)) resolve();
  }

  /**
   * Source of reads for a registration. @returns reads that show at least what the Store holds now; while messages move
   * between streams, the Store
   */
  async reads(): Promise<MessageReadStore> {
    if (!this.#records) await this.#loadOnce();
    if (!this.#records) return this.store;
    return (await this.#levelRuns.run('all', () => this.#level())) ? this : this.store;
  }

  /**
   * False if the Store has one of these messages but this process has not read its log entry yet. Must be called after
   * `reads()`.
   */
  async knows(ids: Iterable<number>): Promise<boolean> {
    const records = this.#records;
    if (!records) return false;
    const unknown = [...ids].filter((id) => id >= records.floor && !records.get(id) && !this.#deleted.has(id));
    if (unknown.length === 0) return true;
    const found = await this.store.getMessages(this.realm, unknown);
    unknown.forEach((id, i) => {
      if (found[i] === null) this.#rememberDeleted(id);
    });
    return found.every((record) => record === null);
  }

  async scanMessages(scan: MessageScan): Promise<MessageRecord[]> {
    const found = this.#records?.scan(scan);
    if (!found) return this.store.scanMessages(scan);
    return found.rest ? [...found.records, ...(await this.store.scanMessages(found.rest))] : found.records;
  }

  async getMessages(realm: RealmId, ids: readonly number[]): Promise<(MessageRecord | null)[]> {
    const records = this.#records;
    if (!records) return this.store.getMessages(realm, ids);
    const older = ids.filter((id) => id < records.floor);
    const found = older.length > 0 ? await this.store.getMessages(realm, older) : [];
    const before = new Map(older.map((id, i) => [id, found[i] ?? null]));
    return ids.map((id) => before.get(id) ?? records.get(id) ?? null);
  }

  async getParts(wanted: Parameters<Store['getParts']>[0]): Promise<(StoredActorPart | null)[]> {
    const unknown = wanted.filter(({ key, part }) => {
      const stream = streamOf(key, part);
      return stream === undefined || !this.#hasMembers(stream);
    });
    const found = unknown.length > 0 ? await this.store.getParts(unknown) : [];
    const stored = new Map(unknown.map((one, i) => [one, found[i] ?? null]));
    return wanted.map((one) => {
      const read = stored.get(one);
      if (read !== undefined) return read;
      const { key, part } = one;
      const member = this.memberships
        .of(streamOf(key, part)!)
        ?.get(Number(part.slice(STREAM_MEMBER_PART_PREFIX.length)));
      return member ? { part, rev: 0, value: member as never } : null;
    });
  }

  /** True if the stream's members are loaded. A stream that is asked for often is loaded in the background. */
  #hasMembers(stream: number): boolean {
    if (this.memberships.of(stream)) return true;
    const asked = (this.#memberQuestions.get(stream) ?? 0) + 1;
    this.#memberQuestions.set(stream, asked);
    if (asked >= LOAD_MEMBERS_AFTER) this.memberships.load(stream)?.catch(() => undefined);
    return false;
  }

  #loadOnce(): Promise<void> {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
      this.#since = undefined;
    });
    return this.#loading;
  }

  async #load(): Promise<void> {
    const generation = this.#generation;
    this.#since = [];
    const read: MessageRecord[] = [];
    let floor = 0;
    for (let from = NEWEST_ANCHOR_MESSAGE_ID; ; from = read.at(-1)!.id) {
      const limit = Math.min(BATCH, FIRST_LOAD - read.length);
      const scan = { realm: this.realm, index: { by: 'realm' }, from, direction: 'older', limit } as const;
      const batch = await this.store.scanMessages(scan);
      read.push(...batch);
      if (batch.length < limit) break;
      if (read.length < FIRST_LOAD) continue;
      floor = read.at(-1)!.id;
      break;
    }
    await this.#loadMembers(read);
    if (generation !== this.#generation) return;
    const since = this.#since ?? [];
    this.#since = undefined;
    this.#moving = Math.max(this.#moving, this.#movingLately());
    if (this.#moving > 0) return;
    const records = new RecentMessageRecords(read, floor);
    this.#applyRenamesLately(records);
    for (const item of since) this.#applyTo(records, item);
    this.#records = records;
    this.budget.resized(this, records.size);
  }

  /**
   * Loads the members of the streams of these messages. Memberships decide who has a copy, so they must be no older
   * than the messages, which may be ahead of the log.
   */
  async #loadMembers(records: readonly MessageRecord[]): Promise<void> {
    const young = this.source.clock.now() / 1000 - YOUNG;
    const streams = new Set<number>();
    const moves: Promise<void>[] = [];
    for (const record of records) {
      const message = toStoredMessage(record);
      if (message.body.sent >= young) for (const stream of streamsDecidingMessageCopies(message)) streams.add(stream);
      for (const move of message.body.moves ?? []) {
        moves.push(this.#raiseTo(move.from, move.fromMv), this.#raiseTo(move.to, move.toMv));
      }
    }
    await Promise.all([...moves, ...[...streams].map((stream) => this.memberships.reload(stream))]);
  }

  /** Brings a loaded stream to a membership version. A stream that is not loaded yet will be read at that version. */
  async #raiseTo(stream: number, mv: number): Promise<void> {
    if (this.memberships.of(stream)) await this.memberships.load(stream, mv);
  }

  /** Counts the moves that the log has announced and that may not be written yet. */
  #movingLately(): number {
    let moving = 0;
    for (const item of this.#itemsLately()) {
      if (item.t === 'carrying') moving = Math.max(0, moving + (item.done ? -1 : 1));
    }
    return moving;
  }

  /** Applies renames of topics that the log has announced. For messages that changed stream, the Store decides. */
  #applyRenamesLately(records: RecentMessageRecords): void {
    const moved = new Set<number>();
    const renames: EventLogItem[] = [];
    for (const item of this.#itemsLately()) {
      if (item.t !== 'event' || item.event.type !== 'update_message') continue;
      if (!isMove(item)) renames.push(item);
      else for (const id of item.event.message_ids as readonly number[]) moved.add(id);
    }
    for (const { event } of renames) {
      if (event.subject === undefined) continue;
      for (const id of event.message_ids as readonly number[]) {
        if (!moved.has(id)) records.rename(id, event.subject as string);
      }
    }
  }

  *#itemsLately(): Iterable<LogItem> {
    for (const { entry } of this.source.recentEntries()) for (const { items } of entry.groups) yield* items;
  }

  #applyTo(records: RecentMessageRecords, item: LogItem): void {
    if (item.t === 'message') {
      const record = recordOf(item);
      records.add(record);
      this.#resolveArrivals(record.id);
      if (records.size > MAX_MESSAGES * 1.25) records.trim(MAX_MESSAGES);
      this.budget.resized(this, records.size);
      return;
    }
    if (item.t !== 'event') return;
    const { type, message_id, message_ids = [message_id], subject, content } = item.event;
    const ids = message_ids as readonly number[];
    if (type === 'delete_message') for (const id of ids) this.#removed(records, id);
    else if (type === 'update_message') {
      if (subject !== undefined) for (const id of ids) records.rename(id, subject as string);
      if (content !== undefined || subject === undefined) this.#stale.add(message_id as number);
    }
  }

  #removed(records: RecentMessageRecords, id: number): void {
    records.replace(id, null);
    this.#rememberDeleted(id);
  }

  #rememberDeleted(id: number): void {
    this.#deleted.add(id);
    if (this.#deleted.size > MAX_DELETED) this.#deleted.delete(this.#deleted.values().next().value as number);
  }

  #applyMove({ done }: MoveProgressLogItem): void {
    this.#moving = Math.max(0, this.#moving + (done ? -1 : 1));
    this.reset();
  }

  #resolveArrivals(id: number): void {
    for (const one of this.#arrivals) if (one.ids.delete(id) && one.ids.size === 0) one.resolve();
  }

  /** Brings the index level with the Store. @returns false if that is not possible */
  async #level(): Promise<boolean> {
    await this.source.delivered();
    if (!(await this.#hasAll()) || !(await this.#refresh())) return false;
    this.budget.used(this);
    return this.#records !== undefined;
  }

  /** True when the index has every message of the Store. */
  async #hasAll(): Promise<boolean> {
    const records = this.#records;
    if (!records) return false;
    const missing = new Set<number>();
    let from = records.newestSentBefore(this.source.clock.now() / 1000 - WRITE_LAG);
    for (;;) {
      const scan = { realm: this.realm, index: { by: 'realm' }, from, direction: 'newer', limit: BATCH } as const;
      const found = await this.store.scanMessages(scan);
      for (const { id } of found) missing.add(id);
      if (found.length < BATCH) break;
      from = found.at(-1)!.id;
    }
    for (const id of missing) {
      if (id < records.floor || records.get(id) || this.#deleted.has(id)) missing.delete(id);
    }
    return records === this.#records && (missing.size === 0 || this.#waitFor(missing));
  }

  /** Waits until the log brings these messages, which are committed already. */
  async #waitFor(ids: Set<number>): Promise<boolean> {
    const generation = this.#generation;
    const { clock } = this.source;
    await new Promise<void>((resolve) => {
      const timer = clock.setTimeout(() => this.reset(), ARRIVAL_TIMEOUT_MS);
      this.#arrivals.push({
        ids,
        resolve: () => {
          clock.clearTimeout(timer);
          resolve();
        },
      });
    });
    this.#arrivals = this.#arrivals.filter((one) => one.ids.size > 0);
    return generation === this.#generation;
  }

  /** Reads changed messages again from the Store. @returns false if the index was reset during the read */
  async #refresh(): Promise<boolean> {
    const records = this.#records;
    if (!records) return false;
    const ids = [...this.#stale].filter((id) => records.get(id));
    // A changed message above the newest id has not arrived yet, and stays stale until then.
    for (const id of this.#stale) if (id <= records.newest) this.#stale.delete(id);
    if (ids.length === 0) return true;
    const found = await this.store.getMessages(this.realm, ids).catch((error: unknown) => {
      for (const id of ids) this.#stale.add(id);
      throw error;
    });
    await this.#loadMembers(found.filter((record) => record !== null));
    if (records !== this.#records) return false;
    ids.forEach((id, i) => {
      const record = found[i] ?? null;
      if (record) records.replace(id, record);
      else this.#removed(records, id);
    });
    return true;
  }
}

const isMove = (item: LogItem): boolean =>
  item.t === 'event' && item.event.type === 'update_message' && item.event.new_stream_id !== undefined;

const streamOf = (key: string, part: string): number | undefined => {
  if (!part.startsWith(STREAM_MEMBER_PART_PREFIX)) return undefined;
  const { kind, rest } = parseActorKey(key as never);
  return kind === 'stream' ? Number(rest) : undefined;
};

function recordOf({ message, to, flags, wildcard }: MessageLogItem): MessageRecord {
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
    topicKey: toTopicKey(subject),
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
  readonly #sizes = new Map<RecentMessageIndex, number>();
  #total = 0;

  constructor(private readonly max = 200_000) {}

  resized(index: RecentMessageIndex, size: number): void {
    this.#total += size - (this.#sizes.get(index) ?? 0);
    this.#sizes.set(index, size);
    for (const [other] of this.#sizes) {
      if (this.#total <= this.max) return;
      if (other !== index) other.reset();
    }
  }

  used(index: RecentMessageIndex): void {
    const size = this.#sizes.get(index);
    if (size === undefined) return;
    this.#sizes.delete(index);
    this.#sizes.set(index, size);
  }

  removed(index: RecentMessageIndex): void {
    this.#total -= this.#sizes.get(index) ?? 0;
    this.#sizes.delete(index);
  }
}
