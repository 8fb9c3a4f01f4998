/**
 * An event queue while it is in use: it follows the realm's feed, holds the events that wait for its client, and the
 * poll that waits for them. The queue's machine says what becomes of the poll.
 */
import { addJitter, sharedTimerWheel, type TimerEntry } from '#base/clock';
import { type EventSubscriber, QueueCursor, type RealmFeed, type SharedEvent, type TransientEvent } from '#delivery';
import { highestPossibleClientId, lastIdOfPosition, logPositionOfEventId, type StopReason, seq } from '#model';
import { type QueueEndReason, queueCommands } from '#model/commands';
import { type ApiError, apiError } from '#model/errors';
import type { ActivationHandle, ActorCommandReply, DeferredRequest, MachineStep } from '#runtime';
import type { InputSources } from '../services.js';
import { AckValidator } from './ack-validator.js';
import { EventBuffer, eventShapeFor, heartbeatEvent, MAX_BUFFERED_EVENTS } from './buffer.js';
import { CheckpointTimer } from './checkpoint.js';
import type { LockOutReason } from './filter.js';
import { QueueInbox } from './inbox.js';
import type { QueueMachineEvent } from './machine.js';
import { type QueueState, queueIdOf } from './state.js';
import { TransientEventIds } from './transient-ids.js';
import type { QueueVolatile } from './volatile.js';

export interface QueuePollArgs {
  readonly last_event_id: number | null;
  readonly dont_block: boolean;
  /** Number of heartbeats that the frontend may send by itself. Their ids follow `last_event_id`. */
  readonly beats: number;
}

const RETRY_MS = 1_000;

/** Reply that makes the frontend send the command again, as the queue may be on another host by then. */
export const MOVED_REPLY = { retry: 'moved' } as const;

export class QueueSession implements EventSubscriber, TimerEntry {
  /** Bucket of the timer wheel that holds the heartbeat's timer. */
  bucket: Set<TimerEntry> | undefined;
  readonly user: number;
  readonly allPublic: boolean;
  readonly cursor: QueueCursor;
  readonly #state: QueueState;
  readonly #buffer: EventBuffer;
  readonly #ids: TransientEventIds;
  readonly #inbox: QueueInbox;
  readonly #checkpoint: CheckpointTimer;
  /**
   * Checks ids that polls acknowledge. Only a queue reloaded from the Store has this: we don't know which ids above
   * `acked` its client has received.
   */
  readonly #acks: AckValidator | undefined;
  #feed: RealmFeed | undefined;
  /** Polls that arrived before the session had caught up with the log. */
  #early: { readonly args: QueuePollArgs; readonly request: DeferredRequest }[] | undefined;
  #isLive = false;
  #isStopped = false;
  /** The account was deactivated; the queue is ending and receives nothing more. */
  #isDeactivated = false;
  /** The poll that waits for an event; undefined while none waits. */
  #request: DeferredRequest | undefined;
  /** If false, the waiting poll waits only until blocked events are resolved (`dont_block`). */
  #blocks = true;
  #isAnswerScheduled = false;

  /** Makes the session of a queue. @param isReloaded true if the queue was in the Store before this activation */
  constructor(
    private readonly handle: ActivationHandle<QueueState, QueueVolatile>,
    private readonly sources: InputSources,
    isReloaded: boolean,
  ) {
    const { key, realm, volatile } = handle;
    const { services, log } = sources;
    const state = handle.state();
    this.#state = state;
    this.user = state.user;
    this.allPublic = state.options.allPublicStreams;
    this.cursor = new QueueCursor(seq(Math.max(state.start, state.position)), state.covers);
    this.#buffer = new EventBuffer(state.user, queueIdOf(key), eventShapeFor(state.options));
    this.#ids = new TransientEventIds(log, realm, key);
    this.#ids.newest = Math.max(lastIdOfPosition(state.start), state.acked);
    this.#inbox = new QueueInbox(realm, state, this.#buffer, this.#ids, services, this);
    this.#checkpoint = new CheckpointTimer(handle, services, this.cursor, this.#buffer);
    if (isReloaded) this.#acks = new AckValidator(log, realm);
    volatile.step('OPEN');
    void this.#attach();
  }

  get isWaiting(): boolean {
    return this.#request !== undefined || this.#early !== undefined;
  }

  /**
   * True while no poll waits: the session may then leave memory, as the waiting events can be read from the log again.
   */
  get isIdle(): boolean {
    return !this.isWaiting && !this.#acks?.isAsking && !this.#checkpoint.isDirty;
  }

  poll(args: QueuePollArgs, request: DeferredRequest): void {
    if (this.#isLive) this.#admit(args, request, false);
    else {
      this.#early ??= [];
      this.#early.push({ args, request });
    }
  }

  push(event: SharedEvent): void {
    // A reloaded queue reads log entries again, so it skips the events that its client has acknowledged.
    if (event.id <= this.handle.volatile.acked || this.#isDeactivated) return;
    const verdict = this.#inbox.take(event);
    if (verdict.kind === 'skip') return;
    if (verdict.kind === 'lock-out') this.#lockOut(verdict.reason);
    else if (this.#buffer.size > MAX_BUFFERED_EVENTS) this.#end('overflow');
    else this.#answerSoon();
  }

  pushTransient(event: TransientEvent): void {
    if (this.#inbox.takeTransient(event, this.cursor.position)) this.#answerSoon();
  }

  wentLive(): void {
    this.#isLive = true;
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const { args, request } of early) this.#admit(args, request, false);
  }

  trimmed(): void {
    this.#end('trimmed');
  }

  /**
   * Called when the events that held back later ones are resolved. A poll with `dont_block` is answered even if no
   * event waits.
   */
  resolved(): void {
    if (this.#buffer.size > 0 || !this.#blocks) this.#answerSoon();
  }

  /** Called when the heartbeat of the waiting poll is due. */
  expire(): void {
    this.#carryOut(this.handle.volatile.heartbeatElapsed());
  }

  /** Called before the session leaves memory on purpose: writes the last checkpoint. */
  async draining(): Promise<void> {
    await this.#checkpoint.writeLast();
  }

  /** Ends the session. @param refusal reply for polls of a queue that has ended */
  stop(reason: StopReason, refusal: ActorCommandReply): void {
    this.#isStopped = true;
    this.#checkpoint.stop();
    this.#inbox.close();
    this.#feed?.detach(this);
    const waiting = this.#takeRequest();
    sharedTimerWheel(this.sources.services.clock).remove(this);
    if (reason !== 'ended') this.handle.volatile.step('REST');
    // The poll of a deleted queue gets the waiting events. After any other stop the frontend repeats the poll, so that
    // the client notices nothing.
    if (waiting && reason === 'ended') waiting.reply({ ok: this.#buffer.answer() });
    else waiting?.reply(MOVED_REPLY);
    const early = (this.#early ?? []).map(({ request }) => request);
    this.#early = undefined;
    for (const request of [...early, ...(this.#acks?.stop() ?? [])]) request.reply(refusal);
  }

  /** Joins the realm's feed at the queue's position in the log. */
  async #attach(): Promise<void> {
    const { services, log } = this.sources;
    const { realm } = this.handle;
    try {
      const [feed, { incarnation, end }] = await Promise.all([
        services.feeds.of(realm).then((found) => {
          // A new queue gets transient events from now on; a reloaded one doesn't know yet what its client received.
          if (!this.#acks && !this.#isStopped) found.listen(this);
          this.#feed = found;
          return found;
        }),
        log.position(realm),
      ]);
      if (this.#isStopped) return;
      if (incarnation !== this.#state.incarnation) return this.#end('incarnation');
      if (this.#acks) this.#skipAcknowledged(end);
      feed.attach(this);
    } catch {
      // The directory or the log is unavailable, so the session tries again later. Polls wait until then, or until
      // their frontends time them out.
      services.clock.setTimeout(() => {
        if (!this.#isStopped) void this.#attach();
      }, RETRY_MS);
    }
  }

  /**
   * Moves the queue's log position to the events that the early polls acknowledge. Reading begins there instead of at
   * the older position of the last checkpoint.
   */
  #skipAcknowledged(logEnd: number): void {
    const { volatile } = this.handle;
    for (const { args } of this.#early ?? []) {
      const last = args.last_event_id ?? -1;
      // Ids above the log's end were never given out: `#admit` refuses them.
      if (last <= Math.max(volatile.acked, lastIdOfPosition(this.#state.start)) || logPositionOfEventId(last) > logEnd)
        continue;
      volatile.acknowledge(last);
      this.#ids.newest = Math.max(this.#ids.newest, last);
      // Later events of the same log entry may still be missing, so that entry is read again.
      this.cursor.advance(seq(logPositionOfEventId(last) - 1));
    }
  }

  /**
   * Answers a poll, or lets it wait, unless the queue cannot have given out the acknowledged event.
   *
   * @param logAsked true if the log's end was already asked for, to judge the acknowledged id
   */
  #admit(args: QueuePollArgs, request: DeferredRequest, logAsked: boolean): void {
    const last = args.last_event_id;
    const refusal = last === null ? undefined : this.#refusal(last);
    if (refusal) {
      if (this.#acks && !logAsked && this.#isTooNew(last!)) void this.#askLog(args, request, this.#acks);
      else request.reply({ error: refusal.toReply() });
      return;
    }
    const { volatile } = this.handle;
    if (last !== null && last > volatile.acked && last > lastIdOfPosition(this.#state.start)) {
      volatile.acknowledge(last);
      this.#ids.newest = Math.max(this.#ids.newest, last);
      this.#buffer.acknowledge(last);
    }
    this.#serve(args, request);
  }

  async #askLog(args: QueuePollArgs, request: DeferredRequest, acks: AckValidator): Promise<void> {
    const outcome = await acks.askLog(request);
    if (outcome === 'asked') this.#admit(args, request, true);
    else if (outcome === 'unavailable') request.reply(MOVED_REPLY);
  }

  #refusal(last: number): ApiError | undefined {
    if (last < this.handle.volatile.acked) return apiError('EVENT_PRUNED', { last_event_id: last });
    return this.#isTooNew(last) ? apiError('EVENT_NOT_IN_QUEUE', { last_event_id: last }) : undefined;
  }

  /** True if this queue cannot have given out the event id. */
  #isTooNew(last: number): boolean {
    const { newest } = this.#ids;
    if (!this.#acks) return last > highestPossibleClientId(newest);
    return this.#acks.isTooNew(last, newest, Math.max(this.cursor.position, this.#feed?.position ?? 0));
  }

  /** Answers the poll if there is something to send, else lets it wait. */
  #serve({ last_event_id: last, beats, dont_block }: QueuePollArgs, request: DeferredRequest): void {
    // A frontend that lost track of the waiting request repeats it: the repeat replaces the request. Any other poll
    // ends the waiting one.
    if (this.#request && this.#request.id !== request.id) this.#answer();
    const buffer = this.#buffer;
    if (!buffer.isBlocked && (buffer.size > 0 || dont_block)) {
      request.reply({ ok: buffer.answer() });
      this.#send('TOUCH');
      return;
    }
    this.#request = request;
    this.#blocks = !dont_block;
    request.onCancel(() => this.#release(request));
    if (beats > 0 && last !== null) {
      this.#ids.reserve(last + beats);
      this.#send('PARK');
    } else this.#send('POLL');
  }

  /** Answers the waiting poll after the present log entry, so that all events of one entry come in one answer. */
  #answerSoon(): void {
    if (!this.#request || this.#isAnswerScheduled) return;
    this.#isAnswerScheduled = true;
    queueMicrotask(() => {
      this.#isAnswerScheduled = false;
      if (this.#request && !this.#buffer.isBlocked) this.#answer();
    });
  }

  #answer(): void {
    const request = this.#takeRequest()!;
    this.#send('ANSWER');
    request.reply({ ok: this.#buffer.answer() });
  }

  #answerWithHeartbeat(): void {
    const request = this.#takeRequest();
    if (!request) return;
    this.#buffer.push(heartbeatEvent(this.#ids.heartbeat(this.cursor.position)));
    request.reply({ ok: this.#buffer.answer() });
  }

  /** Ends the waiting poll with the error with which the user's next request would be refused. */
  #lockOut(reason: LockOutReason): void {
    const request = this.#takeRequest();
    if (request) {
      this.#send('ANSWER');
      request.reply({ error: apiError(reason).toReply() });
    }
    if (reason !== 'ACCOUNT_DEACTIVATED') return;
    // From here on the queue misses events. If the account became active again, the queue could not make up for them.
    this.#isDeactivated = true;
    this.#end('deactivated');
  }

  #release(request: DeferredRequest): void {
    if (this.#request !== request) return;
    this.#request = undefined;
    this.#send('RELEASE');
  }

  #takeRequest(): DeferredRequest | undefined {
    const request = this.#request;
    this.#request = undefined;
    return request;
  }

  #send(type: QueueMachineEvent['type']): void {
    this.#carryOut(this.handle.volatile.step(type));
  }

  /** Carries out a step of the machine. Every such step is a sign of life of the client. */
  #carryOut({ actions, disarms, arms }: MachineStep): void {
    const { clock, random, heartbeatMs } = this.sources.services;
    if (disarms) sharedTimerWheel(clock).remove(this);
    if (arms === 'heartbeat') sharedTimerWheel(clock).add(this, addJitter(heartbeatMs, random));
    this.handle.volatile.touch(clock.now());
    this.#checkpoint.schedule();
    for (const action of actions) if (action === 'heartbeat') this.#answerWithHeartbeat();
  }

  #end(reason: QueueEndReason): void {
    void this.handle.sendSelf(queueCommands.end, { reason }).catch(() => undefined);
  }
}
