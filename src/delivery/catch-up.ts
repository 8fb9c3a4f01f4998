/**
 * Reads the log entries that some event queues have missed, and delivers them until the queues are level with the live
 * feed.
 */
import type { Clock } from '#base/clock';
import { type LogEntry, LogItemGroupDeduplicator, type LogSeq, toLogSeq as toSeq } from '#model';
import type { EventLogReader, EventLogSubscription } from '#ports/log';
import type { EventFeedSubscriber, LogEntryToDeliver } from './subscriber.js';

const DELIVERY_RETRY_MS = 1_000;

/**
 * Opens a subscription to the entries after a position: in memory (`replays`) if they are all there, else in the log.
 */
export type LogCatchUpSource = (
  after: LogSeq,
  reader: EventLogReader,
) => { readonly replays: boolean; readonly subscription: EventLogSubscription };

/** The methods of the realm's feed that a catch-up calls. */
export interface CatchUpRealmFeed {
  /** Position to start reading at so that any repeat of an entry up to `position` is recognised. */
  startFor(position: LogSeq): LogSeq;
  /** Delivers one entry to these queues. @returns undefined if the entry was delivered at once */
  deliver(work: LogEntryToDeliver, queues: Iterable<EventFeedSubscriber>): Promise<void> | undefined;
  /** Hands the queues of a catch-up over to the live feed. @returns true if the feed has taken them */
  takeOver(catchUp: EventQueueLogCatchUp): boolean;
}

export class EventQueueLogCatchUp {
  readonly catchingUpQueues: Set<EventFeedSubscriber>;
  /** Log position up to which everything was delivered. */
  deliveredPosition: LogSeq;
  /** True if the entries come from memory instead of the log. */
  readonly isFromMemory: boolean;
  readonly #deduplicator = new LogItemGroupDeduplicator();
  readonly #subscription: EventLogSubscription;
  #undeliveredEntries: LogEntryToDeliver[] = [];
  #isEntryBeingDelivered = false;
  #isClosed = false;

  constructor(
    source: LogCatchUpSource,
    queues: readonly EventFeedSubscriber[],
    private readonly feed: CatchUpRealmFeed,
    private readonly clock: Clock,
  ) {
    this.catchingUpQueues = new Set(queues);
    const oldest = Math.min(...queues.map(({ cursor }) => cursor.position));
    this.deliveredPosition = feed.startFor(toSeq(oldest));
    const { replays, subscription } = source(this.deliveredPosition, {
      onEntry: (seq, value) => {
        const entry = value as unknown as LogEntry;
        this.#undeliveredEntries.push({ seq, entry, fresh: this.#deduplicator.recordNewGroups(entry) });
        if (!this.#isEntryBeingDelivered) this.#deliverPendingEntries();
      },
      onTransient: () => {},
      onGap: (trimmed) => {
        for (const queue of [...this.catchingUpQueues])
          if (queue.cursor.position < trimmed) this.#endQueueBehindTrimmedLog(queue);
      },
    });
    this.isFromMemory = replays;
    this.#subscription = subscription;
    this.#tryHandOverWhenLogIsRead();
  }

  removeQueue(queue: EventFeedSubscriber): void {
    this.catchingUpQueues.delete(queue);
  }

  /** Stops the catch-up. @returns the queues that have not caught up with the live feed */
  closeAndTakeQueues(): EventFeedSubscriber[] {
    this.#close();
    return [...this.catchingUpQueues];
  }

  /** Hands the queues over to the live feed if they are level with it. */
  handOverQueuesIfLevel(): void {
    if (this.#isClosed || this.#isEntryBeingDelivered || this.#undeliveredEntries.length > 0) return;
    if (this.feed.takeOver(this)) this.#close();
  }

  /**
   * Checks once the log is read to its end. Without this, no entry would trigger the check if the log has none after
   * the start.
   */
  #tryHandOverWhenLogIsRead(): void {
    this.#subscription.waitUntilCaughtUp().then(
      (seq) => {
        if (this.#undeliveredEntries.length === 0 && !this.#isEntryBeingDelivered && seq > this.deliveredPosition)
          this.deliveredPosition = seq;
        this.handOverQueuesIfLevel();
      },
      () => {
        // The log is unavailable, or the subscription was closed. Unless the catch-up was closed, it asks again later.
        if (!this.#isClosed)
          this.clock.setTimeout(() => !this.#isClosed && this.#tryHandOverWhenLogIsRead(), DELIVERY_RETRY_MS);
      },
    );
  }

  #endQueueBehindTrimmedLog(queue: EventFeedSubscriber): void {
    this.catchingUpQueues.delete(queue);
    queue.trimmed();
  }

  #deliverPendingEntries(): void {
    for (let work = this.#undeliveredEntries.shift(); work; work = this.#undeliveredEntries.shift()) {
      const delivery = this.feed.deliver(work, this.catchingUpQueues);
      if (delivery) {
        this.#isEntryBeingDelivered = true;
        this.#continueAfterDelivery(delivery, work);
        return;
      }
      this.deliveredPosition = work.seq;
    }
    this.handOverQueuesIfLevel();
  }

  #continueAfterDelivery(delivery: Promise<void>, work: LogEntryToDeliver): void {
    delivery.then(
      () => {
        this.#isEntryBeingDelivered = false;
        this.deliveredPosition = work.seq;
        this.#deliverPendingEntries();
      },
      () => {
        // The memberships that decide about the audience can't be read. No queue got any event of the entry, so its
        // delivery is tried again.
        this.clock.setTimeout(() => {
          if (this.#isClosed) return;
          this.#isEntryBeingDelivered = false;
          this.#undeliveredEntries.unshift(work);
          this.#deliverPendingEntries();
        }, DELIVERY_RETRY_MS);
      },
    );
  }

  #close(): void {
    this.#isClosed = true;
    this.#subscription.close();
  }
}
