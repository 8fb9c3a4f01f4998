/** What an activation gives its live side: the side outside the mailbox that some kinds have. */
import type { BusRequest } from '../bus/index.js';
import type { ActorKey, RealmId } from '../core/index.js';
import type { AnyKind, HeldRequest, LiveActor } from './kind.js';
import type { ActorMemory } from './memory.js';
import type { ActivationPorts } from './ports.js';

/** Undefined for kinds that have none. */
export const startLive = (
  key: ActorKey,
  realm: RealmId,
  kind: AnyKind,
  memory: ActorMemory,
  ports: ActivationPorts,
): LiveActor | undefined =>
  kind.live?.(
    {
      key,
      realm,
      exists: () => memory.exists,
      state: () => memory.state,
      volatile: memory.view().volatile,
      tell: (name, args) => ports.tell(key, name, args),
    },
    ports.suppliers,
  );

/** @param answered when it is */
export const heldRequest = (id: string, request: BusRequest, answered: () => void): HeldRequest => ({
  id,
  reply: (reply) => {
    answered();
    request.reply(reply as never);
  },
  onCancel: (fn) => request.onCancel(fn),
});
