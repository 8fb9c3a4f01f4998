/** State in memory that the handlers and the session of a queue share. It is lost when the actor leaves memory. */

import type { EventQueueEndReason } from '#model/commands';
import type { StateMachineStep } from '#runtime';
import { type EventQueueMachineEvent, eventQueueEndReasonOfPhase, eventQueueMachineSteps } from './machine.js';
import { type EventQueueActorState, lastPossibleClientActivity } from './state.js';

type Stored = Pick<EventQueueActorState, 'acked' | 'position' | 'active' | 'held'>;

export class EventQueueMemoryState {
  #acked: number;
  #position: number;
  #active: number;
  /** Name of the state that the queue's machine is in. */
  #phase = 'resting';

  /**
   * Makes the state in memory of one activation.
   *
   * @param stored state with which the actor was loaded
   * @param since wall time since which this host owns the queue: after a crash its client gets some time to find it
   */
  constructor(
    stored: Stored,
    readonly since: number,
  ) {
    this.#acked = stored.acked;
    this.#position = stored.position;
    this.#active = lastPossibleClientActivity(stored, since);
  }

  /** Highest event id that the client has acknowledged; -1 before the first. */
  get acked(): number {
    return this.#acked;
  }

  /** Log position below which nothing waits for the client, as of the last checkpoint. */
  get position(): number {
    return this.#position;
  }

  /** Wall time of the client's last sign of life, ms. */
  get active(): number {
    return this.#active;
  }

  get isPolling(): boolean {
    return this.#phase === 'polling' || this.#phase === 'parked';
  }

  /** Reason of the queue's end, set as soon as the end is decided and before it is written. */
  get ended(): EventQueueEndReason | undefined {
    return eventQueueEndReasonOfPhase(this.#phase);
  }

  acknowledge(id: number): void {
    this.#acked = id;
  }

  touch(now: number): void {
    this.#active = now;
  }

  /** Sets the log position that the next `flush` command writes. */
  checkpointAt(position: number): void {
    this.#position = position;
  }

  /** Moves the queue's state machine by an event. The session carries out the returned step. */
  step(type: EventQueueMachineEvent['type']): StateMachineStep {
    return this.#enter(eventQueueMachineSteps.step(this.#phase, type));
  }

  /** Moves the queue's state machine when the heartbeat's timer has run out. */
  heartbeatElapsed(): StateMachineStep {
    return this.#enter(eventQueueMachineSteps.elapsed(this.#phase, 'heartbeat'));
  }

  end(reason: EventQueueEndReason): void {
    this.step(`END.${reason}`);
  }

  #enter(step: StateMachineStep): StateMachineStep {
    this.#phase = step.to;
    return step;
  }
}
