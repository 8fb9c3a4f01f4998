/** What an activation holds of its actor: the newest state, committed or not. */

import type { Json, JsonObject } from '#base';
import type { ActorKey } from '#model';
import type { Group } from './group.js';
import type { AnyKind, Outcome, View } from './kind.js';
import type { Loaded } from './load.js';
import { PhaseMachine } from './phase-machine.js';

export class ActorMemory {
  /** False until the command that creates the actor was handled. */
  exists = false;
  state: JsonObject;
  #volatile: unknown;
  #parts = new Map<string, Json>();
  /** Kinds with a live side run their machine themselves. */
  #machine: PhaseMachine | undefined;

  constructor(
    private readonly key: ActorKey,
    private readonly kind: AnyKind,
  ) {
    this.state = kind.initial(key);
  }

  get volatile(): unknown {
    return this.#volatile;
  }

  /** As it is now; parts change with the actor. */
  view(): View<JsonObject> {
    return { state: this.state, parts: this.#parts, volatile: this.#volatile };
  }

  load({ root, parts }: Loaded, owned: number): void {
    if (root) {
      this.exists = true;
      const stored = root.state as JsonObject;
      this.state = this.kind.upgrade?.(stored) ?? stored;
    }
    this.#parts = parts;
    this.#volatile = this.kind.volatile(this.key, this.state, parts, owned);
    if (!this.kind.live) this.#machine = new PhaseMachine(this.kind.machine, this.state.phase as string | undefined);
  }

  /** Where the present phase does not take the command: the phase. */
  refusingPhase(command: string): string | undefined {
    const machine = this.#machine;
    return !machine || this.kind.commands[command]?.creates || machine.admits(command) ? undefined : machine.phase;
  }

  /** What a handler noted beside the state is as before, though its outcome is refused. False: nobody knows how it was. */
  takeBack(outcome: Outcome<JsonObject>): boolean {
    if (this.#volatile === undefined) return true;
    if (!this.kind.takeBack) return false;
    this.kind.takeBack(this.view(), outcome);
    return true;
  }

  /** Here, and in the commit in the making. */
  apply(outcome: Outcome<JsonObject>, group: Group): void {
    this.exists = true;
    if (outcome.state) this.state = outcome.state;
    const machine = this.#machine;
    if (machine && outcome.transition) machine.send(outcome.transition);
    if (machine && this.state.phase !== machine.phase) this.state = { ...this.state, phase: machine.phase };
    for (const [name, value] of Object.entries(outcome.parts ?? {})) {
      if (value === null) this.#parts.delete(name);
      else if (this.kind.loads.some((prefix) => name.startsWith(prefix))) this.#parts.set(name, value);
      group.parts.set(name, value);
    }
    for (const change of outcome.messages ?? []) group.messages.set(change.id, change);
    for (const item of outcome.events ?? []) group.items.push(item);
  }
}
