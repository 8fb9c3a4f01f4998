/** The poll that waits for a queue's events, and the machine that says what becomes of it. */
import { apiError } from '../../src/api/errors.js';
import { type Clock, type Deadline, spread, wheelOf } from '../../src/clock/index.js';
import type { DeferredRequest, Step } from '../../src/runtime/index.js';
import type { Waiting } from './admission.js';
import { type EventBuffer, heartbeat } from './buffer.js';
import type { LockOut } from './filter.js';
import { type QueueEvent, queueSteps } from './machine.js';
import type { OwnIds } from './own-ids.js';
import type { QueueVolatile } from './state.js';

interface PollOwner {
  readonly services: { readonly clock: Clock; readonly random: () => number; readonly heartbeatMs: number };
  readonly handle: { readonly volatile: QueueVolatile };
  readonly ids: OwnIds;
  /** Log position up to which the queue has everything. */
  readonly position: number;
  readonly buffer: EventBuffer;
  /** The client was here. */
  touched(): void;
}

export class HeldPoll implements Deadline {
  /** Of the heartbeat. */
  bucket: Set<Deadline> | undefined;
  #request: DeferredRequest | undefined;
  /** False: it only waits for what is being worked out. */
  #blocks = true;
  /** State of the machine. */
  #phase = 'idle';
  #scheduled = false;

  constructor(private readonly owner: PollOwner) {}

  get waits(): boolean {
    return this.#request !== undefined;
  }

  /** A poll comes: it is answered if there is something, else it waits. */
  take({ args, request }: Waiting): void {
    const { buffer, ids } = this.owner;
    const { last_event_id: last, beats } = args;
    const blocks = !args.dont_block;
    // The same request sent again (its frontend lost sight of it) takes the place of the first; another poll ends it.
    if (this.#request && this.#request.id !== request.id) this.#answer();
    if (!buffer.held && (buffer.size > 0 || !blocks)) {
      request.reply({ ok: buffer.answer() });
      this.#send('TOUCH');
      return;
    }
    this.#request = request;
    this.#blocks = blocks;
    request.onCancel(() => this.#release(request));
    if (beats > 0 && last !== null) {
      ids.reserve(last + beats);
      this.#send('KEEP');
    } else this.#send('POLL');
  }

  /** Events have come: after the entry that is being delivered, so that those of one entry come in one answer. */
  answerSoon(): void {
    if (!this.#request || this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      if (this.#request && !this.owner.buffer.held) this.#answer();
    });
  }

  /** What was being worked out is there. */
  filled(): void {
    if (this.owner.buffer.size > 0 || !this.#blocks) this.answerSoon();
  }

  /** Ends the poll that waits: the next one would not be let in. */
  lockOut(reason: LockOut): void {
    const request = this.#taken();
    if (!request) return;
    this.#send('ANSWER');
    request.reply({ error: apiError(reason).toReply() });
  }

  /** The queue leaves memory, or ends. @returns the poll that is to be told */
  stop(): DeferredRequest | undefined {
    wheelOf(this.owner.services.clock).remove(this);
    return this.#taken();
  }

  /** The heartbeat is due. */
  expire(): void {
    this.#go(queueSteps.elapsed(this.#phase, 'heartbeat'));
  }

  #taken(): DeferredRequest | undefined {
    const request = this.#request;
    this.#request = undefined;
    return request;
  }

  #answer(): void {
    const request = this.#taken()!;
    this.#send('ANSWER');
    request.reply({ ok: this.owner.buffer.answer() });
  }

  #release(request: DeferredRequest): void {
    if (this.#request !== request) return;
    this.#request = undefined;
    this.#send('RELEASE');
  }

  #beat(): void {
    const request = this.#taken();
    if (!request) return;
    const { buffer, ids, position } = this.owner;
    buffer.push(heartbeat(ids.heartbeat(position)));
    request.reply({ ok: buffer.answer() });
  }

  #send(type: QueueEvent['type']): void {
    this.#go(queueSteps.step(this.#phase, type));
  }

  #go({ to, actions, disarms, arms }: Step): void {
    const { clock, random, heartbeatMs } = this.owner.services;
    const { volatile } = this.owner.handle;
    this.#phase = to;
    volatile.polling = to === 'polling' || to === 'kept';
    if (disarms) wheelOf(clock).remove(this);
    if (arms === 'heartbeat') wheelOf(clock).add(this, spread(heartbeatMs, random));
    volatile.active = clock.now();
    this.owner.touched();
    for (const action of actions) if (action === 'heartbeat') this.#beat();
  }
}
