/**
 * The event feed of one realm on one host: follows the realm's log once for all queues here, decides which queues
 * receive an event, and pushes references to shared events. A queue that attaches at an older position first catches
 * up.
 */
import type { Clock } from '#base/clock';
import type { DirectoryReplica } from '#directory';
import {
  type EventLogItem,
  type LogEntry,
  type LogSeq,
  type MessageLogItem,
  makeEventId,
  type RealmId,
  toLogSeq as toSeq,
} from '#model';
import type { EventLog } from '#ports/log';
import type { Store } from '#ports/store';
import { isInEventAudience, streamsDecidingEventAudience } from './audience.js';
import { type CatchUpRealmFeed, EventQueueLogCatchUp, type LogCatchUpSource } from './catch-up.js';
import { StreamMembershipCache } from './memberships.js';
import { EventQueueIndex } from './queue-index.js';
import { RecentLogEntries, type RecentLogEntryMemoryBudget } from './recent-entries.js';
import { RecentMessageIndex, type RecentMessageMemoryBudget } from './recent-message-index.js';
import { LogRepeatDetector, MAX_LOG_REPEAT_DISTANCE } from './repeat-detector.js';
import { isClientEventLogItem, SharedClientEvent, TransientClientEvent } from './shared-event.js';
import type { EventFeedSubscriber, LiveFeedPosition, LogEntryToDeliver } from './subscriber.js';

export interface StreamSubscribersAtPosition {
  /** Log position up to which the lists of subscribers show every change. */
  readonly position: LogSeq;
  /** Ids of the subscribers, ascending, by stream. */
  readonly of: ReadonlyMap<number, readonly number[]>;
}

/** Interfaces to services, and budgets, that all feeds of a process share. */
export interface RealmEventFeedPorts {
  readonly log: EventLog;
  readonly store: Store;
  readonly clock: Clock;
  readonly recentEntries: RecentLogEntryMemoryBudget;
  readonly recentMessages: RecentMessageMemoryBudget;
}

export class RealmEventFeed {
  /** Live queues: they have every event up to the feed's position. */
  readonly #liveQueues: EventQueueIndex;
  /** Queues that get transient events: the live ones, and new ones whose past is still being read. */
  readonly #listeners: EventQueueIndex;
  readonly #memberships: StreamMembershipCache;
  /** Index of the realm's newest messages, which registrations of queues read. */
  readonly recentMessages: RecentMessageIndex;
  readonly #membersOf = (stream: number) => this.#memberships.membersOf(stream);
  readonly #catchUps = new Set<EventQueueLogCatchUp>();
  readonly #repeats: LogRepeatDetector;
  readonly #recent: RecentLogEntries;
  #queuesToAttach: EventFeedSubscriber[] = [];
  /** Catch-ups and registrations that wait until the feed has reached a position. */
  #positionWaiters: { readonly seq: LogSeq; resolve(): void }[] = [];
  #undeliveredEntries: LogEntryToDeliver[] = [];
  /** True until the stretch of the log before the feed's start is read, and while memberships are being read. */
  #isDelivering = true;
  #isPastLogRead = false;
  /** Generation: raised by every gap in the log. Work begun under an older generation is dropped. */
  #gapGeneration = 0;
  #position: LogSeq;
  #livePosition: LiveFeedPosition;

  constructor(
    private readonly realm: RealmId,
    private readonly replica: DirectoryReplica,
    private readonly ports: RealmEventFeedPorts,
  ) {
    const { log, store, clock } = ports;
    this.#memberships = new StreamMembershipCache(store, realm);
    const source = { clock, recentEntries: () => this.#recent, delivered: () => this.#waitUntilDelivered() };
    this.recentMessages = new RecentMessageIndex(store, realm, this.#memberships, source, ports.recentMessages);
    this.#liveQueues = new EventQueueIndex(this.#membersOf);
    this.#listeners = new EventQueueIndex(this.#membersOf);
    this.#position = replica.tail.position;
    this.#livePosition = { at: this.#position };
    this.#recent = new RecentLogEntries(ports.recentEntries, this.#position);
    const before: { seq: LogSeq; entry: LogEntry }[] = [];
    this.#repeats = new LogRepeatDetector(log, realm, this.#position, clock, (seq, entry) =>
      before.push({ seq, entry }),
    );
    void this.#repeats.whenReady.then(() => {
      this.#recent.prepend(before, this.#repeats.readFrom);
      this.#isPastLogRead = true;
      this.#isDelivering = false;
      this.#deliverPendingEntries();
    });
    replica.tail.add({
      entry: (seq, entry, fresh) => {
        this.#recent.add(seq, entry);
        this.#undeliveredEntries.push({ seq, entry, fresh: new Set(fresh) });
        if (!this.#isDelivering) this.#deliverPendingEntries();
      },
      transient: (value) => this.#receiveTransient(value as unknown as EventLogItem),
      gap: (trimmed) => this.#handleLogGap(trimmed),
    });
  }

  /** Called when the directory replica, whose log tail the feed reads, was closed. */
  closed(): void {
    this.#recent.restart(this.#position);
    this.recentMessages.reset();
  }

  /** Log position up to which live queues have every event. */
  get position(): LogSeq {
    return this.#position;
  }

  /** True if the feed has queues, or work to do for them. */
  get isBusy(): boolean {
    const queues = this.#liveQueues.size + this.#listeners.size + this.#queuesToAttach.length + this.#catchUps.size;
    return queues > 0 || this.#positionWaiters.length > 0 || this.#isDelivering || this.#undeliveredEntries.length > 0;
  }

  /** Resolves when the directory replica shows everything up to this log position. */
  async waitForDirectoryAt(position: LogSeq): Promise<void> {
    if (this.replica.tail.position < position) await this.replica.tail.caughtUp();
  }

  /** Resolves when all entries that had arrived from the log before the call are delivered. */
  async #waitUntilDelivered(): Promise<void> {
    const { position } = this.replica.tail;
    if (this.#position >= position && !this.#isDelivering) return;
    await new Promise<void>((resolve) => this.#positionWaiters.push({ seq: position, resolve }));
  }

  /**
   * The subscribers of these streams, and the log position up to which the lists show every change.
   *
   * @param streams called when all entries that have arrived from the log are delivered, and again after each read
   */
  async readSubscribersAtPosition(streams: () => readonly number[]): Promise<StreamSubscribersAtPosition> {
    for (;;) {
      await this.#waitUntilDelivered();
      const unread = streams().filter((stream) => !this.#memberships.membersOf(stream));
      if (unread.length === 0) break;
      await Promise.all(unread.map((stream) => this.#memberships.load(stream)));
    }
    return {
      position: this.#position,
      of: new Map(streams().map((stream) => [stream, this.#memberships.subscribers(stream)])),
    };
  }

  /** Delivers transient events to the queue from now on. They are stored nowhere, so no catch-up brings them later. */
  addTransientListener(queue: EventFeedSubscriber): void {
    this.#listeners.add(queue);
  }

  /** Delivers every event after the queue's cursor, then calls `wentLive` of the queue. */
  attach(queue: EventFeedSubscriber): void {
    this.#queuesToAttach.push(queue);
    // Queues attach after the stretch of the log before the feed's start is read: they can't go live before, and later
    // need not read those entries again.
    if (this.#queuesToAttach.length === 1) void this.#repeats.whenReady.then(() => this.#attachWaitingQueues());
  }

  detach(queue: EventFeedSubscriber): void {
    this.#queuesToAttach = this.#queuesToAttach.filter((one) => one !== queue);
    for (const catchUp of this.#catchUps) catchUp.remove(queue);
    this.#liveQueues.remove(queue);
    this.#listeners.remove(queue);
    queue.cursor.pinPosition();
  }

  /** Queues that attach in one tick read the log's past together. After a take-over these are all queues. */
  #attachWaitingQueues(): void {
    const queues = this.#queuesToAttach;
    this.#queuesToAttach = [];
    const behind: EventFeedSubscriber[] = [];
    for (const queue of queues) {
      const isLevel =
        !this.#isDelivering && this.#undeliveredEntries.length === 0 && queue.cursor.position >= this.#position;
      if (isLevel) this.#makeQueueLive(queue);
      else behind.push(queue);
    }
    if (behind.length === 0) return;
    const source: LogCatchUpSource = (after, reader) => {
      const replay = this.#recent.subscribe(after, reader);
      const subscription = replay ?? this.ports.log.subscribe(this.realm, after, reader);
      return { replays: replay !== undefined, subscription };
    };
    this.#catchUps.add(new EventQueueLogCatchUp(source, behind, this.#makeCatchUpFeed(), this.ports.clock));
  }

  #makeCatchUpFeed(): CatchUpRealmFeed {
    const repeats = this.#repeats;
    return {
      startFor: (position) =>
        repeats.isCompleteFrom(position) ? position : toSeq(Math.max(0, position - MAX_LOG_REPEAT_DISTANCE)),
      deliver: (work, queues) => {
        const { seq, entry, fresh } = work;
        const deliver = (): Promise<void> | undefined =>
          this.#deliverEntry({ seq, entry, fresh: repeats.withoutRepeats(seq, entry, fresh) }, new Set(queues));
        const reached = this.#whenReached(seq);
        return reached ? reached.then(deliver) : deliver();
      },
      takeOver: (catchUp) => {
        if (this.#isDelivering || catchUp.position < this.#position) return false;
        this.#catchUps.delete(catchUp);
        for (const queue of catchUp.queues) this.#makeQueueLive(queue);
        return true;
      },
    };
  }

  /**
   * Resolves when the live feed has reached this entry; undefined: the feed has reached it already. A catch-up waits
   * for this, because only the live feed knows whether the entry repeats an earlier one that the catch-up has not read.
   */
  #whenReached(seq: LogSeq): Promise<unknown> | undefined {
    if (this.#isPastLogRead && seq <= this.#position) return undefined;
    const reached = new Promise<void>((resolve) => this.#positionWaiters.push({ seq, resolve }));
    this.#releaseWaiters();
    return Promise.all([this.#repeats.whenReady, reached]);
  }

  #releaseWaiters(): void {
    if (this.#positionWaiters.length === 0) return;
    const ready = this.#positionWaiters.filter(({ seq }) => seq <= this.#position);
    this.#positionWaiters = this.#positionWaiters.filter(({ seq }) => seq > this.#position);
    for (const { resolve } of ready) resolve();
  }

  #makeQueueLive(queue: EventFeedSubscriber): void {
    this.#liveQueues.add(queue);
    this.#listeners.add(queue);
    queue.cursor.followFeed(this.#livePosition);
    queue.wentLive();
  }

  /** Delivers one entry after the other: synchronously, unless a membership has to be read. */
  #deliverPendingEntries(): void {
    for (let next = this.#undeliveredEntries.shift(); next; next = this.#undeliveredEntries.shift()) {
      const { seq, entry } = next;
      const work: LogEntryToDeliver = { seq, entry, fresh: this.#repeats.withoutRepeats(seq, entry, next.fresh) };
      this.#repeats.remember(work);
      const delivery = this.#deliverEntry(work, undefined);
      if (delivery) {
        this.#resumeAfter(delivery, work);
        return;
      }
      this.#finishEntry(work);
    }
    this.#releaseWaiters();
    for (const catchUp of this.#catchUps) catchUp.checkQueueEnds();
  }

  #resumeAfter(delivery: Promise<void>, work: LogEntryToDeliver): void {
    this.#isDelivering = true;
    const generation = this.#gapGeneration;
    delivery.then(
      () => {
        if (generation !== this.#gapGeneration) return;
        this.#isDelivering = false;
        this.#finishEntry(work);
        this.#releaseWaiters();
        this.#deliverPendingEntries();
      },
      () => {
        if (generation === this.#gapGeneration) this.#restartAfterGap();
      },
    );
  }

  #finishEntry({ seq, fresh }: LogEntryToDeliver): void {
    this.#position = seq;
    for (const { items } of fresh) for (const item of items) this.recentMessages.apply(item);
  }

  /**
   * Delivers the events of an entry; returns a promise only if memberships must be read first.
   * @param only the queues of a catch-up; undefined = all live ones
   */
  #deliverEntry(
    work: LogEntryToDeliver,
    only: ReadonlySet<EventFeedSubscriber> | undefined,
  ): Promise<void> | undefined {
    const streams = new Map<number, number>();
    for (const group of work.fresh) {
      for (const item of group.items) {
        if (item.t === 'members') this.#memberships.apply(item);
        else if (isClientEventLogItem(item) && (only || this.#liveQueues.size > 0)) {
          for (const [stream, mv] of streamsDecidingEventAudience(item.to))
            streams.set(stream, Math.max(streams.get(stream) ?? 0, mv));
        }
      }
    }
    const loads = [...streams].map((of) => this.#memberships.load(...of)).filter((p) => p !== undefined);
    if (loads.length > 0) return Promise.all(loads).then(() => this.#dispatchEntry(work, only));
    this.#dispatchEntry(work, only);
    return undefined;
  }

  #dispatchEntry({ seq, entry, fresh }: LogEntryToDeliver, only: ReadonlySet<EventFeedSubscriber> | undefined): void {
    let slot = 0;
    for (const group of entry.groups) {
      for (const item of group.items) {
        slot++;
        if (!fresh.has(group) || !isClientEventLogItem(item)) continue;
        this.#deliver(new SharedClientEvent(makeEventId(seq, slot), item), item, seq, entry.actor, group.v, only);
      }
    }
    for (const { cursor } of only ?? []) cursor.advance(seq);
    // A log entry without items moves the position, too: queues append such entries when they need ids.
    if (only === undefined) this.#livePosition.at = seq;
  }

  #deliver(
    event: SharedClientEvent,
    { to }: MessageLogItem | EventLogItem,
    seq: LogSeq,
    actor: string,
    version: number,
    only: ReadonlySet<EventFeedSubscriber> | undefined,
  ): void {
    const { view } = this.replica;
    const { isReplayable } = event;
    const offer = (queue: EventFeedSubscriber): void => {
      const { cursor } = queue;
      if (cursor.position >= seq || (!isReplayable && cursor.isCommitDelivered(actor, version))) return;
      if (isInEventAudience(to, queue, view, this.#membersOf)) queue.push(event);
    };
    if (only) {
      for (const queue of only) offer(queue);
      return;
    }
    this.#liveQueues.forEachCandidate(to, offer);
  }

  #receiveTransient(item: EventLogItem): void {
    if (this.#listeners.size === 0) return;
    const loads = [...streamsDecidingEventAudience(item.to).keys()]
      .map((stream) => this.#memberships.load(stream))
      .filter((loading) => loading !== undefined);
    if (loads.length === 0) this.#deliverTransient(item);
    else
      Promise.all(loads)
        .then(() => this.#deliverTransient(item))
        .catch(() => undefined);
  }

  /** Drops the event if this host doesn't know yet who was in its audience. */
  #deliverTransient(item: EventLogItem): void {
    const { to } = item;
    const { view } = this.replica;
    if (to.rv !== undefined && view.version < to.rv) return;
    if (
      [...streamsDecidingEventAudience(to)].some(([stream, mv]) => !this.#memberships.isAtMembershipVersion(stream, mv))
    )
      return;
    const event = new TransientClientEvent(item);
    this.#listeners.forEachCandidate(to, (queue) => {
      if (isInEventAudience(to, queue, view, this.#membersOf)) queue.pushTransient(event);
    });
  }

  #handleLogGap(trimmed: LogSeq): void {
    this.#recent.restart(trimmed);
    for (const catchUp of [...this.#catchUps].filter(({ isFromMemory: replays }) => replays)) {
      this.#catchUps.delete(catchUp);
      // These queues attach again, because the log may still hold the entries that they need.
      for (const queue of catchUp.closeAndTakeQueues()) this.attach(queue);
    }
    this.#restartAfterGap();
  }

  /**
   * Restarts delivery after a gap in the log. The live queues have missed entries, so each attaches again at its own
   * position, from which the log may still have them.
   */
  #restartAfterGap(): void {
    this.#gapGeneration++;
    this.#memberships.clearMemberships();
    this.recentMessages.reset();
    this.#undeliveredEntries = [];
    this.#isDelivering = !this.#isPastLogRead;
    const queues = [...this.#liveQueues];
    this.#liveQueues.clear();
    // The position is copied into a new object, so that cursors that follow the old object stay where they are.
    this.#livePosition = { at: this.#livePosition.at };
    for (const queue of queues) this.attach(queue);
    this.#position = this.replica.tail.position;
    this.#repeats.markMissedUpTo(this.#position);
    this.#releaseWaiters();
  }
}
