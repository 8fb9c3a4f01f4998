/**
 * The event feed of one realm on one host: follows the realm's log once for all queues here, decides which queues
 * receive an event, and pushes references to shared events. A queue that attaches at an older position first catches
 * up.
 */
import type { Clock } from '#base/clock';
import type { DirectoryReplica } from '#directory';
import {
  type EventLogItem,
  LOG_ENTRY_HEAD_FLAGS,
  type LogEntry,
  type LogEntryHead,
  type LogSeq,
  type MessageLogItem,
  makeEventId,
  type RealmId,
  type TransientLogItem,
  toLogSeq as toSeq,
} from '#model';
import type { EventLog } from '#ports/log';
import type { Store } from '#ports/store';
import { isInEventAudience, membershipVersionsNeededForAudience } from './audience.js';
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
  readonly #transientEventQueues: EventQueueIndex;
  readonly #memberships: StreamMembershipCache;
  /** Index of the realm's newest messages, which registrations of queues read. */
  readonly recentMessageIndex: RecentMessageIndex;
  readonly #membersOf = (stream: number) => this.#memberships.membersOfLoadedStream(stream);
  readonly #catchUps = new Set<EventQueueLogCatchUp>();
  readonly #repeatDetector: LogRepeatDetector;
  readonly #recentEntries: RecentLogEntries;
  #queuesToAttach: EventFeedSubscriber[] = [];
  /** Catch-ups and registrations that wait until the feed has reached a position. */
  #positionWaiters: { readonly seq: LogSeq; resolve(): void }[] = [];
  #undeliveredEntries: LogEntryToDeliver[] = [];
  /** True until the stretch of the log before the feed's start is read, and while memberships are being read. */
  #isDeliveryBlocked = true;
  #isLogBeforeStartRead = false;
  /** Generation: raised by every gap in the log. Work begun under an older generation is dropped. */
  #gapGeneration = 0;
  #deliveredPosition: LogSeq;
  #sharedLivePosition: LiveFeedPosition;

  constructor(
    private readonly realm: RealmId,
    private readonly replica: DirectoryReplica,
    private readonly ports: RealmEventFeedPorts,
  ) {
    const { log, store, clock } = ports;
    this.#memberships = new StreamMembershipCache(store, realm);
    const source = { clock, recentEntries: () => this.#recentEntries, delivered: () => this.#waitUntilDelivered() };
    this.recentMessageIndex = new RecentMessageIndex(store, realm, this.#memberships, source, ports.recentMessages);
    this.#liveQueues = new EventQueueIndex(this.#membersOf);
    this.#transientEventQueues = new EventQueueIndex(this.#membersOf);
    this.#deliveredPosition = replica.logTail.lastEntryPosition;
    this.#sharedLivePosition = { at: this.#deliveredPosition };
    this.#recentEntries = new RecentLogEntries(ports.recentEntries, this.#deliveredPosition);
    const before: { seq: LogSeq; entry: LogEntry }[] = [];
    this.#repeatDetector = new LogRepeatDetector(log, realm, this.#deliveredPosition, clock, (seq, entry) =>
      before.push({ seq, entry }),
    );
    void this.#repeatDetector.whenLogBeforeStartIsRead.then(() => {
      this.#recentEntries.prependOnceIfGapless(before, this.#repeatDetector.readFromPosition);
      this.#isLogBeforeStartRead = true;
      this.#isDeliveryBlocked = false;
      this.#deliverPendingEntries();
    });
    replica.logTail.addListener({
      onLogEntry: (seq, entry, fresh) => {
        this.#recentEntries.addNewestEntry(seq, entry);
        this.#undeliveredEntries.push({ seq, entry, fresh });
        if (!this.#isDeliveryBlocked) this.#deliverPendingEntries();
      },
      onTransientEvent: (value) => this.#loadMembershipsForTransient(value as unknown as TransientLogItem),
      onLogGap: (trimmed) => this.#handleLogGap(trimmed),
    });
  }

  /** Called when the directory replica, whose log tail the feed reads, was closed. */
  onReplicaClosed(): void {
    this.#recentEntries.restartEmptyAfter(this.#deliveredPosition);
    this.recentMessageIndex.reset();
  }

  /** Log position up to which live queues have every event. */
  get position(): LogSeq {
    return this.#deliveredPosition;
  }

  /** True if the feed has queues, or work to do for them. */
  get isBusy(): boolean {
    const queues =
      this.#liveQueues.userCount +
      this.#transientEventQueues.userCount +
      this.#queuesToAttach.length +
      this.#catchUps.size;
    return (
      queues > 0 || this.#positionWaiters.length > 0 || this.#isDeliveryBlocked || this.#undeliveredEntries.length > 0
    );
  }

  /** Resolves when the directory replica shows everything up to this log position. */
  async waitForDirectoryAtPosition(position: LogSeq): Promise<void> {
    if (this.replica.logTail.lastEntryPosition < position) await this.replica.logTail.waitUntilCaughtUp();
  }

  /** Resolves when all entries that had arrived from the log before the call are delivered. */
  async #waitUntilDelivered(): Promise<void> {
    const { lastEntryPosition } = this.replica.logTail;
    if (this.#deliveredPosition >= lastEntryPosition && !this.#isDeliveryBlocked) return;
    await new Promise<void>((resolve) => this.#positionWaiters.push({ seq: lastEntryPosition, resolve }));
  }

  /**
   * The subscribers of these streams, and the log position up to which the lists show every change.
   *
   * @param streams called when all entries that have arrived from the log are delivered, and again after each read
   */
  async readSubscribersAtPosition(streams: () => readonly number[]): Promise<StreamSubscribersAtPosition> {
    for (;;) {
      await this.#waitUntilDelivered();
      const unread = streams().filter((stream) => !this.#memberships.membersOfLoadedStream(stream));
      if (unread.length === 0) break;
      await Promise.all(unread.map((stream) => this.#memberships.loadUnlessAtVersion(stream)));
    }
    return {
      position: this.#deliveredPosition,
      of: new Map(streams().map((stream) => [stream, this.#memberships.subscriberIdsOfLoadedStream(stream)])),
    };
  }

  /** Delivers transient events to the queue from now on. They are stored nowhere, so no catch-up brings them later. */
  addTransientListener(queue: EventFeedSubscriber): void {
    this.#transientEventQueues.addQueue(queue);
  }

  /** Delivers every event after the queue's cursor, then calls `wentLive` of the queue. */
  attach(queue: EventFeedSubscriber): void {
    this.#queuesToAttach.push(queue);
    // Queues attach after the stretch of the log before the feed's start is read: they can't go live before, and later
    // need not read those entries again.
    if (this.#queuesToAttach.length === 1)
      void this.#repeatDetector.whenLogBeforeStartIsRead.then(() => this.#attachWaitingQueues());
  }

  detach(queue: EventFeedSubscriber): void {
    this.#queuesToAttach = this.#queuesToAttach.filter((one) => one !== queue);
    for (const catchUp of this.#catchUps) catchUp.removeQueue(queue);
    this.#liveQueues.removeQueue(queue);
    this.#transientEventQueues.removeQueue(queue);
    queue.cursor.pinPosition();
  }

  /** Queues that attach in one tick read the log's past together. After a take-over these are all queues. */
  #attachWaitingQueues(): void {
    const queues = this.#queuesToAttach;
    this.#queuesToAttach = [];
    const behind: EventFeedSubscriber[] = [];
    for (const queue of queues) {
      const isLevel =
        !this.#isDeliveryBlocked &&
        this.#undeliveredEntries.length === 0 &&
        queue.cursor.position >= this.#deliveredPosition;
      if (isLevel) this.#makeQueueLive(queue);
      else behind.push(queue);
    }
    if (behind.length === 0) return;
    const source: LogCatchUpSource = (after, reader) => {
      const replay = this.#recentEntries.subscribeIfStillInMemory(after, reader);
      const subscription = replay ?? this.ports.log.subscribe(this.realm, after, reader);
      return { replays: replay !== undefined, subscription };
    };
    this.#catchUps.add(new EventQueueLogCatchUp(source, behind, this.#makeCatchUpFeed(), this.ports.clock));
  }

  #makeCatchUpFeed(): CatchUpRealmFeed {
    const repeats = this.#repeatDetector;
    return {
      startFor: (position) =>
        repeats.recognizesAllRepeatsAfter(position) ? position : toSeq(Math.max(0, position - MAX_LOG_REPEAT_DISTANCE)),
      deliver: (work, queues) => {
        const { seq, entry } = work;
        const deliver = (): Promise<void> | undefined =>
          this.#loadMembershipsAndDispatchEntry(
            { seq, entry, fresh: repeats.dropRepeatedGroups(work) },
            new Set(queues),
          );
        const reached = this.#waitUntilLiveFeedReached(seq);
        return reached ? reached.then(deliver) : deliver();
      },
      takeOver: (catchUp) => {
        if (this.#isDeliveryBlocked || catchUp.deliveredPosition < this.#deliveredPosition) return false;
        this.#catchUps.delete(catchUp);
        for (const queue of catchUp.catchingUpQueues) this.#makeQueueLive(queue);
        return true;
      },
    };
  }

  /**
   * Resolves when the live feed has reached this entry; undefined: the feed has reached it already. A catch-up waits
   * for this, because only the live feed knows whether the entry repeats an earlier one that the catch-up has not read.
   */
  #waitUntilLiveFeedReached(seq: LogSeq): Promise<unknown> | undefined {
    if (this.#isLogBeforeStartRead && seq <= this.#deliveredPosition) return undefined;
    const reached = new Promise<void>((resolve) => this.#positionWaiters.push({ seq, resolve }));
    this.#resolveReachedPositionWaiters();
    return Promise.all([this.#repeatDetector.whenLogBeforeStartIsRead, reached]);
  }

  #resolveReachedPositionWaiters(): void {
    if (this.#positionWaiters.length === 0) return;
    const ready = this.#positionWaiters.filter(({ seq }) => seq <= this.#deliveredPosition);
    this.#positionWaiters = this.#positionWaiters.filter(({ seq }) => seq > this.#deliveredPosition);
    for (const { resolve } of ready) resolve();
  }

  #makeQueueLive(queue: EventFeedSubscriber): void {
    this.#liveQueues.addQueue(queue);
    this.#transientEventQueues.addQueue(queue);
    queue.cursor.followFeed(this.#sharedLivePosition);
    queue.wentLive();
  }

  /** Delivers one entry after the other: synchronously, unless a membership has to be read. */
  #deliverPendingEntries(): void {
    for (let next = this.#undeliveredEntries.shift(); next; next = this.#undeliveredEntries.shift()) {
      const { seq, entry } = next;
      const work: LogEntryToDeliver = { seq, entry, fresh: this.#repeatDetector.dropRepeatedGroups(next) };
      this.#repeatDetector.rememberRepeats(work);
      if (entry.head && this.#isEntryUnneeded(entry.head)) {
        this.#deliveredPosition = seq;
        this.#sharedLivePosition.at = seq;
        continue;
      }
      const delivery = this.#loadMembershipsAndDispatchEntry(work, undefined);
      if (delivery) {
        this.#continueAfterDelivery(delivery, work);
        return;
      }
      this.#advancePastEntry(work);
    }
    this.#resolveReachedPositionWaiters();
    if (this.#catchUps.size > 0) for (const catchUp of this.#catchUps) catchUp.handOverQueuesIfLevel();
  }

  /** True if an entry changes nothing here: no live queue can be in its audience, and nothing follows its items. */
  #isEntryUnneeded(head: LogEntryHead): boolean {
    const { flags, streams } = head;
    if ((flags & LOG_ENTRY_HEAD_FLAGS.deliveryState) !== 0) return false;
    if ((flags & LOG_ENTRY_HEAD_FLAGS.messages) !== 0 && this.recentMessageIndex.followsLog) return false;
    if (this.#liveQueues.userCount === 0) return true;
    return this.#haveMembershipsReached(streams) && !this.#liveQueues.mayAudienceHaveQueues(head);
  }

  /** True if these streams are loaded. @param streams each stream followed by the membership version that is needed */
  #haveMembershipsReached(streams: readonly number[]): boolean {
    for (let i = 0; i < streams.length; i += 2)
      if (!this.#memberships.hasReachedMembershipVersion(streams[i]!, streams[i + 1]!)) return false;
    return true;
  }

  #continueAfterDelivery(delivery: Promise<void>, work: LogEntryToDeliver): void {
    this.#isDeliveryBlocked = true;
    const generation = this.#gapGeneration;
    delivery.then(
      () => {
        if (generation !== this.#gapGeneration) return;
        this.#isDeliveryBlocked = false;
        this.#advancePastEntry(work);
        this.#resolveReachedPositionWaiters();
        this.#deliverPendingEntries();
      },
      () => {
        if (generation === this.#gapGeneration) this.#restartAfterGap();
      },
    );
  }

  #advancePastEntry({ seq, entry, fresh }: LogEntryToDeliver): void {
    this.#deliveredPosition = seq;
    for (const { items } of fresh ?? entry.groups) for (const item of items) this.recentMessageIndex.applyLogItem(item);
  }

  /**
   * Delivers the events of an entry; returns a promise only if memberships must be read first.
   * @param only the queues of a catch-up; undefined = all live ones
   */
  #loadMembershipsAndDispatchEntry(
    work: LogEntryToDeliver,
    only: ReadonlySet<EventFeedSubscriber> | undefined,
  ): Promise<void> | undefined {
    const streams = new Map<number, number>();
    for (const group of work.fresh ?? work.entry.groups) {
      for (const item of group.items) {
        if (item.t === 'members') this.#memberships.applyLogChange(item);
        else if (isClientEventLogItem(item) && (only || this.#liveQueues.userCount > 0)) {
          for (const [stream, mv] of membershipVersionsNeededForAudience(item.to))
            streams.set(stream, Math.max(streams.get(stream) ?? 0, mv));
        }
      }
    }
    const loads = [...streams].map((of) => this.#memberships.loadUnlessAtVersion(...of)).filter((p) => p !== undefined);
    if (loads.length > 0) return Promise.all(loads).then(() => this.#dispatchEntry(work, only));
    this.#dispatchEntry(work, only);
    return undefined;
  }

  #dispatchEntry({ seq, entry, fresh }: LogEntryToDeliver, only: ReadonlySet<EventFeedSubscriber> | undefined): void {
    let slot = 0;
    for (const group of entry.groups) {
      for (const item of group.items) {
        slot++;
        if (fresh?.includes(group) === false || !isClientEventLogItem(item)) continue;
        this.#offerEventToQueues(
          new SharedClientEvent(makeEventId(seq, slot), item),
          item,
          seq,
          entry.actor,
          group.v,
          only,
        );
      }
    }
    for (const { cursor } of only ?? []) cursor.advanceTo(seq);
    // An entry without items moves the position, too: a queue appends one when the event ids at its position run out.
    if (only === undefined) this.#sharedLivePosition.at = seq;
  }

  #offerEventToQueues(
    event: SharedClientEvent,
    { to }: MessageLogItem | EventLogItem,
    seq: LogSeq,
    actor: string,
    version: number,
    only: ReadonlySet<EventFeedSubscriber> | undefined,
  ): void {
    const { directoryView } = this.replica;
    const { isDeliveredDespiteSnapshot, withoutMentionOfAll } = event;
    // A queue with all_public_streams also gets messages that its user has no copy of.
    const lacksOwnCopy = ({ user, allPublic }: EventFeedSubscriber): boolean =>
      allPublic && !isInEventAudience(to, { user, allPublic: false }, directoryView, this.#membersOf);
    const offer = (queue: EventFeedSubscriber): void => {
      const { cursor } = queue;
      if (cursor.position >= seq || (!isDeliveredDespiteSnapshot && cursor.isCommitInSnapshot(actor, version))) return;
      if (!isInEventAudience(to, queue, directoryView, this.#membersOf)) return;
      queue.push(withoutMentionOfAll !== event && lacksOwnCopy(queue) ? withoutMentionOfAll : event);
    };
    if (only) {
      for (const queue of only) offer(queue);
      return;
    }
    this.#liveQueues.forEachCandidate(to, offer);
  }

  #loadMembershipsForTransient(item: TransientLogItem): void {
    if (this.#transientEventQueues.userCount === 0) return;
    const { head } = item;
    if (head && this.#haveMembershipsReached(head.streams) && !this.#transientEventQueues.mayAudienceHaveQueues(head))
      return;
    const loads = [...membershipVersionsNeededForAudience(item.to).keys()]
      .map((stream) => this.#memberships.loadUnlessAtVersion(stream))
      .filter((loading) => loading !== undefined);
    if (loads.length === 0) this.#deliverTransientIfAudienceKnown(item);
    else
      Promise.all(loads)
        .then(() => this.#deliverTransientIfAudienceKnown(item))
        .catch(() => undefined);
  }

  /** Drops the event if this host doesn't know yet who was in its audience. */
  #deliverTransientIfAudienceKnown(item: EventLogItem): void {
    const { to } = item;
    const { directoryView } = this.replica;
    if (to.rv !== undefined && directoryView.version < to.rv) return;
    if (
      [...membershipVersionsNeededForAudience(to)].some(
        ([stream, mv]) => !this.#memberships.hasReachedMembershipVersion(stream, mv),
      )
    )
      return;
    const event = new TransientClientEvent(item);
    this.#transientEventQueues.forEachCandidate(to, (queue) => {
      if (isInEventAudience(to, queue, directoryView, this.#membersOf)) queue.pushTransient(event);
    });
  }

  #handleLogGap(trimmed: LogSeq): void {
    this.#recentEntries.restartEmptyAfter(trimmed);
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
    this.recentMessageIndex.reset();
    this.#undeliveredEntries = [];
    this.#isDeliveryBlocked = !this.#isLogBeforeStartRead;
    const queues = [...this.#liveQueues];
    this.#liveQueues.removeAllQueues();
    // The position is copied into a new object, so that cursors that follow the old object stay where they are.
    this.#sharedLivePosition = { at: this.#sharedLivePosition.at };
    for (const queue of queues) this.attach(queue);
    this.#deliveredPosition = this.replica.logTail.lastEntryPosition;
    this.#repeatDetector.markMissedUpTo(this.#deliveredPosition);
    this.#resolveReachedPositionWaiters();
  }
}
