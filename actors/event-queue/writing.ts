/**
 * What of a queue is written, and when. While a poll waits the client is there, and tells what it has had with its next poll
 * to whoever owns the queue by then: so little is lost with what was not written, and tens of thousands of clients that only get
 * heartbeats cost next to no writes.
 */
import { type Clock, type Deadline, wheelOf } from '../../src/clock/index.js';
import { seqOfId } from '../../src/events/index.js';
import type { ActivationHandle } from '../../src/runtime/index.js';
import { HELD_LAG_MS, type QueueState, type QueueVolatile } from './state.js';

/** How often is looked whether there is something to write; a queue without poll is written then (design § 3). */
const FLUSH_MS = 30_000;
/** A position that is written again though nothing else is, if it has moved on by so many: a successor reads from there. */
const POSITION_LAG = 1_000;

interface WritingOwner {
  readonly handle: ActivationHandle<QueueState, QueueVolatile>;
  readonly services: { readonly clock: Clock };
  /** Log position up to which the queue has everything. */
  readonly position: number;
  /** Id of the oldest event that waits for the client. */
  readonly oldest: number | undefined;
}

export class Writing implements Deadline {
  bucket: Set<Deadline> | undefined;
  #over = false;

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

  /** Something has changed that is to be written before long. */
  later(): void {
    if (!this.bucket && !this.#over) wheelOf(this.owner.services.clock).add(this, FLUSH_MS);
  }

  stop(): void {
    this.#over = true;
    wheelOf(this.owner.services.clock).remove(this);
  }

  expire(): void {
    if (this.#over || !this.dirty) return;
    const { handle, services } = this.owner;
    const stored = handle.state();
    const known = stored.held && services.clock.now() - stored.active < HELD_LAG_MS;
    if (known && handle.volatile.polling && this.#lag <= POSITION_LAG) this.later();
    else void this.now().catch(() => undefined);
  }

  /** Before the queue leaves memory. */
  async last(): Promise<void> {
    if (this.dirty || this.#lag > POSITION_LAG) await this.now();
  }

  /** Where a successor has to start reading: what waits here must come again there. */
  now(): Promise<void> {
    const { handle, oldest, position } = this.owner;
    handle.volatile.position = oldest === undefined ? position : Math.min(seqOfId(oldest) - 1, position);
    return handle.tell('flush', {});
  }
}
