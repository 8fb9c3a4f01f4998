import type { Json } from '#base';
import type { Clock, TimerHandle } from '#base/clock';
import type { LogSeq } from '#model';
import { crashOnThrow } from '#ports/nats';
import { type EventLogReader, type EventLogSubscription, EventLogUnavailableError } from './log.js';
import { decodeLogEntry, type JetStreamLogState, type JetStreamLogStream } from './log-jetstream-stream.js';

/** A live entry that the server republished: its position, and that of the previous entry on the same subject. */
export interface LiveLogEntry {
  readonly seq: LogSeq;
  readonly previous: LogSeq;
  readonly value: Json;
}

/**
 * Maximum number of live entries buffered while older ones are read. Further live entries are read from the log later.
 */
const MAX_LIVE_BUFFER = 1_000;
const RETRY_MS = 250;

interface CaughtUpWaiter {
  resolve(position: LogSeq): void;
  reject(error: Error): void;
}

/**
 * One reader of one subject. Core NATS may lose live entries. Three rules find every loss:
 * - A live entry whose predecessor lies above our position reveals a gap, which is then read from the log.
 * - `check` asks the log for an entry above our position, because no later entry reveals the loss of the last one.
 * - A position is skipped only up to an end of the stream that was known before the log reported no entry of this
 *   subject above our position.
 */
export class JetStreamEventLogSubscription implements EventLogSubscription {
  readonly subject: string;
  readonly #stream: JetStreamLogStream;
  readonly #clock: Clock;
  readonly #reader: EventLogReader;
  readonly #closed: () => void;
  #position: LogSeq;
  #incarnation: string | undefined;
  #running = false;
  #wanted = false;
  #open = true;
  #retry: TimerHandle | undefined;
  #live: LiveLogEntry[] = [];
  #waiters: CaughtUpWaiter[] = [];

  constructor(
    stream: JetStreamLogStream,
    clock: Clock,
    subject: string,
    after: LogSeq,
    reader: EventLogReader,
    closed: () => void,
  ) {
    this.#stream = stream;
    this.#clock = clock;
    this.subject = subject;
    this.#position = after;
    this.#reader = reader;
    this.#closed = closed;
  }

  get position(): LogSeq {
    return this.#position;
  }

  caughtUp(): Promise<LogSeq> {
    return new Promise((resolve, reject) => {
      if (!this.#open) throw new EventLogUnavailableError('the subscription is closed');
      this.#waiters.push({ resolve, reject });
      this.catchUp();
    });
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    if (this.#retry) this.#clock.clearTimeout(this.#retry);
    this.#live = [];
    for (const waiter of this.#waiters) waiter.reject(new EventLogUnavailableError('the subscription was closed'));
    this.#waiters = [];
    this.#closed();
  }

  deliverTransient(value: Json): void {
    if (this.#open) crashOnThrow(() => this.#reader.transient(value));
  }

  deliverLive(entry: LiveLogEntry): void {
    if (!this.#open || entry.seq <= this.#position) return;
    if (!this.#running && entry.previous <= this.#position) {
      this.#deliver(entry.seq, entry.value);
      return;
    }
    if (this.#live.length < MAX_LIVE_BUFFER) this.#live.push(entry);
    else this.#wanted = true;
    this.catchUp(false);
  }

  /** Compares the reader's position with the log, since the last live entries may have been lost. */
  async check(state: JetStreamLogState): Promise<void> {
    if (!this.#open || this.#running) return;
    if (!this.#fits(state)) {
      this.catchUp();
      return;
    }
    if (this.#position >= state.last) return;
    const next = await this.#stream.next(this.subject, this.#position + 1);
    if (next > this.#position) this.catchUp();
    else if (next === 0 && !this.#running) this.#skipTo(state.last);
  }

  /**
   * Reads from the log up to its end.
   * @param again read once more even if a read is in progress
   */
  catchUp(again = true): void {
    if (again) this.#wanted = true;
    if (this.#running || !this.#open) return;
    this.#running = true;
    this.#wanted = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    if (this.#retry) this.#clock.clearTimeout(this.#retry);
    this.#retry = undefined;
    while (this.#open && this.#wanted) {
      this.#wanted = false;
      const waiters = this.#waiters;
      this.#waiters = [];
      try {
        await this.#read();
      } catch {
        // The log is unreachable: callers of `caughtUp` go on waiting, and appends report the failure to their callers.
        this.#waiters = [...waiters, ...this.#waiters];
        this.#wanted = true;
        this.#retry = this.#clock.setTimeout(() => void this.#run(), RETRY_MS);
        return;
      }
      if (!this.#open) {
        this.#waiters.push(...waiters);
        break;
      }
      this.#drain();
      for (const waiter of waiters) waiter.resolve(this.#position);
    }
    this.#running = false;
  }

  async #read(): Promise<void> {
    const state = await this.#stream.state();
    if (!this.#fits(state)) this.#jump(state);
    while (this.#open && this.#position < state.last) {
      await this.#stream.read(this.subject, this.#position + 1, (seq, data) => {
        if (this.#open && seq > this.#position) this.#deliver(seq, decodeLogEntry(data));
      });
      // The exact answer comes from the leader: a replica of the stream may lag behind.
      if (this.#position < state.last && (await this.#stream.next(this.subject, this.#position + 1)) === 0) {
        this.#skipTo(state.last);
      }
    }
  }

  #fits(state: JetStreamLogState): boolean {
    this.#incarnation ??= state.incarnation;
    return this.#incarnation === state.incarnation && this.#position >= state.trimmed && this.#position <= state.last;
  }

  /** Reports a gap: entries were trimmed, the log was recreated, or the log lost its end. */
  #jump(state: JetStreamLogState): void {
    const shorter = this.#incarnation === state.incarnation && this.#position > state.last;
    this.#incarnation = state.incarnation;
    this.#position = shorter ? state.last : state.trimmed;
    this.#live = [];
    crashOnThrow(() => this.#reader.gap(this.#position));
  }

  #drain(): void {
    const live = this.#live;
    this.#live = [];
    for (const [i, entry] of live.entries()) {
      if (entry.seq <= this.#position) continue;
      if (entry.previous > this.#position) {
        this.#live = [...live.slice(i), ...this.#live];
        this.#wanted = true;
        return;
      }
      this.#deliver(entry.seq, entry.value);
    }
  }

  #skipTo(end: LogSeq): void {
    if (end > this.#position) this.#position = end;
  }

  #deliver(seq: LogSeq, value: Json): void {
    this.#position = seq;
    crashOnThrow(() => this.#reader.entry(seq, value));
  }
}
