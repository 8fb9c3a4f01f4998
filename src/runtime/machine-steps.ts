/**
 * Runs a state machine for thousands of actors without an XState actor for each. The effect of an event follows from
 * the state and the event's type alone, so XState computes each step only once, and an actor stores only the name of
 * its state. The actor itself runs the timer that a step names.
 */
import { type AnyStateMachine, transition } from 'xstate';

export interface StateMachineStep {
  /** State of the machine after the step. */
  readonly nextState: string;
  /** Names of the machine's actions to run, in order. */
  readonly actions: readonly string[];
  /** True if the timer of the state before the step must be stopped. */
  readonly stopsTimer: boolean;
  /** Name of the delay whose timer must be started; undefined: none. */
  readonly delayToStart: string | undefined;
}

const DELAYED_EVENT_PREFIX = 'xstate.after.';

export class StateMachineStepTable {
  readonly #stepsByState = new Map<string, Map<string, StateMachineStep>>();

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
  findStep(from: string, type: string): StateMachineStep {
    const known = this.#stepsByState.get(from)?.get(type);
    if (known) return known;
    const fresh = this.#computeStep(from, type);
    const of = this.#stepsByState.get(from) ?? new Map<string, StateMachineStep>();
    this.#stepsByState.set(from, of.set(type, fresh));
    return fresh;
  }

  /** Returns the step that follows when the timer of this delay has run out. */
  findStepAfterDelay(from: string, delay: string): StateMachineStep {
    return this.findStep(from, `${DELAYED_EVENT_PREFIX}${delay}.${this.machine.id}.${from}`);
  }

  #computeStep(from: string, type: string): StateMachineStep {
    const before = this.machine.resolveState({ value: from, context: this.context });
    const [after, executable] = transition(this.machine, before, { type });
    const actions: readonly { readonly type: string; readonly params?: unknown }[] = executable;
    const armed = actions.find((action) => action.type === 'xstate.raise');
    const { id = '' } = (armed?.params ?? {}) as { readonly id?: string };
    return {
      nextState: String(after.value),
      actions: actions.map((action) => action.type).filter((name) => !name.startsWith('xstate.')),
      stopsTimer: actions.some((action) => action.type === 'xstate.cancel'),
      delayToStart: armed && id.slice(DELAYED_EVENT_PREFIX.length, id.indexOf('.', DELAYED_EVENT_PREFIX.length)),
    };
  }
}
