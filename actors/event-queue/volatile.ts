/** State in memory that the handlers and the session of a queue share. It is lost when the actor leaves memory. */

import type { EventQueueEndReason } from '#model/commands';
import type { StateMachineStep } from '#runtime';
import { type EventQueueMachineEvent, eventQueueEndReasonOfPhase, eventQueueMachineSteps } from './machine.js';
import { type EventQueueActorState, latestPossibleClientActivityTime } from './state.js';

type StoredCheckpointFields = Pick<EventQueueActorState, 'acked' | 'position' | 'active' | 'held'>;

export class EventQueueMemoryState {
  #ackedEventId: number;
  #nextCheckpointLogPosition: number;
  #clientLastActiveAt: number;
  /** Name of the state that the queue's machine is in. */
  #phase = 'resting';

  /**
   * Makes the state in memory of one activation.
   *
   * @param stored state with which the actor was loaded
   * @param since wall time since which this host owns the queue: after a crash its client gets some time to find it
   */
  constructor(
    stored: StoredCheckpointFields,
    readonly since: number,
  ) {
    this.#ackedEventId = stored.acked;
    this.#nextCheckpointLogPosition = stored.position;
    this.#clientLastActiveAt = latestPossibleClientActivityTime(stored, since);
  }

  /** Highest event id that the client has acknowledged; -1 before the first. */
  get ackedEventId(): number {
    return this.#ackedEventId;
  }

  /** Log position below which nothing waits for the client, as of the last checkpoint. */
  get nextCheckpointLogPosition(): number {
    return this.#nextCheckpointLogPosition;
  }

  /** Wall time of the client's last sign of life, ms. */
  get clientLastActiveAt(): number {
    return this.#clientLastActiveAt;
  }

  get hasWaitingPoll(): boolean {
    return this.#phase === 'polling' || this.#phase === 'parked';
  }

  /** Reason of the queue's end, set as soon as the end is decided and before it is written. */
  get endReason(): EventQueueEndReason | undefined {
    return eventQueueEndReasonOfPhase(this.#phase);
  }

  setAckedEventId(id: number): void {
    this.#ackedEventId = id;
  }

  recordClientActivity(now: number): void {
    this.#clientLastActiveAt = now;
  }

  /** Sets the log position that the next `flush` command writes. */
  setNextCheckpointLogPosition(position: number): void {
    this.#nextCheckpointLogPosition = position;
  }

  /** Moves the queue's state machine by an event. The session carries out the returned step. */
  stepMachine(type: EventQueueMachineEvent['type']): StateMachineStep {
    return this.#enterPhaseOfStep(eventQueueMachineSteps.findStep(this.#phase, type));
  }

  /** Moves the queue's state machine when the heartbeat's timer has run out. */
  stepAfterHeartbeatTimeout(): StateMachineStep {
    return this.#enterPhaseOfStep(eventQueueMachineSteps.findStepAfterDelay(this.#phase, 'heartbeat'));
  }

  enterEndPhase(reason: EventQueueEndReason): void {
    this.stepMachine(`END.${reason}`);
  }

  #enterPhaseOfStep(step: StateMachineStep): StateMachineStep {
    this.#phase = step.nextState;
    return step;
  }
}
