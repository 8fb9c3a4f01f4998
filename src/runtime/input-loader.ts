/** Loads the inputs of commands before their handlers run, in order of arrival. */

import type { JsonObject } from '#base';
import type { ActorKey, RealmId } from '#model';
import type { ActorView, AnyActorKindDefinition, CommandInputSources } from './kind.js';
import type { QueuedCommand } from './mailbox.js';
import type { ActorActivationPorts } from './ports.js';

/** Makes input sources whose requests to other actors carry the id of the command's HTTP request. */
const addRequestIdToSources = (sources: CommandInputSources, requestId: string): CommandInputSources => ({
  ...sources,
  askActor: (to, name, args, caller) => sources.askActor(to, name, args, caller, requestId),
});

export class CommandInputLoader {
  /** Resolves when the last command that waits for the directory replica has begun to load its inputs. */
  #lastDirectoryWait: Promise<void> | undefined;

  constructor(
    private readonly key: ActorKey,
    private readonly realm: RealmId,
    private readonly kind: AnyActorKindDefinition,
    private readonly ports: ActorActivationPorts,
    private readonly memory: { view(): ActorView<JsonObject> },
  ) {}

  /** Sets the inputs at once if no load has to wait; otherwise calls `ready` when they are loaded. */
  loadInputs(pending: QueuedCommand, ready: () => void): void {
    const { command, envelope } = pending;
    const settle = (promise: Promise<unknown>): void => {
      promise.then(
        (inputs) => {
          pending.inputs = inputs;
          pending.isInputLoadingDone = true;
          ready();
        },
        (error: unknown) => {
          pending.inputFailure = error ?? new Error('inputs unavailable');
          pending.isInputLoadingDone = true;
          ready();
        },
      );
    };
    const supply = (): unknown =>
      command.inputs?.(
        envelope.args,
        { key: this.key, realm: this.realm, caller: envelope.caller, view: this.memory.view() },
        envelope.requestId === ''
          ? this.ports.inputSources
          : addRequestIdToSources(this.ports.inputSources, envelope.requestId),
      );
    try {
      const directory = this.kind.usesDirectory ? this.ports.waitForDirectory(this.realm, envelope.after) : undefined;
      const inputs = directory || this.#lastDirectoryWait ? this.#waitForTurn(directory).then(supply) : supply();
      if (inputs instanceof Promise) {
        settle(inputs);
        return;
      }
      pending.inputs = inputs;
    } catch (error) {
      pending.inputFailure = error ?? new Error('inputs unavailable');
    }
    pending.isInputLoadingDone = true;
  }

  /**
   * Waits for the directory replica and for earlier commands that wait for it, so that message ids grow in the order of
   * the mailbox.
   */
  #waitForTurn(directory: Promise<void> | undefined): Promise<void> {
    // The directory promise may reject before it is this command's turn, and a rejection without a handler would crash
    // the process.
    directory?.catch(() => {});
    const before = this.#lastDirectoryWait;
    const turn = before ? before.then(() => directory) : directory!;
    const passed = turn.then(
      () => {},
      () => {},
    );
    this.#lastDirectoryWait = passed;
    void passed.then(() => {
      if (this.#lastDirectoryWait === passed) this.#lastDirectoryWait = undefined;
    });
    return turn;
  }
}
