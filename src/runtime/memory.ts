/** The actor as its activation holds it in memory: the newest state and parts, committed or not. */

import type { Json, JsonObject } from '#base';
import type { ActorKey, ActorReply } from '#model';
import type { CommitBatch } from './commit-batch.js';
import type { ActorView, AnyActorKindDefinition, CommandOutcome } from './kind.js';
import type { LoadedActor } from './load.js';
import { ActorPhaseTable } from './phases.js';
import type { CommandEnvelope } from './protocol.js';

export class ActorStateInMemory {
  /** False until the command that creates the actor has been handled. */
  exists = false;
  state: JsonObject;
  #volatile: unknown;
  #loadedPartByName = new Map<string, Json>();
  readonly #phaseTable: ActorPhaseTable | undefined;

  constructor(
    private readonly key: ActorKey,
    private readonly kind: AnyActorKindDefinition,
  ) {
    this.state = kind.makeInitialState(key);
    this.#phaseTable = kind.phaseMachine && ActorPhaseTable.findOrMakeForMachine(kind.phaseMachine);
  }

  get volatile(): unknown {
    return this.#volatile;
  }

  /** Returns the present state; the map of parts is the live one and changes with the actor. */
  view(): ActorView<JsonObject> {
    return { state: this.state, parts: this.#loadedPartByName, volatile: this.#volatile };
  }

  fillFromLoadedActor({ root, parts }: LoadedActor, ownedSince: number): void {
    if (root) {
      this.exists = true;
      const stored = root.state as JsonObject;
      this.state = this.kind.upgrade?.(stored) ?? stored;
    }
    this.#loadedPartByName = parts;
    this.#volatile = this.kind.makeVolatile(this.key, this.state, parts, ownedSince);
  }

  /** Returns the present phase's refusal of a command; undefined if the command may run. */
  findPhaseRefusal({ name, caller }: CommandEnvelope): ActorReply | undefined {
    const { phase } = this;
    if (phase === undefined || this.#phaseTable?.findPhaseAfterCommand(phase, name, caller) !== null) return undefined;
    const refuse = this.kind.refusalByPhase?.[phase];
    if (!refuse) throw new Error(`${this.key} is ${phase} and has no reply to the ${name} that it does not take`);
    return refuse(this.key);
  }

  /** Phase into which the command takes the actor; undefined if that is the present one. */
  findNextPhase({ name, caller }: CommandEnvelope): string | undefined {
    const { phase } = this;
    const next = phase === undefined ? undefined : this.#phaseTable?.findPhaseAfterCommand(phase, name, caller);
    return next === phase ? undefined : (next ?? undefined);
  }

  /** Current phase of the actor; undefined for kinds without phases. */
  get phase(): string | undefined {
    return this.#phaseTable && ((this.state.phase as string | undefined) ?? this.#phaseTable.initialPhase);
  }

  /**
   * Undoes the handler's changes of `volatile` after a refused outcome. Returns false if the kind cannot, so that
   * memory is unusable.
   */
  undoVolatileChanges(outcome: CommandOutcome<JsonObject>): boolean {
    if (this.#volatile === undefined) return true;
    if (!this.kind.takeBack) return false;
    this.kind.takeBack(this.view(), outcome);
    return true;
  }

  /** Makes the outcome part of memory and of the open batch. */
  applyOutcome(outcome: CommandOutcome<JsonObject>, batch: CommitBatch, phase: string | undefined): void {
    this.exists = true;
    if (outcome.state) this.state = outcome.state;
    if (phase !== undefined) this.state = { ...this.state, phase };
    const { parts } = outcome;
    for (const name in parts) {
      const value = parts[name]!;
      if (value === null) this.#loadedPartByName.delete(name);
      else if (this.kind.loadedParts.some((prefix) => name.startsWith(prefix))) this.#loadedPartByName.set(name, value);
      batch.partValueByName.set(name, value);
    }
    const { events, messages } = outcome;
    if (messages) for (const change of messages) batch.messageChangeById.set(change.id, change);
    if (events) for (const item of events) batch.logItems.push(item);
  }
}
