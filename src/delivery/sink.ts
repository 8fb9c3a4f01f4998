/** What a feed and the queues that it serves know of each other. */
import type { LogEntry, LogGroup, Seq } from '#model';
import type { FeedEnd } from '#model/commands';
import type { SharedEvent, TransientEvent } from './shared-event.js';

/** Log position up to which all live queues of a feed have everything: moved on once for all of them. */
export interface LivePosition {
  at: Seq;
}

/** An event queue as the feed sees it. */
export interface EventSink {
  readonly user: number;
  readonly allPublic: boolean;
  /** Log position up to which the queue has seen everything; the feed moves it on. Set: it is this, and follows nothing. */
  position: Seq;
  /** Snapshot of this queue contains this commit: don't deliver, unless the event is replayable. */
  covered(actor: string, version: number): boolean;
  push(event: SharedEvent): void;
  /** An event that no log position stands for: the queue gives it an id of its own. */
  pushTransient(event: TransientEvent): void;
  /** Everything up to its position was pushed: from now on it is live, and its position at least this one. */
  live(position: LivePosition): void;
  end(reason: FeedEnd): void;
}

/** A log entry on its way to the queues, with those of its groups that are no repeats. */
export interface Work {
  readonly seq: Seq;
  readonly entry: LogEntry;
  readonly fresh: ReadonlySet<LogGroup>;
}
