/**
 * What of a queue is written, and when. While a poll waits the client is there, and tells what it has had with its next poll
 * to whoever owns the queue by then: so little is lost with what was not written, and tens of thousands of clients that only get
 * heartbeats cost next to no writes.
 */
import { type Clock, type Deadline, wheelOf } from '#base/clock';
import { seqOfId } from '#model';
import { queueCommands } from '#model/commands';
import type { ActivationHandle } from '#runtime';
import { HELD_LAG_MS, type QueueState, type QueueVolatile } from './state.js';

/** A queue without poll is written so long after its client was heard of (design § 3). */
const FLUSH_MS = 30_000;
/** How often is looked at one with a poll: while the log moves, and while it hardly does. Looking costs as much as a heartbeat. */
const LOOK_MS = 60_000;
const QUIET_LOOK_MS = 5 * LOOK_MS;
/** So that those whose polls came together are not written together. */
const LEAST_LAG = 0.5;
/** A position that is written again though nothing else is, if it has moved on by so many: a successor reads from there. */
const POSITION_LAG = 1_000;

interface WritingOwner {
  readonly handle: ActivationHandle<QueueState, QueueVolatile>;
  readonly services: { readonly clock: Clock; readonly random: () => number };
  /** Log position up to which the queue has everything. */
  readonly position: number;
  /** Id of the oldest event that waits for the client. */
  readonly oldest: number | undefined;
}

export class Writing implements Deadline {
  bucket: Set<Deadline> | undefined;
  #over = false;
  /** It waits for the look at a queue with a poll. */
  #slow = false;
  /** Until the next look, and where the log was at the last one. */
  #lookMs = LOOK_MS;
  #looked: number | undefined;

  constructor(private readonly owner: WritingOwner) {}

  /** The client has told something since the last write. */
  get dirty(): boolean {
    const { volatile } = this.owner.handle;
    const stored = this.owner.handle.state();
    return volatile.acked > stored.acked || volatile.active > stored.active;
  }

  get #lag(): number {
    return this.owner.position - this.owner.handle.state().position;
  }

  /** The client was heard of, or has gone: that is to be written before long. */
  later(): void {
    if (this.#over) return;
    const { polling } = this.owner.handle.volatile;
    if (this.bucket && (polling || !this.#slow)) return;
    this.#slow = polling;
    const wheel = wheelOf(this.owner.services.clock);
    if (this.bucket) wheel.remove(this);
    wheel.add(this, polling ? this.#lookMs : FLUSH_MS);
  }

  stop(): void {
    this.#over = true;
    wheelOf(this.owner.services.clock).remove(this);
  }

  expire(): void {
    if (this.#over) return;
    const { handle, services } = this.owner;
    const { clock, random } = services;
    if (handle.volatile.polling) {
      // Its frontend would have told if the client were gone.
      handle.volatile.active = clock.now();
      this.#pace();
      this.later();
      const { active, held } = handle.state();
      const lag = HELD_LAG_MS * (LEAST_LAG + (1 - LEAST_LAG) * random()) - QUIET_LOOK_MS;
      if (held && clock.now() - active < lag && this.#lag <= POSITION_LAG) return;
    }
    if (this.dirty) void this.now().catch(() => undefined);
  }

  /** The next look comes before the log has moved on by much, if it goes on as it did since the last one. */
  #pace(): void {
    const { position, handle } = this.owner;
    const moved = position - (this.#looked ?? handle.state().position);
    const moves = (moved / this.#lookMs) * QUIET_LOOK_MS;
    this.#looked = position;
    this.#lookMs = moves <= POSITION_LAG ? QUIET_LOOK_MS : LOOK_MS;
  }

  /** Before the queue leaves memory. */
  async last(): Promise<void> {
    if (this.dirty || this.#lag > POSITION_LAG) await this.now();
  }

  /** Where a successor has to start reading: what waits here must come again there. */
  now(): Promise<void> {
    const { handle, oldest, position } = this.owner;
    handle.volatile.position = oldest === undefined ? position : Math.min(seqOfId(oldest) - 1, position);
    return handle.tell(queueCommands.flush, {});
  }
}
