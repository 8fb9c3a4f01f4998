/** Connects an activation with the sidecar of its kind. */
import type { JsonObject } from '#base';
import type { ActorKey, RealmId } from '#model';
import type { ActorActivationHandle, ActorSidecar, AnyActorKindDefinition, DeferredRequest } from './kind.js';
import type { ActorStateInMemory } from './memory.js';
import type { ActorActivationPorts } from './ports.js';
import type { ActorCommandReply, CommandBusRequest } from './protocol.js';

class ActivationHandleForSidecar implements ActorActivationHandle<JsonObject> {
  constructor(
    readonly key: ActorKey,
    readonly realm: RealmId,
    private readonly memory: ActorStateInMemory,
    private readonly ports: ActorActivationPorts,
  ) {}

  get volatile(): unknown {
    return this.memory.volatile;
  }

  exists(): boolean {
    return this.memory.exists;
  }

  state(): JsonObject {
    return this.memory.state;
  }

  sendSelf(name: string, args: JsonObject): Promise<void> {
    return this.ports.sendLocal(this.key, name, args);
  }
}

/** Starts the sidecar of an activation. @returns undefined for kinds without a sidecar */
export const startActorSidecar = (
  key: ActorKey,
  realm: RealmId,
  kind: AnyActorKindDefinition,
  memory: ActorStateInMemory,
  ports: ActorActivationPorts,
): ActorSidecar | undefined =>
  kind.sidecar?.(new ActivationHandleForSidecar(key, realm, memory, ports), ports.inputSources);

/** A command that the sidecar of an actor may answer much later, such as a long poll. */
export class DeferredCommand implements DeferredRequest {
  /**
   * Makes the deferred command.
   * @param owner activation, which counts as used when the command is answered or cancelled
   */
  constructor(
    readonly id: string,
    private readonly request: CommandBusRequest,
    private readonly owner: { markUsed(): void },
  ) {}

  reply(reply: ActorCommandReply): void {
    this.owner.markUsed();
    this.request.reply(reply);
  }

  onCancel(fn: () => void): void {
    this.request.onCancel(() => {
      this.owner.markUsed();
      fn();
    });
  }
}
