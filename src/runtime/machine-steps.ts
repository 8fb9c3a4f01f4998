/**
 * Runs a state machine for thousands of actors without an XState actor for each. The effect of an event follows from
 * the state and the event's type alone, so XState computes each step only once, and an actor stores only the name of
 * its state. The actor itself runs the timer that a step names.
 */
import { type AnyStateMachine, transition } from 'xstate';

export interface StateMachineStep {
  /** State of the machine after the step. */
  readonly to: string;
  /** Names of the machine's actions to run, in order. */
  readonly actions: readonly string[];
  /** True if the timer of the state before the step must be stopped. */
  readonly disarms: boolean;
  /** Name of the delay whose timer must be started; undefined: none. */
  readonly arms: string | undefined;
}

const AFTER = 'xstate.after.';

export class StateMachineStepTable {
  readonly #steps = new Map<string, Map<string, StateMachineStep>>();

  /**
   * Makes the steps of a machine.
   * @param context only satisfies the type: guards and assignments that read it are not supported
   */
  constructor(
    private readonly machine: AnyStateMachine,
    private readonly context: object,
  ) {}

  /**
   * Returns the step that an event causes. A state without a transition for the event is kept.
   * @param type type of the event
   */
  step(from: string, type: string): StateMachineStep {
    const known = this.#steps.get(from)?.get(type);
    if (known) return known;
    const fresh = this.#ask(from, type);
    const of = this.#steps.get(from) ?? new Map<string, StateMachineStep>();
    this.#steps.set(from, of.set(type, fresh));
    return fresh;
  }

  /** Returns the step that follows when the timer of this delay has run out. */
  elapsed(from: string, delay: string): StateMachineStep {
    return this.step(from, `${AFTER}${delay}.${this.machine.id}.${from}`);
  }

  #ask(from: string, type: string): StateMachineStep {
    const before = this.machine.resolveState({ value: from, context: this.context });
    const [after, executable] = transition(this.machine, before, { type });
    const actions: readonly { readonly type: string; readonly params?: unknown }[] = executable;
    const armed = actions.find((action) => action.type === 'xstate.raise');
    const { id = '' } = (armed?.params ?? {}) as { readonly id?: string };
    return {
      to: String(after.value),
      actions: actions.map((action) => action.type).filter((name) => !name.startsWith('xstate.')),
      disarms: actions.some((action) => action.type === 'xstate.cancel'),
      arms: armed && id.slice(AFTER.length, id.indexOf('.', AFTER.length)),
    };
  }
}
