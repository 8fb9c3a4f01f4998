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
type NextPhaseByCommand = Map<string, string | null>;

const phaseTableByMachine = new WeakMap<AnyStateMachine, ActorPhaseTable>();

export class ActorPhaseTable {
  readonly initialPhase: string;
  readonly #nextPhaseAfterUserCommandByPhase = new Map<string, NextPhaseByCommand>();
  readonly #nextPhaseAfterSystemCommandByPhase = new Map<string, NextPhaseByCommand>();

  constructor(private readonly machine: AnyStateMachine) {
    this.initialPhase = String(initialTransition(machine)[0].value);
  }

  static findOrMakeForMachine(machine: AnyStateMachine): ActorPhaseTable {
    const known = phaseTableByMachine.get(machine);
    if (known) return known;
    const made = new ActorPhaseTable(machine);
    phaseTableByMachine.set(machine, made);
    return made;
  }

  /** Phase after the command; null if the present phase refuses it. */
  findPhaseAfterCommand(phase: string, command: string, caller: number): string | null {
    const byPhase = caller === 0 ? this.#nextPhaseAfterSystemCommandByPhase : this.#nextPhaseAfterUserCommandByPhase;
    let steps = byPhase.get(phase);
    if (!steps) {
      steps = new Map();
      byPhase.set(phase, steps);
    }
    const known = steps.get(command);
    if (known !== undefined) return known;
    const asked = this.#computePhaseAfterCommand(phase, { type: command, bySystem: caller === 0 });
    steps.set(command, asked);
    return asked;
  }

  #computePhaseAfterCommand(phase: string, event: ActorPhaseEvent): string | null {
    const before = this.machine.resolveState({ value: phase, context: {} });
    return before.can(event) ? String(transition(this.machine, before, event)[0].value) : null;
  }
}
