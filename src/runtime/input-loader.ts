/** Gets what commands need before their handlers run, in the order in which they arrived. */

import type { JsonObject } from '#base';
import type { ActorKey, RealmId } from '#model';
import type { AnyKind, InputSources, View } from './kind.js';
import type { QueuedCommand } from './mailbox.js';
import type { ActivationPorts } from './ports.js';

/** What a command asks of other actors belongs to the same request. */
const forRequest = (sources: InputSources, requestId: string): InputSources => ({
  ...sources,
  ask: (to, name, args, caller) => sources.ask(to, name, args, caller, requestId),
});

export class InputLoader {
  /** Last command that waits for the directory. */
  #waiting: Promise<void> | undefined;

  constructor(
    private readonly key: ActorKey,
    private readonly realm: RealmId,
    private readonly kind: AnyKind,
    private readonly ports: ActivationPorts,
    private readonly memory: { view(): View<JsonObject> },
  ) {}

  /** Synchronously when everything is at hand; else `ready` is called later. */
  start(pending: QueuedCommand, ready: () => void): void {
    const { command, envelope } = pending;
    const settle = (promise: Promise<unknown>): void => {
      promise.then(
        (inputs) => {
          pending.inputs = inputs;
          pending.ready = true;
          ready();
        },
        (error: unknown) => {
          pending.failure = error ?? new Error('inputs unavailable');
          pending.ready = true;
          ready();
        },
      );
    };
    const supply = (): unknown =>
      command.inputs?.(
        envelope.args,
        { key: this.key, realm: this.realm, caller: envelope.caller, view: this.memory.view() },
        envelope.requestId === '' ? this.ports.sources : forRequest(this.ports.sources, envelope.requestId),
      );
    try {
      const directory = this.kind.directory ? this.ports.directory(this.realm, envelope.after) : undefined;
      const inputs = directory || this.#waiting ? this.#inTurn(directory).then(supply) : supply();
      if (inputs instanceof Promise) {
        settle(inputs);
        return;
      }
      pending.inputs = inputs;
    } catch (error) {
      pending.failure = error ?? new Error('inputs unavailable');
    }
    pending.ready = true;
  }

  /** Message ids must grow in the order of the mailbox: none is asked for while an earlier command still waits. */
  #inTurn(directory: Promise<void> | undefined): Promise<void> {
    // It may fail before its turn, when nobody listens yet.
    directory?.catch(() => {});
    const before = this.#waiting;
    const turn = before ? before.then(() => directory) : directory!;
    const passed = turn.then(
      () => {},
      () => {},
    );
    this.#waiting = passed;
    void passed.then(() => {
      if (this.#waiting === passed) this.#waiting = undefined;
    });
    return turn;
  }
}
