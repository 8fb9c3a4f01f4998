/**
 * The side of an event queue that lives in memory: its place in the realm's feed, the events that wait, and the poll
 * that waits for them.
 */

import type { JsonObject } from '#base';
import type { Clock } from '#base/clock';
import type { EventSink, LivePosition, RealmFeed, SharedEvent, TransientEvent } from '#delivery';
import type { ActorReply } from '#frontend/api';
import type { StopReason } from '#model';
import { type ActorKey, newestBeat, parseKey, positionId, type RealmId, type Seq, seq, seqOfId } from '#model';
import { type FeedEnd, type QueueEnd, queueCommands } from '#model/commands';
import { type ApiError, apiError } from '#model/errors';
import type { ActivationHandle, HeldRequest, HostServices, LiveActor, Suppliers } from '#runtime';
import { Admission, type PollArgs, type Waiting } from './admission.js';
import { BUFFER_LIMIT, EventBuffer, shapeFor } from './buffer.js';
import { isShown, lockedOut, wants } from './filter.js';
import { HeldPoll } from './held-poll.js';
import { type IntakeOwner, takeIn } from './intake.js';
import { OwnIds } from './own-ids.js';
import type { QueueState, QueueVolatile } from './state.js';
import { Writing } from './writing.js';

declare module '../../src/runtime/kind.js' {
  interface HostServices {
    /** For heartbeats. */
    readonly clock: Clock;
    readonly random: () => number;
    /** A poll waits for so long, and up to a fifth more. */
    readonly heartbeatMs: number;
  }
}

const RETRY_MS = 1_000;

export class LiveQueue implements LiveActor, EventSink, IntakeOwner {
  #position: Seq = seq(0);
  /** While it is live. */
  #follows: LivePosition | undefined;
  readonly ids = new OwnIds(this);
  readonly #poll = new HeldPoll(this);
  readonly #writing = new Writing(this);
  #state: QueueState | undefined;
  #buffer: EventBuffer | undefined;
  #feed: RealmFeed | undefined;
  /** Polls that came while the past was being read. */
  #early: Waiting[] | undefined;
  /** Polls that came when the queue was deleted, but not yet gone. */
  #late: HeldRequest[] | undefined;
  /** Only of a queue that was in the Store before: which ids its client has had above the acknowledged one is not known. */
  readonly #admission: Admission | undefined;
  #isLive = false;
  #stopped = false;
  /** The account is, and the queue about to end: it gets nothing more. */
  #deactivated = false;

  constructor(
    readonly handle: ActivationHandle<QueueState, QueueVolatile>,
    private readonly suppliers: Suppliers,
  ) {
    if (handle.exists()) this.#admission = new Admission(this);
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

  get buffer(): EventBuffer {
    return this.#buffer!;
  }

  get oldest(): number | undefined {
    return this.#buffer?.oldest;
  }

  get newest(): number {
    return this.ids.newest;
  }

  get acked(): number {
    return this.handle.volatile.acked;
  }

  get read(): number {
    return Math.max(this.position, this.#feed?.position ?? 0);
  }

  async logEnd(): Promise<number> {
    return (await this.suppliers.log.position(this.realm)).end;
  }

  /** A new queue follows the log from its registration on; one that comes back from the Store only for a poll. */
  committed(): void {
    if (!this.#state && !this.#admission && this.handle.exists()) this.#open();
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
    const asked = this.#poll.waits || this.#early || this.#late || this.#admission?.asking;
    return !asked && !(this.#state && this.#writing.dirty);
  }

  phase(): string | undefined {
    if (!this.#state) return undefined;
    return this.#poll.waits || this.#early ? 'polling' : 'idle';
  }

  endReason(): string | undefined {
    return this.handle.volatile.ended || undefined;
  }

  async draining(): Promise<void> {
    if (this.#state) await this.#writing.last();
  }

  openLog(): Promise<unknown> {
    const { key, realm } = this.handle;
    return this.suppliers.log.append(realm, { actor: key, groups: [] });
  }

  filled(): void {
    this.#poll.filled();
  }

  touched(): void {
    this.#writing.later();
  }

  stopped(reason: StopReason): void {
    this.#stopped = true;
    this.#writing.stop();
    this.#feed?.detach(this);
    const poll = this.#poll.stop();
    // A deleted queue's poll is finished with what there is; any other stop is not the client's business.
    if (poll && reason === 'ended') poll.reply({ ok: this.#buffer!.answer() });
    else poll?.reply(MOVED);
    const early = (this.#early ?? []).map(({ request }) => request);
    const waiting = [...early, ...(this.#admission?.stop() ?? []), ...(this.#late ?? [])];
    this.#early = undefined;
    this.#late = undefined;
    const gone = (): ActorReply => ({
      error: apiError('BAD_EVENT_QUEUE_ID', { queue_id: queueOf(this.handle.key) }).toReply(),
    });
    for (const request of waiting) request.reply(reason === 'ended' ? gone() : MOVED);
  }

  get position(): Seq {
    return this.#follows && this.#follows.at > this.#position ? this.#follows.at : this.#position;
  }

  set position(position: Seq) {
    this.#position = position;
    this.#follows = undefined;
  }

  covered(actor: string, version: number): boolean {
    const covered = this.#state!.covers[actor];
    return covered !== undefined && version <= covered;
  }

  push(event: SharedEvent): void {
    // Below the acknowledged id after a rebuild: the client has had it.
    if (event.id <= this.acked) return;
    const state = this.#state!;
    if (!this.#buffer || this.#deactivated) return;
    const lockOut = lockedOut(event, this.user);
    if (lockOut === 'ACCOUNT_DEACTIVATED') {
      // What it does not hear from now on it could never make up for, should the account be active again.
      this.#deactivated = true;
      this.#poll.lockOut(lockOut);
      this.#end('deactivated');
      return;
    }
    if (!wants(state.options, event, this.user) || isShown(state, event)) {
      if (lockOut) this.#poll.lockOut(lockOut);
      return;
    }
    this.ids.newest = event.id;
    takeIn(event, this.#buffer, this);
    if (this.#buffer.size > BUFFER_LIMIT) this.#end('overflow');
    else this.#poll.answerSoon();
  }

  pushTransient(event: TransientEvent): void {
    if (!this.#buffer || !wants(this.#state!.options, event, this.user)) return;
    const id = this.ids.transient(this.position);
    if (id === undefined) return;
    this.#buffer.pushTransient(id, event);
    this.#poll.answerSoon();
  }

  live(position: LivePosition): void {
    this.#isLive = true;
    this.#follows = position;
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
    this.ids.newest = Math.max(positionId(state.start), state.acked);
    this.position = seq(Math.max(state.start, state.position));
    void this.#attach(state);
  }

  async #attach(state: QueueState): Promise<void> {
    try {
      const [feed, { incarnation, end }] = await Promise.all([
        this.services.feeds.of(this.handle.realm).then((found) => {
          // Who has just registered may be typed to at once. A rebuilt queue does not know yet what its client has had.
          if (!this.#admission && !this.#stopped) found.listen(this);
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
    if (!this.#admission) return;
    const { volatile } = this.handle;
    for (const { args } of this.#early ?? []) {
      const last = args.last_event_id ?? -1;
      // Ids of positions that the log has not reached were given to nobody: `#take` refuses them.
      if (last <= Math.max(volatile.acked, positionId(this.#state!.start)) || seqOfId(last) > end) continue;
      volatile.acked = last;
      this.ids.newest = Math.max(this.ids.newest, last);
      // The entry of that event may have others after it.
      this.position = seq(Math.max(this.position, seqOfId(last) - 1));
    }
  }

  #take(poll: Waiting, logAsked = false): void {
    const { args, request } = poll;
    const last = args.last_event_id;
    const refusal = last === null ? undefined : this.#refusal(last);
    if (refusal) {
      if (this.#admission?.isTooNew(last!) && !logAsked) void this.#askLog(poll, this.#admission);
      else request.reply({ error: refusal.toReply() });
      return;
    }
    const { volatile } = this.handle;
    if (last !== null && last > volatile.acked && last > positionId(this.#state!.start)) {
      volatile.acked = last;
      this.ids.newest = Math.max(this.ids.newest, last);
      this.#buffer!.acknowledge(last);
    }
    this.#poll.take(poll);
  }

  async #askLog(poll: Waiting, admission: Admission): Promise<void> {
    const found = await admission.ask(poll.request);
    if (found === 'known') this.#take(poll, true);
    else if (found === 'away') poll.request.reply(MOVED);
  }

  #refusal(last: number): ApiError | undefined {
    if (last < this.acked) return apiError('EVENT_PRUNED', { last_event_id: last });
    const tooNew = this.#admission ? this.#admission.isTooNew(last) : last > newestBeat(this.newest);
    return tooNew ? apiError('EVENT_NOT_IN_QUEUE', { last_event_id: last }) : undefined;
  }

  #end(reason: QueueEnd): void {
    void this.handle.tell(queueCommands.end, { reason }).catch(() => undefined);
  }
}

const MOVED = { retry: 'moved' } as unknown as ActorReply;

function queueOf(key: ActorKey): string {
  const { rest } = parseKey(key);
  return rest.slice(rest.indexOf('/') + 1);
}
