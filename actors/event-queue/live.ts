/**
 * The side of an event queue that lives in memory: its place in the realm's feed, the events that wait, and the poll
 * that waits for them.
 */
import { type ApiError, apiError } from '../../src/api/errors.js';
import type { ActorReply } from '../../src/api/operation.js';
import { type Clock, type Deadline, wheelOf } from '../../src/clock/index.js';
import { type ActorKey, type JsonObject, parseKey, type RealmId, type Seq, seq } from '../../src/core/index.js';
import {
  type EventSink,
  eventId,
  type FeedEnd,
  positionId,
  type RealmFeed,
  type SharedEvent,
  seqOfId,
  type TransientEvent,
} from '../../src/events/index.js';
import type {
  ActivationHandle,
  HeldRequest,
  HostServices,
  LiveActor,
  Step,
  StopReason,
  Suppliers,
} from '../../src/runtime/index.js';
import { BUFFER_LIMIT, EventBuffer, heartbeat, shapeFor } from './buffer.js';
import { isShown, type LockOut, lockedOut, wants } from './filter.js';
import { type IntakeOwner, takeIn } from './intake.js';
import { type QueueEvent, queueSteps } from './machine.js';
import { OwnIds } from './own-ids.js';
import type { QueueEnd, QueueState, QueueVolatile } from './state.js';

declare module '../../src/runtime/kind.js' {
  interface HostServices {
    /** For heartbeats. */
    readonly clock: Clock;
    readonly random: () => number;
  }
}

const HEARTBEAT_MS = 45_000;
const HEARTBEAT_SPREAD_MS = 10_000;
const RETRY_MS = 1_000;
/** Acknowledgements are written at most this often (design § 3). */
const FLUSH_MS = 30_000;
/** A position that is written again when the queue comes to rest, if it has moved on by so many: waking reads from there. */
const POSITION_LAG = 1_000;

interface Waiting {
  readonly args: PollArgs;
  readonly request: HeldRequest;
}

interface PollArgs {
  readonly last_event_id: number | null;
  readonly dont_block: boolean;
}

class Flush implements Deadline {
  bucket: Set<Deadline> | undefined;

  constructor(private readonly queue: { flushNow(): void }) {}

  expire(): void {
    this.queue.flushNow();
  }
}

export class LiveQueue implements LiveActor, EventSink, IntakeOwner, Deadline {
  position: Seq = seq(0);
  /** Of the heartbeat. */
  bucket: Set<Deadline> | undefined;
  #state: QueueState | undefined;
  #buffer: EventBuffer | undefined;
  #feed: RealmFeed | undefined;
  /** State of the machine. */
  #phase = 'idle';
  #poll: HeldRequest | undefined;
  /** False: the poll only waits for what is being worked out. */
  #pollBlocks = true;
  /** Polls that came while the past was being read. */
  #early: Waiting[] | undefined;
  /** Polls that came when the queue was deleted, but not yet gone. */
  #late: HeldRequest[] | undefined;
  /** Polls about whose event the log is being asked. */
  #doubted: Set<HeldRequest> | undefined;
  /** End of the log when it was last asked. */
  #logEnd = 0;
  #isLive = false;
  #stopped = false;
  /** The account is, and the queue about to end: it gets nothing more. */
  #deactivated = false;
  readonly #ids = new OwnIds(this);
  /** It was in the Store before: which ids the client has had above the acknowledged one is not known. */
  readonly #rebuilt: boolean;
  #answerScheduled = false;
  #flush: Flush | undefined;

  constructor(
    private readonly handle: ActivationHandle<QueueState, QueueVolatile>,
    private readonly suppliers: Suppliers,
  ) {
    this.#rebuilt = handle.exists();
  }

  get realm(): RealmId {
    return this.handle.realm;
  }

  get services(): HostServices {
    return this.suppliers.services;
  }

  get over(): boolean {
    return this.#stopped;
  }

  get user(): number {
    return this.#state!.user;
  }

  get allPublic(): boolean {
    return this.#state!.options.allPublicStreams;
  }

  /** A new queue follows the log from its registration on; one that comes back from the Store only for a poll. */
  committed(): void {
    if (!this.#state && !this.#rebuilt && this.handle.exists()) this.#open();
  }

  command(_name: string, args: JsonObject, request: HeldRequest): void {
    if (this.handle.volatile.ended) {
      this.#late ??= [];
      this.#late.push(request);
      return;
    }
    if (!this.#state) this.#open();
    const poll: Waiting = { args: args as unknown as PollArgs, request };
    if (this.#isLive) this.#take(poll);
    else {
      this.#early ??= [];
      this.#early.push(poll);
    }
  }

  /** Without a poll it may leave memory: what waits here is in the log, and comes again from there. */
  idle(): boolean {
    return !this.#poll && !this.#early && !this.#late && !this.#doubted?.size && !this.#dirty();
  }

  phase(): string | undefined {
    if (!this.#state) return undefined;
    return this.#poll || this.#early ? 'polling' : 'idle';
  }

  endReason(): string | undefined {
    return this.handle.volatile.ended || undefined;
  }

  async draining(): Promise<void> {
    const lag = this.#state ? this.position - this.handle.state().position : 0;
    if (this.#dirty() || lag > POSITION_LAG) await this.#write();
  }

  openLog(): Promise<unknown> {
    const { key, realm } = this.handle;
    return this.suppliers.log.append(realm, { actor: key, groups: [] });
  }

  /** The heartbeat is due. */
  expire(): void {
    this.#go(queueSteps.elapsed(this.#phase, 'heartbeat'));
  }

  filled(): void {
    if (this.#poll && (this.#buffer!.size > 0 || !this.#pollBlocks)) this.#answerSoon();
  }

  flushNow(): void {
    this.#flush = undefined;
    if (!this.#stopped && this.#dirty()) void this.#write().catch(() => undefined);
  }

  stopped(reason: StopReason): void {
    this.#stopped = true;
    const wheel = wheelOf(this.services.clock);
    wheel.remove(this);
    if (this.#flush) wheel.remove(this.#flush);
    this.#feed?.detach(this);
    const poll = this.#poll;
    this.#poll = undefined;
    // A deleted queue's poll is finished with what there is; any other stop is not the client's business.
    if (poll && reason === 'ended') poll.reply({ ok: this.#buffer!.answer() });
    else poll?.reply(MOVED);
    const early = (this.#early ?? []).map(({ request }) => request);
    const waiting = [...early, ...(this.#doubted ?? []), ...(this.#late ?? [])];
    this.#early = undefined;
    this.#doubted = undefined;
    this.#late = undefined;
    for (const request of waiting) request.reply(reason === 'ended' ? this.#gone() : MOVED);
  }

  #gone(): ActorReply {
    return { error: apiError('BAD_EVENT_QUEUE_ID', { queue_id: queueOf(this.handle.key) }).toReply() };
  }

  covered(actor: string, version: number): boolean {
    const covered = this.#state!.covers[actor];
    return covered !== undefined && version <= covered;
  }

  push(event: SharedEvent): void {
    // Below the acknowledged id after a rebuild: the client has had it.
    if (event.id <= this.handle.volatile.acked) return;
    const state = this.#state!;
    if (!this.#buffer || this.#deactivated) return;
    const lockOut = lockedOut(event, this.user);
    if (lockOut === 'ACCOUNT_DEACTIVATED') {
      // What it does not hear from now on it could never make up for, should the account be active again.
      this.#deactivated = true;
      this.#lockOut(lockOut);
      this.#end('deactivated');
      return;
    }
    if (!wants(state.options, event, this.user) || isShown(state, event)) {
      if (lockOut) this.#lockOut(lockOut);
      return;
    }
    this.#ids.newest = event.id;
    takeIn(event, this.#buffer, this);
    if (this.#buffer.size > BUFFER_LIMIT) this.#end('overflow');
    else if (this.#poll) this.#answerSoon();
  }

  pushTransient(event: TransientEvent): void {
    if (!this.#buffer || !wants(this.#state!.options, event, this.user)) return;
    const id = this.#ids.transient(this.position);
    if (id === undefined) return;
    this.#buffer.pushTransient(id, event);
    if (this.#poll) this.#answerSoon();
  }

  live(): void {
    this.#isLive = true;
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const poll of early) this.#take(poll);
  }

  end(reason: FeedEnd): void {
    this.#end(reason);
  }

  #open(): void {
    const state = this.handle.state();
    this.#state = state;
    this.#buffer = new EventBuffer(state.user, queueOf(this.handle.key), shapeFor(state.options));
    this.#ids.newest = Math.max(positionId(state.start), state.acked);
    this.position = seq(Math.max(state.start, state.position));
    void this.#attach(state);
  }

  async #attach(state: QueueState): Promise<void> {
    try {
      const [feed, { incarnation, end }] = await Promise.all([
        this.services.feeds.of(this.handle.realm).then((found) => {
          // Who has just registered may be typed to at once. A rebuilt queue does not know yet what its client has had.
          if (!this.#rebuilt && !this.#stopped) found.listen(this);
          this.#feed = found;
          return found;
        }),
        this.suppliers.log.position(this.handle.realm),
      ]);
      if (this.#stopped) return;
      if (incarnation !== state.incarnation) return this.#end('incarnation');
      this.#skipTo(end);
      feed.attach(this);
    } catch {
      // Directory or log out of reach: try again until they are back; polls wait, and their frontends time them out.
      this.services.clock.setTimeout(() => {
        if (!this.#stopped) void this.#attach(state);
      }, RETRY_MS);
    }
  }

  /** What the waiting poll says its client has need not be read again: acknowledgements are written down only now and then. */
  #skipTo(end: Seq): void {
    if (!this.#rebuilt) return;
    const { volatile } = this.handle;
    for (const { args } of this.#early ?? []) {
      const last = args.last_event_id ?? -1;
      // Ids of positions that the log has not reached were given to nobody: `#take` refuses them.
      if (last <= Math.max(volatile.acked, positionId(this.#state!.start)) || seqOfId(last) > end) continue;
      volatile.acked = last;
      this.#ids.newest = Math.max(this.#ids.newest, last);
      // The entry of that event may have others after it.
      this.position = seq(Math.max(this.position, seqOfId(last) - 1));
    }
  }

  #take(poll: Waiting, logAsked = false): void {
    const { args, request } = poll;
    const last = args.last_event_id;
    const { volatile } = this.handle;
    const refusal = last === null ? undefined : this.#refusal(last);
    if (refusal) {
      if (this.#rebuilt && !logAsked && last! > this.#newestPossible()) void this.#askLog(poll);
      else request.reply({ error: refusal.toReply() });
      return;
    }
    if (last !== null && last > volatile.acked && last > positionId(this.#state!.start)) {
      volatile.acked = last;
      this.#ids.newest = Math.max(this.#ids.newest, last);
      this.#buffer!.acknowledge(last);
    }
    // The same request sent again (its frontend lost sight of it) takes the place of the first; another poll ends it.
    if (this.#poll && this.#poll.id !== request.id) this.#answer();
    if (!this.#buffer!.held && (this.#buffer!.size > 0 || args.dont_block)) {
      request.reply({ ok: this.#buffer!.answer() });
      this.#send('TOUCH');
      return;
    }
    this.#poll = request;
    this.#pollBlocks = !args.dont_block;
    request.onCancel(() => this.#release(request));
    this.#send('POLL');
  }

  /** A former owner may have read further than this host has until now: the end of the log decides. */
  async #askLog(poll: Waiting): Promise<void> {
    const { request } = poll;
    this.#doubted ??= new Set();
    this.#doubted.add(request);
    const end = await this.suppliers.log.position(this.realm).then(
      (position) => position.end,
      () => undefined,
    );
    // Stopped meanwhile: it was answered.
    if (!this.#doubted?.delete(request)) return;
    if (end === undefined) {
      request.reply(MOVED);
      return;
    }
    this.#logEnd = Math.max(this.#logEnd, end);
    this.#take(poll, true);
  }

  #send(type: QueueEvent['type']): void {
    this.#go(queueSteps.step(this.#phase, type));
  }

  #go({ to, actions, disarms, arms }: Step): void {
    const { clock, random } = this.services;
    const { volatile } = this.handle;
    this.#phase = to;
    volatile.polling = to === 'polling';
    if (disarms) wheelOf(clock).remove(this);
    if (arms === 'heartbeat') wheelOf(clock).add(this, HEARTBEAT_MS + random() * HEARTBEAT_SPREAD_MS);
    volatile.active = clock.now();
    this.#flushLater();
    for (const action of actions) if (action === 'heartbeat') this.#beat();
  }

  #refusal(last: number): ApiError | undefined {
    if (last < this.handle.volatile.acked) return apiError('EVENT_PRUNED', { last_event_id: last });
    return last > this.#newestPossible() ? apiError('EVENT_NOT_IN_QUEUE', { last_event_id: last }) : undefined;
  }

  /** Ids above this were never given out. After a rebuild the log's end bounds what a former owner can have sent. */
  #newestPossible(): number {
    if (!this.#rebuilt) return this.#ids.newest;
    const read = Math.max(this.position, this.#feed?.position ?? 0, this.#logEnd);
    return Math.max(this.#ids.newest, eventId(read + 1, 0) - 1);
  }

  #release(request: HeldRequest): void {
    if (this.#poll !== request || this.#stopped) return;
    this.#poll = undefined;
    this.#send('RELEASE');
  }

  /** After the entry that is being delivered, so that its events come in one answer. */
  #answerSoon(): void {
    if (this.#answerScheduled) return;
    this.#answerScheduled = true;
    queueMicrotask(() => {
      this.#answerScheduled = false;
      if (this.#poll && !this.#stopped && !this.#buffer!.held) this.#answer();
    });
  }

  #answer(): void {
    const request = this.#poll!;
    this.#poll = undefined;
    this.#send('ANSWER');
    request.reply({ ok: this.#buffer!.answer() });
  }

  /** Ends the poll that waits: the next one would not be let in. */
  #lockOut(reason: LockOut): void {
    const request = this.#poll;
    if (!request) return;
    this.#poll = undefined;
    this.#send('ANSWER');
    request.reply({ error: apiError(reason).toReply() });
  }

  #beat(): void {
    const request = this.#poll;
    if (!request) return;
    this.#poll = undefined;
    this.#buffer!.push(heartbeat(this.#ids.heartbeat(this.position)));
    request.reply({ ok: this.#buffer!.answer() });
  }

  #end(reason: QueueEnd): void {
    void this.handle.tell('end', { reason }).catch(() => undefined);
  }

  #dirty(): boolean {
    if (!this.#state) return false;
    const { volatile } = this.handle;
    const stored = this.handle.state();
    return volatile.acked > stored.acked || volatile.active > stored.active;
  }

  /** Where a successor has to start reading: what waits here must come again there. */
  #write(): Promise<void> {
    const oldest = this.#buffer?.oldest;
    this.handle.volatile.position = oldest === undefined ? this.position : Math.min(seqOfId(oldest) - 1, this.position);
    return this.handle.tell('flush', {});
  }

  #flushLater(): void {
    if (this.#flush || this.#stopped) return;
    this.#flush = new Flush(this);
    wheelOf(this.services.clock).add(this.#flush, FLUSH_MS);
  }
}

const MOVED = { retry: 'moved' } as unknown as ActorReply;

function queueOf(key: ActorKey): string {
  const { rest } = parseKey(key);
  return rest.slice(rest.indexOf('/') + 1);
}
