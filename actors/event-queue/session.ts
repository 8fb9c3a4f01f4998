/**
 * An event queue while it is in use: it follows the realm's feed, holds the events that wait for its client, and the
 * poll that waits for them. The queue's machine says what becomes of the poll.
 */
import { addJitter, sharedTimerWheel, type TimerWheelEntry } from '#base/clock';
import {
  type EventFeedSubscriber,
  EventQueueCursor,
  type RealmEventFeed,
  type SharedClientEvent,
  type TransientClientEvent,
} from '#delivery';
import {
  type ActivationStopReason,
  highestPossibleClientEventId,
  lastEventIdOfLogPosition,
  logPositionOfEventId,
  toLogSeq,
} from '#model';
import { type EventQueueEndReason, eventQueueActorCommands } from '#model/commands';
import { type ApiError, apiError } from '#model/errors';
import type { ActorActivationHandle, ActorCommandReply, DeferredRequest, StateMachineStep } from '#runtime';
import type { ActorInputSources } from '../services.js';
import { PollAckValidator } from './ack-validator.js';
import { clientEventFormatOf, EventQueueBuffer, MAX_BUFFERED_EVENTS_PER_QUEUE, makeHeartbeatEvent } from './buffer.js';
import { EventQueueCheckpointTimer } from './checkpoint.js';
import type { PollLockOutReason } from './filter.js';
import { EventQueueInbox } from './inbox.js';
import type { EventQueueMachineEvent } from './machine.js';
import { type EventQueueActorState, eventQueueIdOfActorKey } from './state.js';
import { UnloggedEventIdAllocator } from './transient-ids.js';
import type { EventQueueMemoryState } from './volatile.js';

export interface EventQueuePollArgs {
  readonly last_event_id: number | null;
  readonly dont_block: boolean;
  /** Number of heartbeats that the frontend may send by itself. Their ids follow `last_event_id`. */
  readonly beats: number;
}

const FEED_ATTACH_RETRY_PAUSE_MS = 1_000;

/** Reply that makes the frontend send the command again, as the queue may be on another host by then. */
export const EVENT_QUEUE_MOVED_REPLY = { retry: 'moved' } as const;

export class ActiveEventQueue implements EventFeedSubscriber, TimerWheelEntry {
  /** Bucket of the timer wheel that holds the heartbeat's timer. */
  timerWheelBucket: Set<TimerWheelEntry> | undefined;
  readonly user: number;
  readonly allPublic: boolean;
  readonly cursor: EventQueueCursor;
  readonly #stateAtOpening: EventQueueActorState;
  readonly #buffer: EventQueueBuffer;
  readonly #unloggedEventIdAllocator: UnloggedEventIdAllocator;
  readonly #inbox: EventQueueInbox;
  readonly #checkpointTimer: EventQueueCheckpointTimer;
  /**
   * Checks ids that polls acknowledge. Only a queue reloaded from the Store has this: we don't know which ids above
   * `acked` its client has received.
   */
  readonly #ackValidator: PollAckValidator | undefined;
  #feed: RealmEventFeed | undefined;
  /** Polls that arrived before the session had caught up with the log. */
  #pollsBeforeCatchUp: { readonly args: EventQueuePollArgs; readonly request: DeferredRequest }[] | undefined;
  #hasCaughtUpWithLog = false;
  #isStopped = false;
  /** The account was deactivated; the queue is ending and receives nothing more. */
  #isAccountDeactivated = false;
  /** The poll that waits for an event; undefined while none waits. */
  #waitingPoll: DeferredRequest | undefined;
  /**
   * False if the poll asked for no wait (`dont_block`): it waits only while an event of the buffer is being resolved.
   */
  #pollMayWaitForNewEvents = true;
  #isAnswerScheduled = false;

  /** Makes the session of a queue. @param isReloaded true if the queue was in the Store before this activation */
  constructor(
    private readonly handle: ActorActivationHandle<EventQueueActorState, EventQueueMemoryState>,
    private readonly sources: ActorInputSources,
    isReloaded: boolean,
  ) {
    const { key, realm, volatile } = handle;
    const { services, log } = sources;
    const state = handle.state();
    this.#stateAtOpening = state;
    this.user = state.user;
    this.allPublic = state.options.allPublicStreams;
    this.cursor = new EventQueueCursor(toLogSeq(Math.max(state.start, state.position)), state.covers);
    this.#buffer = new EventQueueBuffer(state.user, eventQueueIdOfActorKey(key), clientEventFormatOf(state.options));
    this.#unloggedEventIdAllocator = new UnloggedEventIdAllocator(log, realm, key);
    this.#unloggedEventIdAllocator.newestGivenId = Math.max(lastEventIdOfLogPosition(state.start), state.acked);
    this.#inbox = new EventQueueInbox(realm, state, this.#buffer, this.#unloggedEventIdAllocator, services, this);
    this.#checkpointTimer = new EventQueueCheckpointTimer(handle, services, this.cursor, this.#buffer);
    if (isReloaded) this.#ackValidator = new PollAckValidator(log, realm);
    volatile.stepMachine('OPEN');
    void this.#attachToFeedWithRetries();
  }

  get hasWaitingPoll(): boolean {
    return this.#waitingPoll !== undefined || this.#pollsBeforeCatchUp !== undefined;
  }

  /**
   * True while no poll waits: the session may then leave memory, as the waiting events can be read from the log again.
   */
  get canLeaveMemory(): boolean {
    return (
      !this.hasWaitingPoll &&
      !this.#ackValidator?.hasPollsAwaitingLogEnd &&
      !this.#checkpointTimer.hasClientActivitySinceCheckpoint
    );
  }

  admitOrHoldPoll(args: EventQueuePollArgs, request: DeferredRequest): void {
    if (this.#hasCaughtUpWithLog) this.#admitOrRefusePoll(args, request, false);
    else {
      this.#pollsBeforeCatchUp ??= [];
      this.#pollsBeforeCatchUp.push({ args, request });
    }
  }

  push(event: SharedClientEvent): void {
    // A reloaded queue reads log entries again, so it skips the events that its client has acknowledged.
    if (event.id <= this.handle.volatile.ackedEventId || this.#isAccountDeactivated) return;
    const verdict = this.#inbox.judgeAndBufferEvent(event);
    if (verdict.kind === 'skip') return;
    if (verdict.kind === 'lock-out') this.#endPollOfLockedOutUser(verdict.reason);
    else if (this.#buffer.waitingSlotCount > MAX_BUFFERED_EVENTS_PER_QUEUE) this.#sendEndCommand('overflow');
    else this.#scheduleWaitingPollAnswer();
  }

  pushTransient(event: TransientClientEvent): void {
    if (this.#inbox.bufferTransientEventIfWanted(event, this.cursor.position)) this.#scheduleWaitingPollAnswer();
  }

  wentLive(): void {
    this.#hasCaughtUpWithLog = true;
    const early = this.#pollsBeforeCatchUp ?? [];
    this.#pollsBeforeCatchUp = undefined;
    for (const { args, request } of early) this.#admitOrRefusePoll(args, request, false);
  }

  trimmed(): void {
    this.#sendEndCommand('trimmed');
  }

  /**
   * Called when the events that held back later ones are resolved. A poll with `dont_block` is answered even if no
   * event waits.
   */
  resolved(): void {
    if (this.#buffer.waitingSlotCount > 0 || !this.#pollMayWaitForNewEvents) this.#scheduleWaitingPollAnswer();
  }

  /** Called when the heartbeat of the waiting poll is due. */
  expire(): void {
    this.#carryOutMachineStep(this.handle.volatile.stepAfterHeartbeatTimeout());
  }

  /** Called before the session leaves memory on purpose: writes the last checkpoint. */
  async writeLastCheckpointIfNeeded(): Promise<void> {
    await this.#checkpointTimer.writeLastCheckpointIfNeeded();
  }

  /** Ends the session. @param refusal reply for polls of a queue that has ended */
  stop(reason: ActivationStopReason, refusal: ActorCommandReply): void {
    this.#isStopped = true;
    this.#checkpointTimer.stop();
    this.#inbox.stopResolving();
    this.#feed?.detach(this);
    const waiting = this.#takeWaitingPoll();
    sharedTimerWheel(this.sources.services.clock).remove(this);
    if (reason !== 'ended') this.handle.volatile.stepMachine('REST');
    // The poll of a deleted queue gets the waiting events. After any other stop the frontend repeats the poll, so that
    // the client notices nothing.
    if (waiting && reason === 'ended') waiting.reply({ ok: this.#buffer.encodePollAnswerFields() });
    else waiting?.reply(EVENT_QUEUE_MOVED_REPLY);
    const early = (this.#pollsBeforeCatchUp ?? []).map(({ request }) => request);
    this.#pollsBeforeCatchUp = undefined;
    for (const request of [...early, ...(this.#ackValidator?.takePollsAwaitingLogEnd() ?? [])]) request.reply(refusal);
  }

  /** Joins the realm's feed at the queue's position in the log. */
  async #attachToFeedWithRetries(): Promise<void> {
    const { services, log } = this.sources;
    const { realm } = this.handle;
    try {
      const [feed, { incarnation, end }] = await Promise.all([
        services.feeds.of(realm).then((found) => {
          // A new queue gets transient events from now on; a reloaded one doesn't know yet what its client received.
          if (!this.#ackValidator && !this.#isStopped) found.addTransientListener(this);
          this.#feed = found;
          return found;
        }),
        log.readBounds(realm),
      ]);
      if (this.#isStopped) return;
      if (incarnation !== this.#stateAtOpening.incarnation) return this.#sendEndCommand('incarnation');
      if (this.#ackValidator) this.#skipEventsAckedByEarlyPolls(end);
      feed.attach(this);
    } catch {
      // The directory or the log is unavailable, so the session tries again later. Polls wait until then, or until
      // their frontends time them out.
      services.clock.setTimeout(() => {
        if (!this.#isStopped) void this.#attachToFeedWithRetries();
      }, FEED_ATTACH_RETRY_PAUSE_MS);
    }
  }

  /**
   * Moves the queue's log position to the events that the early polls acknowledge. Reading begins there instead of at
   * the older position of the last checkpoint.
   */
  #skipEventsAckedByEarlyPolls(logEnd: number): void {
    const { volatile } = this.handle;
    for (const { args } of this.#pollsBeforeCatchUp ?? []) {
      const last = args.last_event_id ?? -1;
      // Ids above the log's end were never given out: `#admitOrRefusePoll` refuses them.
      if (
        last <= Math.max(volatile.ackedEventId, lastEventIdOfLogPosition(this.#stateAtOpening.start)) ||
        logPositionOfEventId(last) > logEnd
      )
        continue;
      volatile.setAckedEventId(last);
      this.#unloggedEventIdAllocator.newestGivenId = Math.max(this.#unloggedEventIdAllocator.newestGivenId, last);
      // Later events of the same log entry may still be missing, so that entry is read again.
      this.cursor.advanceTo(toLogSeq(logPositionOfEventId(last) - 1));
    }
  }

  /**
   * Answers a poll, or lets it wait, unless the queue cannot have given out the acknowledged event.
   *
   * @param logAsked true if the log's end was already asked for, to judge the acknowledged id
   */
  #admitOrRefusePoll(args: EventQueuePollArgs, request: DeferredRequest, logAsked: boolean): void {
    const last = args.last_event_id;
    const refusal = last === null ? undefined : this.#findAckError(last);
    if (refusal) {
      if (this.#ackValidator && !logAsked && this.#isEventIdNeverGivenOut(last!))
        void this.#askForLogEndAndAdmit(args, request, this.#ackValidator);
      else request.reply({ error: refusal.toReply() });
      return;
    }
    const { volatile } = this.handle;
    if (last !== null && last > volatile.ackedEventId && last > lastEventIdOfLogPosition(this.#stateAtOpening.start)) {
      volatile.setAckedEventId(last);
      this.#unloggedEventIdAllocator.newestGivenId = Math.max(this.#unloggedEventIdAllocator.newestGivenId, last);
      this.#buffer.dropAcknowledgedUpTo(last);
    }
    this.#answerPollOrLetWait(args, request);
  }

  async #askForLogEndAndAdmit(
    args: EventQueuePollArgs,
    request: DeferredRequest,
    acks: PollAckValidator,
  ): Promise<void> {
    const outcome = await acks.refreshLogEndForPoll(request);
    if (outcome === 'asked') this.#admitOrRefusePoll(args, request, true);
    else if (outcome === 'unavailable') request.reply(EVENT_QUEUE_MOVED_REPLY);
  }

  #findAckError(last: number): ApiError | undefined {
    if (last < this.handle.volatile.ackedEventId) return apiError('EVENT_PRUNED', { last_event_id: last });
    return this.#isEventIdNeverGivenOut(last) ? apiError('EVENT_NOT_IN_QUEUE', { last_event_id: last }) : undefined;
  }

  /** True if this queue cannot have given out the event id. */
  #isEventIdNeverGivenOut(last: number): boolean {
    const { newestGivenId } = this.#unloggedEventIdAllocator;
    if (!this.#ackValidator) return last > highestPossibleClientEventId(newestGivenId);
    return this.#ackValidator.isEventIdNeverGivenOut(
      last,
      newestGivenId,
      Math.max(this.cursor.position, this.#feed?.position ?? 0),
    );
  }

  /** Answers the poll if there is something to send, else lets it wait. */
  #answerPollOrLetWait({ last_event_id: last, beats, dont_block }: EventQueuePollArgs, request: DeferredRequest): void {
    // A frontend that lost track of the waiting request repeats it: the repeat replaces the request. Any other poll
    // ends the waiting one.
    if (this.#waitingPoll && this.#waitingPoll.id !== request.id) this.#answerWaitingPoll();
    const buffer = this.#buffer;
    if (!buffer.isBlockedByResolving && (buffer.waitingSlotCount > 0 || dont_block)) {
      request.reply({ ok: buffer.encodePollAnswerFields() });
      this.#stepMachineAndCarryOut('TOUCH');
      return;
    }
    this.#waitingPoll = request;
    this.#pollMayWaitForNewEvents = !dont_block;
    request.onCancel(() => this.#releaseCanceledPoll(request));
    if (beats > 0 && last !== null) {
      this.#unloggedEventIdAllocator.reserveIdsForFrontendUpTo(last + beats);
      this.#stepMachineAndCarryOut('PARK');
    } else this.#stepMachineAndCarryOut('POLL');
  }

  /** Answers the waiting poll after the present log entry, so that all events of one entry come in one answer. */
  #scheduleWaitingPollAnswer(): void {
    if (!this.#waitingPoll || this.#isAnswerScheduled) return;
    this.#isAnswerScheduled = true;
    queueMicrotask(() => {
      this.#isAnswerScheduled = false;
      if (this.#waitingPoll && !this.#buffer.isBlockedByResolving) this.#answerWaitingPoll();
    });
  }

  #answerWaitingPoll(): void {
    const request = this.#takeWaitingPoll()!;
    this.#stepMachineAndCarryOut('ANSWER');
    request.reply({ ok: this.#buffer.encodePollAnswerFields() });
  }

  #answerWaitingPollWithHeartbeat(): void {
    const request = this.#takeWaitingPoll();
    if (!request) return;
    const id = this.#unloggedEventIdAllocator.tryAllocateHeartbeatId(this.cursor.position);
    // Without a free id the answer has no event, as when a frontend shuts down, and the client polls again.
    if (id !== undefined) this.#buffer.push(makeHeartbeatEvent(id));
    request.reply({ ok: this.#buffer.encodePollAnswerFields() });
  }

  /** Ends the waiting poll with the error with which the user's next request would be refused. */
  #endPollOfLockedOutUser(reason: PollLockOutReason): void {
    const request = this.#takeWaitingPoll();
    if (request) {
      this.#stepMachineAndCarryOut('ANSWER');
      request.reply({ error: apiError(reason).toReply() });
    }
    if (reason !== 'ACCOUNT_DEACTIVATED') return;
    // The queue misses all later events. If the account became active again, the queue could not make up for them.
    this.#isAccountDeactivated = true;
    this.#sendEndCommand('deactivated');
  }

  #releaseCanceledPoll(request: DeferredRequest): void {
    if (this.#waitingPoll !== request) return;
    this.#waitingPoll = undefined;
    this.#stepMachineAndCarryOut('RELEASE');
  }

  #takeWaitingPoll(): DeferredRequest | undefined {
    const request = this.#waitingPoll;
    this.#waitingPoll = undefined;
    return request;
  }

  #stepMachineAndCarryOut(type: EventQueueMachineEvent['type']): void {
    this.#carryOutMachineStep(this.handle.volatile.stepMachine(type));
  }

  /** Carries out a step of the machine. Every such step is a sign of life of the client. */
  #carryOutMachineStep({ actions, stopsTimer, delayToStart }: StateMachineStep): void {
    const { clock, random, heartbeatMs } = this.sources.services;
    if (stopsTimer) sharedTimerWheel(clock).remove(this);
    if (delayToStart === 'heartbeat') sharedTimerWheel(clock).addAfter(this, addJitter(heartbeatMs, random));
    this.handle.volatile.recordClientActivity(clock.now());
    this.#checkpointTimer.startTimerIfNeeded();
    for (const action of actions) if (action === 'heartbeat') this.#answerWaitingPollWithHeartbeat();
  }

  #sendEndCommand(reason: EventQueueEndReason): void {
    void this.handle.sendSelf(eventQueueActorCommands.end, { reason }).catch(() => undefined);
  }
}
