/** The phase of an actor: a state of its kind's machine, moved by pure transitions, so that nothing of it ever runs by itself. */
import { type AnyMachineSnapshot, type AnyStateMachine, initialTransition, transition } from 'xstate';

export class PhaseMachine {
  #snapshot: AnyMachineSnapshot;

  /** @param phase persisted phase; absent = the machine's initial one */
  constructor(
    private readonly machine: AnyStateMachine,
    phase: string | undefined,
  ) {
    this.#snapshot =
      phase === undefined ? initialTransition(machine)[0] : machine.resolveState({ value: phase, context: {} });
  }

  get phase(): string {
    return String(this.#snapshot.value);
  }

  /** False if the machine names this command as an event and the present phase doesn't take it. */
  admits(name: string): boolean {
    return !this.machine.events.includes(name) || this.#snapshot.can({ type: name });
  }

  send(type: string): void {
    this.#snapshot = transition(this.machine, this.#snapshot, { type })[0];
  }
}
