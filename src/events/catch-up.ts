/** Reads the past of some queues from the log until they are level with the live feed. */
import type { Clock } from '../clock/index.js';
import { type Seq, seq as toSeq } from '../core/index.js';
import type { LogReader, LogSubscription } from '../log/index.js';
import { LogDeduplicator, type LogEntry } from '../runtime/log-entry.js';
import type { EventSink, Work } from './sink.js';

const RETRY_MS = 1_000;

/** Entries after a position, and then live ones: of the log, or from memory. */
export type CatchUpSource = (
  after: Seq,
  reader: LogReader,
) => { readonly replays: boolean; readonly subscription: LogSubscription };

export interface CatchingUp {
  /** Where to read from, so that every repeat of what came up to this position is known for one. */
  from(position: Seq): Seq;
  deliver(work: Work, sinks: Iterable<EventSink>): Promise<void> | undefined;
  /** True when the live feed has taken over the sinks. */
  settled(catchUp: CatchUp): boolean;
}

export class CatchUp {
  readonly sinks: Set<EventSink>;
  position: Seq;
  /** What it reads comes from memory. */
  readonly replays: boolean;
  readonly #seen = new LogDeduplicator();
  readonly #subscription: LogSubscription;
  #work: Work[] = [];
  #busy = false;
  #over = false;

  constructor(
    source: CatchUpSource,
    sinks: readonly EventSink[],
    private readonly feed: CatchingUp,
    private readonly clock: Clock,
  ) {
    this.sinks = new Set(sinks);
    const oldest = Math.min(...sinks.map((sink) => sink.position));
    this.position = feed.from(toSeq(oldest));
    const { replays, subscription } = source(this.position, {
      entry: (seq, value) => {
        const entry = value as unknown as LogEntry;
        const fresh = new Set(entry.groups.filter((group) => this.#seen.isNew(entry.actor, group)));
        this.#work.push({ seq, entry, fresh });
        if (!this.#busy) this.#run();
      },
      transient: () => {},
      gap: (trimmed) => {
        for (const sink of [...this.sinks]) if (sink.position < trimmed) this.#end(sink);
      },
    });
    this.replays = replays;
    this.#subscription = subscription;
    this.#level();
  }

  remove(sink: EventSink): void {
    this.sinks.delete(sink);
  }

  /** @returns the queues that it had not finished with */
  leave(): EventSink[] {
    this.#close();
    return [...this.sinks];
  }

  /** A past without entries of this realm brings no entry that would show that it is over. */
  #level(): void {
    this.#subscription.caughtUp().then(
      (seq) => {
        if (this.#work.length === 0 && !this.#busy && seq > this.position) this.position = seq;
        this.check();
      },
      () => {
        // Closed, or the log is out of reach for now.
        if (!this.#over) this.clock.setTimeout(() => !this.#over && this.#level(), RETRY_MS);
      },
    );
  }

  check(): void {
    if (this.#over || this.#busy || this.#work.length > 0) return;
    if (this.feed.settled(this)) this.#close();
  }

  #end(sink: EventSink): void {
    this.sinks.delete(sink);
    sink.end('trimmed');
  }

  #run(): void {
    for (let work = this.#work.shift(); work; work = this.#work.shift()) {
      const { seq } = work;
      const waiting = this.feed.deliver(work, this.sinks);
      if (waiting) {
        this.#busy = true;
        this.#await(waiting, work);
        return;
      }
      this.position = seq;
    }
    this.check();
  }

  #await(delivery: Promise<void>, work: Work): void {
    delivery.then(
      () => {
        this.#busy = false;
        this.position = work.seq;
        this.#run();
      },
      () => {
        // Nobody got anything of it yet, and what decides who gets it is out of reach for now.
        this.clock.setTimeout(() => {
          if (this.#over) return;
          this.#busy = false;
          this.#work.unshift(work);
          this.#run();
        }, RETRY_MS);
      },
    );
  }

  #close(): void {
    this.#over = true;
    this.#subscription.close();
  }
}
