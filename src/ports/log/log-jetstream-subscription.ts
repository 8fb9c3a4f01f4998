import type { Json } from '#base';
import type { Clock, TimerHandle } from '#base/clock';
import type { LogSeq } from '#model';
import { crashOnThrow } from '#ports/nats';
import { decodeLogEntry } from './entry-codec.js';
import { type EventLogReader, type EventLogSubscription, EventLogUnavailableError } from './log.js';
import type { JetStreamLogState, JetStreamLogStream } from './log-jetstream-stream.js';

/** A live entry that the server republished: its position, and that of the previous entry on the same subject. */
export interface LiveLogEntry {
  readonly seq: LogSeq;
  readonly previousSeq: LogSeq;
  readonly value: Json;
}

/**
 * Maximum number of live entries buffered while older ones are read. Further live entries are read from the log later.
 */
const MAX_BUFFERED_LIVE_ENTRIES = 1_000;
const CATCH_UP_RETRY_MS = 250;

interface CaughtUpWaiter {
  resolve(position: LogSeq): void;
  reject(error: Error): void;
}

/**
 * One reader of one subject. Core NATS may lose live entries. Three rules find every loss:
 * - A live entry whose predecessor lies above our position reveals a gap, which is then read from the log.
 * - `checkForLostEntries` asks the log for an entry above our position, because no later entry reveals the loss of the
 *   last one.
 * - A position is skipped only up to an end of the stream that was known before the log reported no entry of this
 *   subject above our position.
 */
export class JetStreamEventLogSubscription implements EventLogSubscription {
  readonly subject: string;
  readonly #logStream: JetStreamLogStream;
  readonly #clock: Clock;
  readonly #reader: EventLogReader;
  readonly #onClosed: () => void;
  #position: LogSeq;
  #logIncarnation: string | undefined;
  #isCatchingUp = false;
  #mustReadAgain = false;
  #isOpen = true;
  #catchUpRetryTimer: TimerHandle | undefined;
  #bufferedLiveEntries: LiveLogEntry[] = [];
  #caughtUpWaiters: CaughtUpWaiter[] = [];

  constructor(
    stream: JetStreamLogStream,
    clock: Clock,
    subject: string,
    after: LogSeq,
    reader: EventLogReader,
    closed: () => void,
  ) {
    this.#logStream = stream;
    this.#clock = clock;
    this.subject = subject;
    this.#position = after;
    this.#reader = reader;
    this.#onClosed = closed;
  }

  get position(): LogSeq {
    return this.#position;
  }

  waitUntilCaughtUp(): Promise<LogSeq> {
    return new Promise((resolve, reject) => {
      if (!this.#isOpen) throw new EventLogUnavailableError('the subscription is closed');
      this.#caughtUpWaiters.push({ resolve, reject });
      this.startCatchUp();
    });
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (this.#catchUpRetryTimer) this.#clock.clearTimeout(this.#catchUpRetryTimer);
    this.#bufferedLiveEntries = [];
    for (const waiter of this.#caughtUpWaiters)
      waiter.reject(new EventLogUnavailableError('the subscription was closed'));
    this.#caughtUpWaiters = [];
    this.#onClosed();
  }

  deliverTransient(value: Json): void {
    if (this.#isOpen) crashOnThrow(() => this.#reader.onTransient(value));
  }

  deliverLive(entry: LiveLogEntry): void {
    if (!this.#isOpen || entry.seq <= this.#position) return;
    if (!this.#isCatchingUp && entry.previousSeq <= this.#position) {
      this.#deliverEntry(entry.seq, entry.value);
      return;
    }
    if (this.#bufferedLiveEntries.length < MAX_BUFFERED_LIVE_ENTRIES) this.#bufferedLiveEntries.push(entry);
    else this.#mustReadAgain = true;
    this.startCatchUp(false);
  }

  /** Compares the reader's position with the log, since the last live entries may have been lost. */
  async checkForLostEntries(state: JetStreamLogState): Promise<void> {
    if (!this.#isOpen || this.#isCatchingUp) return;
    if (!this.#isPositionWithinLog(state)) {
      this.startCatchUp();
      return;
    }
    if (this.#position >= state.lastPosition) return;
    const next = await this.#logStream.fetchPositionAtOrAfter(this.subject, this.#position + 1);
    if (next > this.#position) this.startCatchUp();
    else if (next === 0 && !this.#isCatchingUp) this.#advancePositionTo(state.lastPosition);
  }

  /**
   * Reads from the log up to its end.
   * @param again read once more even if a read is in progress
   */
  startCatchUp(again = true): void {
    if (again) this.#mustReadAgain = true;
    if (this.#isCatchingUp || !this.#isOpen) return;
    this.#isCatchingUp = true;
    this.#mustReadAgain = true;
    void this.#runCatchUp();
  }

  async #runCatchUp(): Promise<void> {
    if (this.#catchUpRetryTimer) this.#clock.clearTimeout(this.#catchUpRetryTimer);
    this.#catchUpRetryTimer = undefined;
    while (this.#isOpen && this.#mustReadAgain) {
      this.#mustReadAgain = false;
      const waiters = this.#caughtUpWaiters;
      this.#caughtUpWaiters = [];
      try {
        await this.#readToLogEnd();
      } catch {
        // The log is unreachable: callers of `waitUntilCaughtUp` go on waiting, and appends report the failure to their
        // callers.
        this.#caughtUpWaiters = [...waiters, ...this.#caughtUpWaiters];
        this.#mustReadAgain = true;
        this.#catchUpRetryTimer = this.#clock.setTimeout(() => void this.#runCatchUp(), CATCH_UP_RETRY_MS);
        return;
      }
      if (!this.#isOpen) {
        this.#caughtUpWaiters.push(...waiters);
        break;
      }
      this.#deliverBufferedLiveEntries();
      for (const waiter of waiters) waiter.resolve(this.#position);
    }
    this.#isCatchingUp = false;
  }

  async #readToLogEnd(): Promise<void> {
    const state = await this.#logStream.fetchStateOrRecreateStream();
    if (!this.#isPositionWithinLog(state)) this.#skipAndReportGap(state);
    while (this.#isOpen && this.#position < state.lastPosition) {
      await this.#logStream.readSomeEntries(this.subject, this.#position + 1, (seq, data) => {
        if (this.#isOpen && seq > this.#position) this.#deliverEntry(seq, decodeLogEntry(data));
      });
      // The exact answer comes from the leader: a replica of the stream may lag behind.
      if (
        this.#position < state.lastPosition &&
        (await this.#logStream.fetchPositionAtOrAfter(this.subject, this.#position + 1)) === 0
      ) {
        this.#advancePositionTo(state.lastPosition);
      }
    }
  }

  #isPositionWithinLog(state: JetStreamLogState): boolean {
    this.#logIncarnation ??= state.incarnation;
    return (
      this.#logIncarnation === state.incarnation &&
      this.#position >= state.trimmedUpTo &&
      this.#position <= state.lastPosition
    );
  }

  /** Reports a gap: entries were trimmed, the log was recreated, or the log lost its end. */
  #skipAndReportGap(state: JetStreamLogState): void {
    const shorter = this.#logIncarnation === state.incarnation && this.#position > state.lastPosition;
    this.#logIncarnation = state.incarnation;
    this.#position = shorter ? state.lastPosition : state.trimmedUpTo;
    this.#bufferedLiveEntries = [];
    crashOnThrow(() => this.#reader.onGap(this.#position));
  }

  #deliverBufferedLiveEntries(): void {
    const live = this.#bufferedLiveEntries;
    this.#bufferedLiveEntries = [];
    for (const [i, entry] of live.entries()) {
      if (entry.seq <= this.#position) continue;
      if (entry.previousSeq > this.#position) {
        this.#bufferedLiveEntries = [...live.slice(i), ...this.#bufferedLiveEntries];
        this.#mustReadAgain = true;
        return;
      }
      this.#deliverEntry(entry.seq, entry.value);
    }
  }

  #advancePositionTo(end: LogSeq): void {
    if (end > this.#position) this.#position = end;
  }

  #deliverEntry(seq: LogSeq, value: Json): void {
    this.#position = seq;
    crashOnThrow(() => this.#reader.onEntry(seq, value));
  }
}
