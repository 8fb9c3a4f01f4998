/** What an activation needs from its host. */

import type { Gate, JsonObject, Logger } from '#base';
import type { Clock } from '#base/clock';
import type { ActorKey, RealmId, StopReason } from '#model';
import type { OutboxCommand } from '#model/commands';
import type { DirectoryView } from '#model/records';
import type { EventLog } from '#ports/log';
import type { Store } from '#ports/store';
import type { Activation } from './activation.js';
import type { Suppliers } from './kind.js';
import type { Meters } from './meters.js';
import type { Delivery } from './outbox.js';
import type { StoreOutage } from './store-outage.js';
import type { Untold } from './untold.js';

export interface ActivationPorts {
  readonly clock: Clock;
  readonly store: Store;
  readonly storeOutage: StoreOutage;
  readonly log: EventLog;
  readonly logger: Logger;
  readonly meters: Meters;
  readonly suppliers: Suppliers;
  readonly untold: Untold;
  /** A promise when the replica isn't there yet or behind `after`; undefined when it is at hand (or there is none). */
  directory(realm: RealmId, after: number): Promise<void> | undefined;
  directoryNow(realm: RealmId): DirectoryView;
  /** @param requestId of the HTTP request that caused it, or '' */
  sendFromOutbox(command: OutboxCommand, id: string, requestId: string): Delivery;
  tell(key: ActorKey, name: string, args: JsonObject): Promise<void>;
  /** A former activation may have a write under way. */
  suspect(key: ActorKey): boolean;
  /** Notes that this command crashed an actor; true if it had done so before. */
  crashedBefore(id: string): boolean;
  due(key: ActorKey, at: number | null): void;
  /** Actors that are read from the Store wait here: thousands wake at once when a host or frontend dies. */
  readonly loads: Gate;
  /** Wall time since which the actor's partition is ours. */
  owned(key: ActorKey): number;
  stopped(activation: Activation, reason: StopReason, error: unknown): void;
}
