/**
 * The newest entries of a realm's log, as a feed has read them. After a take-over hundreds of queues come to a host one
 * after the other, and each catches up on the last few seconds: from memory, without reading or decoding.
 */
import type { Json } from '#base';
import { type LogEntry, type LogItem, type LogSeq, toLogSeq as toSeq } from '#model';
import type { EventLogReader, EventLogSubscription } from '#ports/log';

/**
 * Maximum number of entries kept for one realm. A take-over takes seconds; a busy realm has some hundred entries per
 * second.
 */
const MAX_ENTRIES = 4_096;
/** Maximum estimated bytes of the entries kept for all realms of a process. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Estimated bytes of a log item without its texts. */
const ITEM_BYTES = 512;

interface RecentEntry {
  readonly seq: LogSeq;
  readonly entry: LogEntry;
  readonly bytes: number;
}

/** Bounds the entries that all realms of a process hold together. Realms without new entries lose theirs first. */
export class RecentLogEntryMemoryBudget {
  /** Realms with entries in memory; the realm whose newest entry is oldest comes first. */
  readonly #realms = new Set<RecentLogEntries>();
  #bytes = 0;

  constructor(private readonly max = MAX_BYTES) {}

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Counts bytes of new entries of a realm. If there are too many, entries of realms without newer ones are dropped.
   * @internal
   */
  added(by: RecentLogEntries, bytes: number): void {
    this.#realms.delete(by);
    this.#realms.add(by);
    this.#bytes += bytes;
    for (const realm of this.#realms) {
      while (this.#bytes > this.max && realm.drop());
      if (this.#bytes <= this.max) return;
      this.#realms.delete(realm);
    }
  }

  /** Counts bytes of entries that a realm has dropped. @internal */
  dropped(bytes: number): void {
    this.#bytes -= bytes;
  }

  /** Called when a realm has no entries left. @internal */
  emptied(realm: RecentLogEntries): void {
    this.#realms.delete(realm);
  }
}

export class RecentLogEntries {
  #entries: RecentEntry[] = [];
  #head = 0;
  /** Log position above which every entry, up to `#end`, is in memory. */
  #after: LogSeq;
  /** True while `prepend` is still possible: it was not called yet, no entry was dropped, and the log had no gap. */
  #canPrepend = true;
  #end: LogSeq;
  readonly #replays = new Set<Replay>();

  /** Makes an empty list of entries. @param after log position of the entry before the first that will be added */
  constructor(
    private readonly budget: RecentLogEntryMemoryBudget,
    after: LogSeq,
  ) {
    this.#after = after;
    this.#end = after;
  }

  /** Iterates over the log entries in memory, oldest first. */
  *[Symbol.iterator](): Iterator<{ readonly entry: LogEntry }> {
    for (let i = this.#head; i < this.#entries.length; i++) yield this.#entries[i]!;
  }

  /** Adds the next entry, in the order of the log and without a gap. */
  add(seq: LogSeq, entry: LogEntry): void {
    const bytes = roughBytes(entry);
    this.#entries.push({ seq, entry, bytes });
    this.#end = seq;
    if (this.#entries.length - this.#head > MAX_ENTRIES) this.drop();
    this.budget.added(this, bytes);
    for (const replay of this.#replays) replay.more(seq, entry);
  }

  /**
   * Puts entries before those that were added since the start. Only the first call has an effect, and only if it leaves
   * no gap.
   *
   * @param after log position above which `before` has every entry
   */
  prepend(before: readonly { readonly seq: LogSeq; readonly entry: LogEntry }[], after: LogSeq): void {
    if (!this.#canPrepend) return;
    this.#canPrepend = false;
    const entries = before.slice(-MAX_ENTRIES).map(({ seq, entry }) => ({ seq, entry, bytes: roughBytes(entry) }));
    this.#after = entries.length < before.length ? before[before.length - entries.length - 1]!.seq : after;
    this.#entries = [...entries, ...this.#entries.slice(this.#head)];
    this.#head = 0;
    for (const { bytes } of entries) this.budget.added(this, bytes);
  }

  /** Drops all entries after a gap in the log. The next entry that is added is the first one above `after`. */
  restart(after: LogSeq): void {
    while (this.drop());
    this.budget.emptied(this);
    this.#after = after;
    this.#canPrepend = false;
    this.#end = after;
  }

  /** Drops the oldest entry. @returns false if there is none */
  drop(): boolean {
    const oldest = this.#entries[this.#head];
    if (!oldest) return false;
    this.#after = oldest.seq;
    this.#canPrepend = false;
    this.budget.dropped(oldest.bytes);
    this.#head++;
    if (this.#head > 1_024 && this.#head * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#head);
      this.#head = 0;
    }
    return true;
  }

  /**
   * Subscribes to the entries in memory, as `subscribe` of the log does.
   * @returns undefined if an entry above the position is no longer in memory
   */
  subscribe(after: LogSeq, reader: EventLogReader): EventLogSubscription | undefined {
    if (after < this.#after) return undefined;
    const known = this.#entries.slice(this.#firstAbove(after));
    const replay = new Replay(known, toSeq(Math.max(after, this.#end)), reader, () => this.#replays.delete(replay));
    this.#replays.add(replay);
    queueMicrotask(() => replay.start());
    return replay;
  }

  #firstAbove(position: LogSeq): number {
    let [low, high] = [this.#head, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#entries[middle]!.seq <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

class Replay implements EventLogSubscription {
  #waiting: Pick<RecentEntry, 'seq' | 'entry'>[];
  #started = false;
  #open = true;

  /**
   * Makes a replay of entries in memory.
   *
   * @param position log position of the last entry that the replay has delivered
   */
  constructor(
    known: readonly RecentEntry[],
    public position: LogSeq,
    private readonly reader: EventLogReader,
    private readonly closed: () => void,
  ) {
    this.#waiting = [...known];
  }

  start(): void {
    this.#started = true;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { seq, entry } of waiting) this.#deliver(seq, entry);
  }

  more(seq: LogSeq, entry: LogEntry): void {
    this.position = seq;
    if (this.#started) this.#deliver(seq, entry);
    else this.#waiting.push({ seq, entry });
  }

  async caughtUp(): Promise<LogSeq> {
    // This wait lets the replay deliver the entries that were in memory before the call.
    await Promise.resolve();
    return this.position;
  }

  close(): void {
    this.#open = false;
    this.closed();
  }

  #deliver(seq: LogSeq, entry: LogEntry): void {
    if (this.#open) this.reader.entry(seq, entry as unknown as Json);
  }
}

const textsOf = (item: LogItem): object | undefined =>
  item.t === 'message' ? item.message : item.t === 'event' ? item.event : undefined;

/** Estimates the bytes of a log entry cheaply: long texts make up nearly all of its size. */
function roughBytes({ groups }: LogEntry): number {
  let bytes = 0;
  for (const { items } of groups) {
    for (const item of items) {
      bytes += ITEM_BYTES;
      const fields = textsOf(item);
      if (!fields) continue;
      for (const value of Object.values(fields)) {
        if (typeof value === 'string') bytes += value.length;
        else if (Array.isArray(value)) bytes += value.length * 8;
      }
    }
  }
  return bytes;
}
