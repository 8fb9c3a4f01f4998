/**
 * The side of an event queue that lives in memory: its place in the realm's feed, the events that wait, and the poll
 * that waits for them.
 */
import { type ApiError, apiError } from '../../src/api/errors.js';
import type { Clock, TimerHandle } from '../../src/clock/index.js';
import { type JsonObject, parseKey, type Seq, seq } from '../../src/core/index.js';
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
import type { ActivationHandle, HeldRequest, LiveActor, StopReason, Suppliers } from '../../src/runtime/index.js';
import { BUFFER_LIMIT, EventBuffer, heartbeat, shapeFor } from './buffer.js';
import { isShown, type LockOut, lockedOut, wants } from './filter.js';
import { Intake } from './intake.js';
import { type RunningMachine, startMachine } from './machine.js';
import { OwnIds } from './own-ids.js';
import type { QueueEnd, QueueState, QueueVolatile } from './state.js';

declare module '../../src/runtime/kind.js' {
  interface HostServices {
    /** For heartbeats and collection. */
    readonly clock: Clock;
    readonly random: () => number;
  }
}

const HEARTBEAT_MS = 45_000;
const HEARTBEAT_SPREAD_MS = 10_000;
const RETRY_MS = 1_000;
/** Acknowledgements are written at most this often (design § 3). */
const FLUSH_MS = 30_000;

interface Waiting {
  readonly args: PollArgs;
  readonly request: HeldRequest;
}

interface PollArgs {
  readonly last_event_id: number | null;
  readonly dont_block: boolean;
}

export class LiveQueue implements LiveActor, EventSink {
  position: Seq = seq(0);
  readonly #queue: string;
  #state: QueueState | undefined;
  #buffer: EventBuffer | undefined;
  #feed: RealmFeed | undefined;
  #machine: RunningMachine | undefined;
  #poll: HeldRequest | undefined;
  /** False: the poll only waits for what is being worked out. */
  #pollBlocks = true;
  /** Polls that came while the past was being read. */
  #early: Waiting[] = [];
  /** Polls that came when the queue was deleted, but not yet gone. */
  readonly #late: HeldRequest[] = [];
  #isLive = false;
  #stopped = false;
  /** The account is, and the queue about to end: it gets nothing more. */
  #deactivated = false;
  readonly #ids: OwnIds;
  /** Made anew after a crash: which transient ids the client has had is not known. */
  #rebuilt: boolean;
  #answerScheduled = false;
  #flushTimer: TimerHandle | undefined;
  readonly #intake: Intake;

  constructor(
    private readonly handle: ActivationHandle<QueueState, QueueVolatile>,
    private readonly suppliers: Suppliers,
  ) {
    this.#intake = new Intake(handle.realm, suppliers.services, () => this.user, {
      stopped: () => this.#stopped,
      filled: () => {
        if (this.#poll && (this.#buffer!.size > 0 || !this.#pollBlocks)) this.#answerSoon();
      },
    });
    const { rest } = parseKey(handle.key);
    this.#queue = rest.slice(rest.indexOf('/') + 1);
    this.#rebuilt = handle.exists();
    this.#ids = new OwnIds(() => suppliers.log.append(handle.realm, { actor: handle.key, groups: [] }));
    if (handle.exists()) this.#open();
  }

  get user(): number {
    return this.#state!.user;
  }

  get allPublic(): boolean {
    return this.#state!.options.allPublicStreams;
  }

  committed(): void {
    if (!this.#state && this.handle.exists()) this.#open();
  }

  command(_name: string, args: JsonObject, request: HeldRequest): void {
    const poll: Waiting = { args: args as unknown as PollArgs, request };
    if (this.handle.volatile.ended) this.#late.push(request);
    else if (!this.#isLive) this.#early.push(poll);
    else this.#take(poll);
  }

  /** Only somebody who has no queue here, and never will, leaves nothing behind. */
  idle(): boolean {
    return !this.handle.exists();
  }

  phase(): string | undefined {
    if (!this.#state) return undefined;
    return this.#poll || this.#early.length > 0 ? 'polling' : 'idle';
  }

  endReason(): string | undefined {
    return this.handle.volatile.ended || undefined;
  }

  async draining(): Promise<void> {
    if (this.#dirty()) await this.#flush();
  }

  stopped(reason: StopReason): void {
    this.#stopped = true;
    // Left behind it would keep the process, and this queue's memory, for its whole time.
    if (this.#flushTimer) this.suppliers.services.clock.clearTimeout(this.#flushTimer);
    this.#feed?.detach(this);
    this.#machine?.stop();
    const poll = this.#poll;
    this.#poll = undefined;
    // A deleted queue's poll is finished with what there is; any other stop is not the client's business.
    if (reason === 'ended' && this.#buffer) poll?.reply({ ok: this.#buffer.answer() });
    else poll?.reply({ retry: 'moved' } as never);
    // Of a queue that ends before it is live, after a restore for example, there is nothing to answer with.
    this.#late.push(...this.#early.splice(0).map(({ request }) => request));
    const gone = { error: apiError('BAD_EVENT_QUEUE_ID', { queue_id: this.#queue }).toReply() };
    for (const request of this.#late.splice(0))
      request.reply(reason === 'ended' ? gone : ({ retry: 'moved' } as never));
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
    this.#intake.put(event, this.#buffer);
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
    for (const poll of this.#early.splice(0)) this.#take(poll);
  }

  end(reason: FeedEnd): void {
    this.#end(reason);
  }

  #open(): void {
    const state = this.handle.state();
    this.#state = state;
    this.#buffer = new EventBuffer(state.user, this.#queue, shapeFor(state.options));
    this.#ids.newest = Math.max(positionId(state.start), state.acked);
    this.position = seq(Math.max(state.start, state.position));
    this.#machine = startMachine(this.suppliers.services.clock, state.lifespanMs, {
      heartbeat: () => this.#beat(),
      collect: () => this.#end('idle'),
    });
    void this.#attach(state);
  }

  async #attach(state: QueueState): Promise<void> {
    try {
      const [feed, { incarnation }] = await Promise.all([
        this.suppliers.services.feeds.of(this.handle.realm).then((found) => {
          // Who has just registered may be typed to at once. A rebuilt queue does not know yet what its client has had.
          if (!this.#rebuilt && !this.#stopped) found.listen(this);
          this.#feed = found;
          return found;
        }),
        this.suppliers.log.position(this.handle.realm),
      ]);
      if (this.#stopped) return;
      if (incarnation !== state.incarnation) return this.#end('incarnation');
      feed.attach(this);
    } catch {
      // Directory or log out of reach: try again until they are back; polls wait, and their frontends time them out.
      this.suppliers.services.clock.setTimeout(() => {
        if (!this.#stopped) void this.#attach(state);
      }, RETRY_MS);
    }
  }

  #take({ args, request }: Waiting): void {
    const last = args.last_event_id;
    const { volatile } = this.handle;
    const refusal = last === null ? undefined : this.#refusal(last);
    if (refusal) {
      request.reply({ error: refusal.toReply() });
      return;
    }
    if (last !== null && last > volatile.acked && last > positionId(this.#state!.start)) {
      volatile.acked = last;
      this.#ids.newest = Math.max(this.#ids.newest, last);
      this.#buffer!.acknowledge(last);
    }
    volatile.active = this.suppliers.services.clock.now();
    this.#flushLater();
    // The same request sent again (its frontend lost sight of it) takes the place of the first; another poll ends it.
    if (this.#poll && this.#poll.id !== request.id) this.#answer();
    if (!this.#buffer!.held && (this.#buffer!.size > 0 || args.dont_block)) {
      request.reply({ ok: this.#buffer!.answer() });
      this.#machine!.send({ type: 'TOUCH' });
      return;
    }
    this.#poll = request;
    this.#pollBlocks = !args.dont_block;
    request.onCancel(() => this.#release(request));
    const spread = this.suppliers.services.random() * HEARTBEAT_SPREAD_MS;
    this.#machine!.send({ type: 'POLL', heartbeatMs: HEARTBEAT_MS + spread });
  }

  #refusal(last: number): ApiError | undefined {
    if (last < this.handle.volatile.acked) return apiError('EVENT_PRUNED', { last_event_id: last });
    return last > this.#newestPossible() ? apiError('EVENT_NOT_IN_QUEUE', { last_event_id: last }) : undefined;
  }

  /** Ids above this were never given out. After a rebuild the log's end bounds what a former owner can have sent. */
  #newestPossible(): number {
    if (!this.#rebuilt) return this.#ids.newest;
    return Math.max(this.#ids.newest, eventId(Math.max(this.position, this.#feed?.position ?? 0) + 1, 0) - 1);
  }

  #release(request: HeldRequest): void {
    if (this.#poll !== request || this.#stopped) return;
    this.#poll = undefined;
    this.handle.volatile.active = this.suppliers.services.clock.now();
    this.#machine!.send({ type: 'RELEASE' });
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
    this.handle.volatile.active = this.suppliers.services.clock.now();
    this.#machine!.send({ type: 'ANSWER' });
    request.reply({ ok: this.#buffer!.answer() });
  }

  /** Ends the poll that waits: the next one would not be let in. */
  #lockOut(reason: LockOut): void {
    const request = this.#poll;
    if (!request) return;
    this.#poll = undefined;
    this.#machine!.send({ type: 'ANSWER' });
    request.reply({ error: apiError(reason).toReply() });
  }

  #beat(): void {
    const request = this.#poll;
    if (!request) return;
    this.#poll = undefined;
    this.#buffer!.push(heartbeat(this.#ids.heartbeat(this.position)));
    this.handle.volatile.active = this.suppliers.services.clock.now();
    request.reply({ ok: this.#buffer!.answer() });
  }

  #end(reason: QueueEnd): void {
    void this.handle.tell('end', { reason }).catch(() => undefined);
  }

  #dirty(): boolean {
    const { state, volatile } = this.handle;
    return this.#state !== undefined && (volatile.acked > state().acked || volatile.active > state().active);
  }

  /** Where a successor has to start reading: what waits here must come again there. */
  #flush(): Promise<void> {
    const oldest = this.#buffer?.oldest;
    this.handle.volatile.position = oldest === undefined ? this.position : Math.min(seqOfId(oldest) - 1, this.position);
    return this.handle.tell('flush', {});
  }

  #flushLater(): void {
    this.#flushTimer ??= this.suppliers.services.clock.setTimeout(() => {
      this.#flushTimer = undefined;
      if (!this.#stopped && this.#dirty()) void this.#flush().catch(() => undefined);
    }, FLUSH_MS);
  }
}
