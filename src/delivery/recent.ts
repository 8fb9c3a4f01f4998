/**
 * The newest entries of a realm's log, as a feed has read them. After a take-over hundreds of queues come to a host one after the
 * other, and each has the last few seconds to catch up on: from here that costs no reading and no decoding.
 */
import type { Json } from '#base';
import type { LogEntry, LogItem } from '#model';
import { type Seq, seq as toSeq } from '#model';
import type { LogReader, LogSubscription } from '#ports/log';

/** Of one realm. A takeover takes seconds; a busy realm has some hundred entries in one. */
const MOST_ENTRIES = 4_096;
/** Estimated, of all realms of a process. */
const MOST_BYTES = 32 * 1024 * 1024;
/** Of an item beside its longest texts. */
const ITEM_BYTES = 512;

interface Kept {
  readonly seq: Seq;
  readonly entry: LogEntry;
  readonly bytes: number;
}

/** What all realms of a process keep together: beyond it those go first in which nothing has happened for longest. */
export class RecentBudget {
  /** Least recently added to first. */
  readonly #realms = new Set<RecentEntries>();
  #bytes = 0;

  constructor(private readonly most = MOST_BYTES) {}

  get bytes(): number {
    return this.#bytes;
  }

  /** @internal */
  added(by: RecentEntries, bytes: number): void {
    this.#realms.delete(by);
    this.#realms.add(by);
    this.#bytes += bytes;
    for (const realm of this.#realms) {
      while (this.#bytes > this.most && realm.drop());
      if (this.#bytes <= this.most) return;
      this.#realms.delete(realm);
    }
  }

  /** @internal */
  dropped(bytes: number): void {
    this.#bytes -= bytes;
  }

  /** @internal Nothing is left of it. */
  emptied(realm: RecentEntries): void {
    this.#realms.delete(realm);
  }
}

export class RecentEntries {
  #kept: Kept[] = [];
  #head = 0;
  #after: Seq;
  /** What ends here may still be put before the rest; not any more when the oldest have gone, or the log had a gap. */
  #joint: Seq | undefined;
  #end: Seq;
  readonly #replays = new Set<Replay>();

  /** @param after the first entry that will be added is the first one above this position */
  constructor(
    private readonly budget: RecentBudget,
    after: Seq,
  ) {
    this.#after = after;
    this.#joint = after;
    this.#end = after;
  }

  /** The newest last. */
  *[Symbol.iterator](): Iterator<{ readonly entry: LogEntry }> {
    for (let i = this.#head; i < this.#kept.length; i++) yield this.#kept[i]!;
  }

  /** In the order of the log, without a gap. */
  add(seq: Seq, entry: LogEntry): void {
    const bytes = roughBytes(entry);
    this.#kept.push({ seq, entry, bytes });
    this.#end = seq;
    if (this.#kept.length - this.#head > MOST_ENTRIES) this.drop();
    this.budget.added(this, bytes);
    for (const replay of this.#replays) replay.more(seq, entry);
  }

  /**
   * What comes before all that was added since the start; once. Without effect when it would leave a gap.
   *
   * @param after everything above this position is among them
   */
  prepend(before: readonly { readonly seq: Seq; readonly entry: LogEntry }[], after: Seq): void {
    if (this.#joint === undefined) return;
    this.#joint = undefined;
    const kept = before.slice(-MOST_ENTRIES).map(({ seq, entry }) => ({ seq, entry, bytes: roughBytes(entry) }));
    this.#after = kept.length < before.length ? before[before.length - kept.length - 1]!.seq : after;
    this.#kept = [...kept, ...this.#kept.slice(this.#head)];
    this.#head = 0;
    for (const { bytes } of kept) this.budget.added(this, bytes);
  }

  /** Everything above `after`, up to what the first entry that will be added follows, is not known any more. */
  restart(after: Seq): void {
    while (this.drop());
    this.budget.emptied(this);
    this.#after = after;
    this.#joint = undefined;
    this.#end = after;
  }

  /** The oldest. @returns false: there is none */
  drop(): boolean {
    const oldest = this.#kept[this.#head];
    if (!oldest) return false;
    this.#after = oldest.seq;
    this.#joint = undefined;
    this.budget.dropped(oldest.bytes);
    this.#head++;
    if (this.#head > 1_024 && this.#head * 2 > this.#kept.length) {
      this.#kept = this.#kept.slice(this.#head);
      this.#head = 0;
    }
    return true;
  }

  /** As a subscription of the log. @returns undefined when not everything above the position is here */
  subscribe(after: Seq, reader: LogReader): LogSubscription | undefined {
    if (after < this.#after) return undefined;
    const known = this.#kept.slice(this.#firstAbove(after));
    const replay = new Replay(known, toSeq(Math.max(after, this.#end)), reader, () => this.#replays.delete(replay));
    this.#replays.add(replay);
    queueMicrotask(() => replay.start());
    return replay;
  }

  #firstAbove(position: Seq): number {
    let [low, high] = [this.#head, this.#kept.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#kept[middle]!.seq <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

class Replay implements LogSubscription {
  #waiting: Pick<Kept, 'seq' | 'entry'>[];
  #started = false;
  #open = true;

  /** @param position of the last entry that it was given */
  constructor(
    known: readonly Kept[],
    public position: Seq,
    private readonly reader: LogReader,
    private readonly closed: () => void,
  ) {
    this.#waiting = [...known];
  }

  start(): void {
    this.#started = true;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { seq, entry } of waiting) this.#give(seq, entry);
  }

  more(seq: Seq, entry: LogEntry): void {
    this.position = seq;
    if (this.#started) this.#give(seq, entry);
    else this.#waiting.push({ seq, entry });
  }

  async caughtUp(): Promise<Seq> {
    // Those that were there before the call come first.
    await Promise.resolve();
    return this.position;
  }

  close(): void {
    this.#open = false;
    this.closed();
  }

  #give(seq: Seq, entry: LogEntry): void {
    if (this.#open) this.reader.entry(seq, entry as unknown as Json);
  }
}

const textOf = (item: LogItem): object | undefined =>
  item.t === 'message' ? item.message : item.t === 'event' ? item.event : undefined;

/** Cheap rather than exact: long texts are what counts. */
function roughBytes({ groups }: LogEntry): number {
  let bytes = 0;
  for (const { items } of groups) {
    for (const item of items) {
      bytes += ITEM_BYTES;
      const fields = textOf(item);
      if (!fields) continue;
      for (const value of Object.values(fields)) {
        if (typeof value === 'string') bytes += value.length;
        else if (Array.isArray(value)) bytes += value.length * 8;
      }
    }
  }
  return bytes;
}
