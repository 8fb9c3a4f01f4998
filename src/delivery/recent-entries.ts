/**
 * The newest entries of a realm's log, as a feed has read them. After a take-over hundreds of queues come to a host one
 * after the other, and each catches up on the last few seconds: from memory, without reading the log. An entry that
 * came encoded is kept as bytes until a catch-up first needs it, and then in its decoded form, too.
 */
import type { Json } from '#base';
import { type LogEntry, type LogItem, type LogSeq, toLogSeq as toSeq } from '#model';
import { decodeLogEntry, type EventLogReader, type EventLogSubscription } from '#ports/log';
import { type EncodedEntryChunk, EncodedEntryChunks, SpareEncodedEntryChunks } from './encoded-entries.js';

/**
 * Maximum number of entries kept for one realm. A take-over takes seconds; a busy realm has some hundred entries per
 * second.
 */
const MAX_RECENT_LOG_ENTRIES = 4_096;
/** Maximum estimated bytes of the entries kept for all realms of a process. */
const MAX_RECENT_LOG_BYTES = 32 * 1024 * 1024;
/** Estimated bytes of a log item without its texts. */
const ESTIMATED_LOG_ITEM_BYTES = 512;
/** Estimated size of the decoded form of an entry over its encoded size. */
const DECODED_SIZE_FACTOR = 2;

interface RecentLogEntry {
  readonly seq: LogSeq;
  /** The entry; undefined: encoded in `chunk`, and no catch-up has needed it yet. */
  entry: LogEntry | undefined;
  /** Estimated bytes of `entry`. */
  bytes: number;
  /** Buffer with the encoded entry, and its place there. */
  readonly chunk: EncodedEntryChunk | undefined;
  readonly start: number;
  readonly end: number;
}

/** Takes the place of dropped entries until the list is shortened, so that they leave memory at once. */
const DROPPED_ENTRY: RecentLogEntry = { seq: toSeq(0), entry: undefined, bytes: 0, chunk: undefined, start: 0, end: 0 };

const decodeFromChunk = (chunk: EncodedEntryChunk, start: number, end: number): LogEntry =>
  decodeLogEntry(chunk.copy(start, end)) as unknown as LogEntry;

/** Bounds the entries that all realms of a process hold together. Realms without new entries lose theirs first. */
export class RecentLogEntryMemoryBudget {
  /** Realms with entries in memory; the realm whose newest entry is oldest comes first. */
  readonly #realmsByNewestEntry = new Set<RecentLogEntries>();
  #realmWithNewestEntry: RecentLogEntries | undefined;
  #heldBytes = 0;
  /** @internal */
  readonly spareChunks = new SpareEncodedEntryChunks();

  constructor(private readonly max = MAX_RECENT_LOG_BYTES) {}

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /**
   * Counts bytes of new entries of a realm. If there are too many, entries of realms without newer ones are dropped.
   * @internal
   */
  addBytesAndDropOverMax(by: RecentLogEntries, bytes: number): void {
    if (this.#realmWithNewestEntry !== by) {
      this.#realmsByNewestEntry.delete(by);
      this.#realmsByNewestEntry.add(by);
      this.#realmWithNewestEntry = by;
    }
    this.#heldBytes += bytes;
    if (this.#heldBytes <= this.max) return;
    for (const realm of this.#realmsByNewestEntry) {
      while (this.#heldBytes > this.max && realm.dropOldestEntry());
      if (this.#heldBytes <= this.max) return;
      this.removeRealm(realm);
    }
  }

  /** Counts bytes of entries that a realm has dropped. @internal */
  subtractDroppedBytes(bytes: number): void {
    this.#heldBytes -= bytes;
  }

  /** Called when a realm has no entries left. @internal */
  removeRealm(realm: RecentLogEntries): void {
    this.#realmsByNewestEntry.delete(realm);
    if (this.#realmWithNewestEntry === realm) this.#realmWithNewestEntry = undefined;
  }
}

export class RecentLogEntries {
  #entries: RecentLogEntry[] = [];
  #oldestIndex = 0;
  /** Log position above which every entry, up to `#endPosition`, is in memory. */
  #completeAfter: LogSeq;
  /**
   * True while `prependOnceIfGapless` is still possible: it was not called yet, no entry was dropped, and the log had
   * no gap.
   */
  #canPrepend = true;
  #endPosition: LogSeq;
  readonly #openReplays = new Set<RecentLogReplay>();
  /** Bytes of new entries and decoded forms that the budget doesn't count yet. */
  #uncountedBytes = 0;
  readonly #chunks: EncodedEntryChunks;

  /** Makes an empty list of entries. @param after log position of the entry before the first that will be added */
  constructor(
    private readonly budget: RecentLogEntryMemoryBudget,
    after: LogSeq,
  ) {
    this.#completeAfter = after;
    this.#endPosition = after;
    this.#chunks = new EncodedEntryChunks(budget.spareChunks, (bytes) => {
      if (bytes > 0) this.#uncountedBytes += bytes;
      else budget.subtractDroppedBytes(-bytes);
    });
  }

  /** Iterates over the log entries in memory, oldest first. */
  *[Symbol.iterator](): Iterator<{ readonly entry: LogEntry }> {
    for (let i = this.#oldestIndex; i < this.#entries.length; i++) {
      const { entry, chunk, start, end } = this.#entries[i]!;
      yield { entry: entry ?? decodeFromChunk(chunk!, start, end) };
    }
  }

  /** Adds the next entry, in the order of the log and without a gap. */
  addNewestEntry(seq: LogSeq, entry: LogEntry): void {
    this.#entries.push(this.#hold(seq, entry));
    this.#endPosition = seq;
    if (this.#entries.length - this.#oldestIndex > MAX_RECENT_LOG_ENTRIES) this.dropOldestEntry();
    this.#countNewBytes();
    if (this.#openReplays.size === 0) return;
    for (const replay of this.#openReplays) replay.deliverNewEntry(seq, entry);
  }

  /**
   * Puts entries before those that were added since the start. Only the first call has an effect, and only if it leaves
   * no gap.
   *
   * @param after log position above which `before` has every entry
   */
  prependOnceIfGapless(before: readonly { readonly seq: LogSeq; readonly entry: LogEntry }[], after: LogSeq): void {
    if (!this.#canPrepend) return;
    this.#canPrepend = false;
    const entries = before.slice(-MAX_RECENT_LOG_ENTRIES).map(({ seq, entry }) => this.#hold(seq, entry));
    this.#completeAfter = entries.length < before.length ? before[before.length - entries.length - 1]!.seq : after;
    this.#entries = [...entries, ...this.#entries.slice(this.#oldestIndex)];
    this.#oldestIndex = 0;
    this.#countNewBytes();
  }

  #hold(seq: LogSeq, entry: LogEntry): RecentLogEntry {
    const { encodedBytes } = entry;
    if (!encodedBytes) {
      const bytes = estimateEntryBytes(entry);
      this.#uncountedBytes += bytes;
      return { seq, entry, bytes, chunk: undefined, start: 0, end: 0 };
    }
    const chunk = this.#chunks.add(encodedBytes);
    const end = chunk.usedBytes;
    return { seq, entry: undefined, bytes: 0, chunk, start: end - encodedBytes.byteLength, end };
  }

  #countNewBytes(): void {
    const bytes = this.#uncountedBytes;
    this.#uncountedBytes = 0;
    this.budget.addBytesAndDropOverMax(this, bytes);
  }

  /** The entry, which from now on is kept decoded as well. */
  #decodeAndKeep(held: RecentLogEntry): LogEntry {
    if (held.entry) return held.entry;
    const { chunk, start, end } = held;
    held.entry = decodeFromChunk(chunk!, start, end);
    held.bytes = DECODED_SIZE_FACTOR * (end - start);
    this.#uncountedBytes += held.bytes;
    return held.entry;
  }

  /** Drops all entries after a gap in the log. The next entry that is added is the first one above `after`. */
  restartEmptyAfter(after: LogSeq): void {
    while (this.dropOldestEntry());
    this.budget.removeRealm(this);
    this.#completeAfter = after;
    this.#canPrepend = false;
    this.#endPosition = after;
  }

  /** Drops the oldest entry. @returns false if there is none */
  dropOldestEntry(): boolean {
    const oldest = this.#entries[this.#oldestIndex];
    if (!oldest) return false;
    this.#completeAfter = oldest.seq;
    this.#canPrepend = false;
    this.budget.subtractDroppedBytes(oldest.bytes);
    if (oldest.chunk) this.#chunks.drop(oldest.chunk);
    this.#entries[this.#oldestIndex] = DROPPED_ENTRY;
    this.#oldestIndex++;
    if (this.#oldestIndex > 1_024 && this.#oldestIndex * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#oldestIndex);
      this.#oldestIndex = 0;
    }
    return true;
  }

  /**
   * Subscribes to the entries in memory, as `subscribeIfStillInMemory` of the log does.
   * @returns undefined if an entry above the position is no longer in memory
   */
  subscribeIfStillInMemory(after: LogSeq, reader: EventLogReader): EventLogSubscription | undefined {
    if (after < this.#completeAfter) return undefined;
    const known = this.#entries
      .slice(this.#indexOfFirstAbove(after))
      .map((held) => ({ seq: held.seq, entry: this.#decodeAndKeep(held) }));
    if (this.#uncountedBytes > 0) this.#countNewBytes();
    const replay = new RecentLogReplay(known, toSeq(Math.max(after, this.#endPosition)), reader, () =>
      this.#openReplays.delete(replay),
    );
    this.#openReplays.add(replay);
    queueMicrotask(() => replay.deliverWaitingEntries());
    return replay;
  }

  #indexOfFirstAbove(position: LogSeq): number {
    let [low, high] = [this.#oldestIndex, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#entries[middle]!.seq <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

interface ReplayedEntry {
  readonly seq: LogSeq;
  readonly entry: LogEntry;
}

class RecentLogReplay implements EventLogSubscription {
  #waitingEntries: ReplayedEntry[];
  #hasStarted = false;
  #isOpen = true;

  /**
   * Makes a replay of entries in memory.
   *
   * @param position log position of the last entry that the replay has delivered
   */
  constructor(
    known: ReplayedEntry[],
    public position: LogSeq,
    private readonly reader: EventLogReader,
    private readonly closed: () => void,
  ) {
    this.#waitingEntries = known;
  }

  deliverWaitingEntries(): void {
    this.#hasStarted = true;
    const waiting = this.#waitingEntries;
    this.#waitingEntries = [];
    for (const { seq, entry } of waiting) this.#deliverIfOpen(seq, entry);
  }

  deliverNewEntry(seq: LogSeq, entry: LogEntry): void {
    this.position = seq;
    if (this.#hasStarted) this.#deliverIfOpen(seq, entry);
    else this.#waitingEntries.push({ seq, entry });
  }

  async waitUntilCaughtUp(): Promise<LogSeq> {
    // This wait lets the replay deliver the entries that were in memory before the call.
    await Promise.resolve();
    return this.position;
  }

  close(): void {
    this.#isOpen = false;
    this.closed();
  }

  #deliverIfOpen(seq: LogSeq, entry: LogEntry): void {
    if (this.#isOpen) this.reader.onEntry(seq, entry as unknown as Json);
  }
}

const contentOfLogItem = (item: LogItem): object | undefined =>
  item.t === 'message' ? item.message : item.t === 'event' ? item.event : undefined;

/** Estimates the bytes of a log entry cheaply: long texts make up nearly all of its size. */
function estimateEntryBytes({ groups }: LogEntry): number {
  let bytes = 0;
  for (const { items } of groups) {
    for (const item of items) {
      bytes += ESTIMATED_LOG_ITEM_BYTES;
      const fields = contentOfLogItem(item);
      if (!fields) continue;
      for (const value of Object.values(fields)) {
        if (typeof value === 'string') bytes += value.length;
        else if (Array.isArray(value)) bytes += value.length * 8;
      }
    }
  }
  return bytes;
}
