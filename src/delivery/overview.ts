/**
 * What registrations look at of a realm's messages, in memory: the newest of them and who is in which stream. Read from the Store
 * once, then kept up from the log in step with the feed, so that registering asks the Store only what all share: whether it holds
 * anything that the log has not shown here.
 *
 * Exact in this sense: it shows every message that the Store held, and every change of one that the log had shown here, when it was
 * asked for. Of everything else an event is still to come.
 */

import { SharedRuns } from '#base';
import type { Clock } from '#base/clock';
import { asStored, decidingStreams, type MessageBody, NEWEST, streamConversation } from '#domain/messages';
import { MEMBER_PART, topicKey } from '#domain/streams';
import type { CarryingItem, LogEntry, LogItem, MessageItem, PlainItem } from '#model';
import { parseKey, type RealmId } from '#model';
import type { MessageRecord } from '#model/records';
import type { MessageReads, MessageScan, Store, StoredPart } from '#ports/store';
import type { Memberships } from './memberships.js';
import { NewestRecords } from './newest-records.js';

/** Messages that are read when it begins. */
const FIRST = 2_048;
const BATCH = 1_024;
/** More are dropped, the oldest first. */
const MOST = 8_192;
/** A message is written within this of its time; what was sent before that and is not here is not in the Store. Seconds. */
const DOUBT = 5;
/** What is younger the log may still be about to tell. Seconds. */
const YOUNG = 300;
/** What the Store holds the log tells before long, or something is wrong. */
const PATIENCE_MS = 1_000;
/** Ids of deleted messages that are remembered. */
const MOST_GONE = 1_000;
/** Whose members are asked for so often it is worth while to know all. */
const OFTEN = 3;

export interface OverviewOwner {
  readonly clock: Clock;
  /** Entries that the feed has read, newest last. */
  recent(): Iterable<{ readonly entry: LogEntry }>;
  /** Resolves when the feed has delivered, and told us, everything that the log had brought here before. */
  settled(): Promise<void>;
}

interface Awaited {
  readonly ids: Set<number>;
  resolve(): void;
}

export class Overview implements MessageReads {
  #records: NewestRecords | undefined;
  #loading: Promise<void> | undefined;
  /** What the log told while messages were being read. */
  #since: LogItem[] | undefined;
  /** Changed messages whose new form is in the Store. */
  #stale = new Set<number>();
  #gone = new Set<number>();
  #awaited: Awaited[] = [];
  /** Moves between streams of which some messages are still to go. */
  #carrying = 0;
  /** How often it was given up. */
  #losses = 0;
  /** Stream → how often single members of it were asked for. */
  readonly #asked = new Map<number, number>();
  readonly #levelling = new SharedRuns<'all', boolean>(true);

  constructor(
    private readonly store: Store,
    private readonly realm: RealmId,
    private readonly memberships: Memberships,
    private readonly owner: OverviewOwner,
    private readonly budget: OverviewBudget,
  ) {}

  /** Of an entry that is no repeat; memberships show it already. */
  apply(item: LogItem): void {
    if (item.t === 'carrying') this.#carried(item);
    // Who keeps, loses and gains copies is in the Store alone: also what is being read now may lack it.
    else if (isMove(item)) this.reset();
    else if (item.t === 'message' || item.t === 'event') {
      this.#since?.push(item);
      if (this.#records) this.#take(this.#records, item);
    }
  }

  /** What is known here can't be kept up any more: it is read anew when it is next asked for. */
  reset(): void {
    this.#losses++;
    this.#records = undefined;
    this.#since = undefined;
    this.#stale.clear();
    this.#gone.clear();
    this.budget.left(this);
    for (const { resolve } of this.#awaited.splice(0)) resolve();
  }

  /** At least what the Store would tell now. @returns the Store itself where messages are on their way between streams */
  async reads(): Promise<MessageReads> {
    if (!this.#records) await this.#begin();
    if (!this.#records) return this.store;
    return (await this.#levelling.ask('all', () => this.#level())) ? this : this.store;
  }

  /** False: the Store holds one of these that the log has not shown. Asked after `reads`; whoever names them had them from somewhere. */
  async knows(ids: Iterable<number>): Promise<boolean> {
    const records = this.#records;
    if (!records) return false;
    const unknown = [...ids].filter((id) => id >= records.floor && !records.get(id) && !this.#gone.has(id));
    if (unknown.length === 0) return true;
    const found = await this.store.getMessages(this.realm, unknown);
    unknown.forEach((id, i) => {
      if (found[i] === null) this.#noteGone(id);
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

  async getParts(wanted: Parameters<Store['getParts']>[0]): Promise<(StoredPart | null)[]> {
    const unknown = wanted.filter(({ key, part }) => {
      const stream = streamOf(key, part);
      return stream === undefined || !this.#members(stream);
    });
    const found = unknown.length > 0 ? await this.store.getParts(unknown) : [];
    const stored = new Map(unknown.map((one, i) => [one, found[i] ?? null]));
    return wanted.map((one) => {
      const read = stored.get(one);
      if (read !== undefined) return read;
      const { key, part } = one;
      const member = this.memberships.of(streamOf(key, part)!)?.get(Number(part.slice(MEMBER_PART.length)));
      return member ? { part, rev: 0, value: member as never } : null;
    });
  }

  /** Are they known? They are soon, where many ask. */
  #members(stream: number): boolean {
    if (this.memberships.of(stream)) return true;
    const asked = (this.#asked.get(stream) ?? 0) + 1;
    this.#asked.set(stream, asked);
    if (asked >= OFTEN) this.memberships.load(stream)?.catch(() => undefined);
    return false;
  }

  #begin(): Promise<void> {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
      this.#since = undefined;
    });
    return this.#loading;
  }

  async #load(): Promise<void> {
    const losses = this.#losses;
    this.#since = [];
    const read: MessageRecord[] = [];
    let floor = 0;
    for (let from = NEWEST; ; from = read.at(-1)!.id) {
      const limit = Math.min(BATCH, FIRST - read.length);
      const scan = { realm: this.realm, index: { by: 'realm' }, from, direction: 'older', limit } as const;
      const batch = await this.store.scanMessages(scan);
      read.push(...batch);
      if (batch.length < limit) break;
      if (read.length < FIRST) continue;
      floor = read.at(-1)!.id;
      break;
    }
    await this.#allMembers(read);
    if (losses !== this.#losses) return;
    const since = this.#since ?? [];
    this.#since = undefined;
    this.#carrying = Math.max(this.#carrying, this.#carriedLately());
    if (this.#carrying > 0) return;
    const records = new NewestRecords(read, floor);
    this.#renamedLately(records);
    for (const item of since) this.#take(records, item);
    this.#records = records;
    this.budget.joined(this, records.size);
  }

  /** What decides about copies must be no older than the messages, of which the log may not have told yet. */
  async #allMembers(records: readonly MessageRecord[]): Promise<void> {
    const young = this.owner.clock.now() / 1000 - YOUNG;
    const streams = new Set<number>();
    const moves: Promise<void>[] = [];
    for (const record of records) {
      const message = asStored(record);
      if (message.body.sent >= young) for (const stream of decidingStreams(message)) streams.add(stream);
      for (const move of message.body.moves ?? []) {
        moves.push(this.#shows(move.from, move.fromMv), this.#shows(move.to, move.toMv));
      }
    }
    await Promise.all([...moves, ...[...streams].map((stream) => this.memberships.renew(stream))]);
  }

  /** Nothing to do where the stream is not known: it is read when it is. */
  async #shows(stream: number, mv: number): Promise<void> {
    if (this.memberships.of(stream)) await this.memberships.load(stream, mv);
  }

  /** A move may have been decided and told, but not yet be written. */
  #carriedLately(): number {
    let carrying = 0;
    for (const item of this.#lately()) {
      if (item.t === 'carrying') carrying = Math.max(0, carrying + (item.done ? -1 : 1));
    }
    return carrying;
  }

  /** As within a stream; where messages left one since, the Store has the last word. */
  #renamedLately(records: NewestRecords): void {
    const moved = new Set<number>();
    const renames: PlainItem[] = [];
    for (const item of this.#lately()) {
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

  *#lately(): Iterable<LogItem> {
    for (const { entry } of this.owner.recent()) for (const { items } of entry.groups) yield* items;
  }

  #take(records: NewestRecords, item: LogItem): void {
    if (item.t === 'message') {
      const record = recordOf(item);
      records.add(record);
      this.#arrived(record.id);
      if (records.size > MOST * 1.25) records.trim(MOST);
      this.budget.joined(this, records.size);
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

  #removed(records: NewestRecords, id: number): void {
    records.replace(id, null);
    this.#noteGone(id);
  }

  #noteGone(id: number): void {
    this.#gone.add(id);
    if (this.#gone.size > MOST_GONE) this.#gone.delete(this.#gone.values().next().value as number);
  }

  #carried({ done }: CarryingItem): void {
    this.#carrying = Math.max(0, this.#carrying + (done ? -1 : 1));
    this.reset();
  }

  #arrived(id: number): void {
    for (const one of this.#awaited) if (one.ids.delete(id) && one.ids.size === 0) one.resolve();
  }

  /** False: it can't be level with the Store. */
  async #level(): Promise<boolean> {
    await this.owner.settled();
    if (!(await this.#all()) || !(await this.#fresh())) return false;
    this.budget.used(this);
    return this.#records !== undefined;
  }

  /** All that the Store holds is here. */
  async #all(): Promise<boolean> {
    const records = this.#records;
    if (!records) return false;
    const missing = new Set<number>();
    let from = records.settledBefore(this.owner.clock.now() / 1000 - DOUBT);
    for (;;) {
      const scan = { realm: this.realm, index: { by: 'realm' }, from, direction: 'newer', limit: BATCH } as const;
      const found = await this.store.scanMessages(scan);
      for (const { id } of found) missing.add(id);
      if (found.length < BATCH) break;
      from = found.at(-1)!.id;
    }
    for (const id of missing) {
      if (id < records.floor || records.get(id) || this.#gone.has(id)) missing.delete(id);
    }
    return records === this.#records && (missing.size === 0 || this.#arrive(missing));
  }

  /** They are committed, and the log is about to tell of them. */
  async #arrive(ids: Set<number>): Promise<boolean> {
    const losses = this.#losses;
    const { clock } = this.owner;
    await new Promise<void>((resolve) => {
      const timer = clock.setTimeout(() => this.reset(), PATIENCE_MS);
      this.#awaited.push({
        ids,
        resolve: () => {
          clock.clearTimeout(timer);
          resolve();
        },
      });
    });
    this.#awaited = this.#awaited.filter((one) => one.ids.size > 0);
    return losses === this.#losses;
  }

  /** Reads what has changed. */
  async #fresh(): Promise<boolean> {
    const records = this.#records;
    if (!records) return false;
    const ids = [...this.#stale].filter((id) => records.get(id));
    // What is newer than all that is here is yet to come.
    for (const id of this.#stale) if (id <= records.newest) this.#stale.delete(id);
    if (ids.length === 0) return true;
    const found = await this.store.getMessages(this.realm, ids).catch((error: unknown) => {
      for (const id of ids) this.#stale.add(id);
      throw error;
    });
    await this.#allMembers(found.filter((record) => record !== null));
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
  if (!part.startsWith(MEMBER_PART)) return undefined;
  const { kind, rest } = parseKey(key as never);
  return kind === 'stream' ? Number(rest) : undefined;
};

function recordOf({ message, to, flags, wildcard }: MessageItem): MessageRecord {
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
    conversation: stream === 0 ? '' : streamConversation(stream),
    topicKey: topicKey(subject),
    sender: sender_id,
    participants: stream === 0 ? (to.users ?? []) : [],
    movedFrom: '',
    tags: [],
    body: body as MessageRecord['body'],
  };
}

/** Messages that all realms of a process hold in memory together: where nobody has asked for longest, they are let go. */
export class OverviewBudget {
  /** Least recently used first. */
  readonly #sizes = new Map<Overview, number>();
  #total = 0;

  constructor(private readonly most = 200_000) {}

  joined(overview: Overview, size: number): void {
    this.#total += size - (this.#sizes.get(overview) ?? 0);
    this.#sizes.set(overview, size);
    for (const [other] of this.#sizes) {
      if (this.#total <= this.most) return;
      if (other !== overview) other.reset();
    }
  }

  used(overview: Overview): void {
    const size = this.#sizes.get(overview);
    if (size === undefined) return;
    this.#sizes.delete(overview);
    this.#sizes.set(overview, size);
  }

  left(overview: Overview): void {
    this.#total -= this.#sizes.get(overview) ?? 0;
    this.#sizes.delete(overview);
  }
}
