/**
 * The phases of a kind of actor, as its state machine declares them. The effect of a command on a phase follows from
 * the phase, the command's name and whether a user or the system sent it, so XState computes each combination once, and
 * activations share the results.
 */
import { type AnyStateMachine, initialTransition, transition } from 'xstate';

/**
 * Transition of a command that a phase accepts without leaving the phase: XState forbids such a transition without an
 * action.
 */
export const STAY_IN_PHASE_TRANSITION = { actions: 'take' } as const;

/** The event that a phase machine gets for a command; guards may read it. */
export interface ActorPhaseEvent {
  /** Name of the command that is the event. */
  readonly type: string;
  /** True if no user sent the command (`caller` is 0). */
  readonly bySystem: boolean;
}

/** Phase after a command, by name of the command; null: the phase refuses it. */
type Steps = Map<string, string | null>;

const tables = new WeakMap<AnyStateMachine, ActorPhaseTable>();

export class ActorPhaseTable {
  readonly initial: string;
  readonly #ofUsers = new Map<string, Steps>();
  readonly #ofSystem = new Map<string, Steps>();

  constructor(private readonly machine: AnyStateMachine) {
    this.initial = String(initialTransition(machine)[0].value);
  }

  static of(machine: AnyStateMachine): ActorPhaseTable {
    const known = tables.get(machine);
    if (known) return known;
    const made = new ActorPhaseTable(machine);
    tables.set(machine, made);
    return made;
  }

  /** Phase after the command; null if the present phase refuses it. */
  after(phase: string, command: string, caller: number): string | null {
    const byPhase = caller === 0 ? this.#ofSystem : this.#ofUsers;
    let steps = byPhase.get(phase);
    if (!steps) {
      steps = new Map();
      byPhase.set(phase, steps);
    }
    const known = steps.get(command);
    if (known !== undefined) return known;
    const asked = this.#ask(phase, { type: command, bySystem: caller === 0 });
    steps.set(command, asked);
    return asked;
  }

  #ask(phase: string, event: ActorPhaseEvent): string | null {
    const before = this.machine.resolveState({ value: phase, context: {} });
    return before.can(event) ? String(transition(this.machine, before, event)[0].value) : null;
  }
}
