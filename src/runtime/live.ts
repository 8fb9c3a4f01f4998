/** What an activation gives its live side: the side outside the mailbox that some kinds have. */

import type { JsonObject } from '#base';
import type { ActorKey, ActorReply, RealmId } from '#model';
import type { BusRequest } from '#ports/bus';
import type { ActivationHandle, AnyKind, HeldRequest, LiveActor } from './kind.js';
import type { ActorMemory } from './memory.js';
import type { ActivationPorts } from './ports.js';

class Handle implements ActivationHandle<JsonObject> {
  constructor(
    readonly key: ActorKey,
    readonly realm: RealmId,
    private readonly memory: ActorMemory,
    private readonly ports: ActivationPorts,
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

  tell(name: string, args: JsonObject): Promise<void> {
    return this.ports.tell(this.key, name, args);
  }
}

/** Undefined for kinds that have none. */
export const startLive = (
  key: ActorKey,
  realm: RealmId,
  kind: AnyKind,
  memory: ActorMemory,
  ports: ActivationPorts,
): LiveActor | undefined => kind.live?.(new Handle(key, realm, memory, ports), ports.suppliers);

/** A command whose reply may be held for long. */
export class HeldCommand implements HeldRequest {
  /** @param owner is in use when the command is answered, or given up */
  constructor(
    readonly id: string,
    private readonly request: BusRequest,
    private readonly owner: { used(): void },
  ) {}

  reply(reply: ActorReply): void {
    this.owner.used();
    this.request.reply(reply as never);
  }

  onCancel(fn: () => void): void {
    this.request.onCancel(() => {
      this.owner.used();
      fn();
    });
  }
}
