/** The services of the actor host that an activation uses. */
import type { JsonObject, Logger, Semaphore } from '#base';
import type { Clock } from '#base/clock';
import type { ActivationStopReason, ActorKey, RealmId } from '#model';
import type { OutboxCommand } from '#model/commands';
import type { DirectoryView } from '#model/records';
import type { EventLog } from '#ports/log';
import type { Store } from '#ports/store';
import type { AnyActorKindDefinition, CommandInputSources } from './kind.js';
import type { ActorRuntimeMetrics } from './meters.js';
import type { OutboxDelivery } from './outbox.js';
import type { SendingTurns } from './sending-turns.js';
import type { StoreOutageTracker } from './store-outage.js';
import type { UnpublishedCommits } from './unpublished-commits.js';

/** Facts about an activation that leaves memory, for its host. */
export interface StoppedActorActivation {
  readonly key: ActorKey;
  readonly kind: AnyActorKindDefinition;
  /** Reason why the actor ended, if its sidecar knows. */
  readonly endReason: string | undefined;
}

export interface ActorActivationPorts {
  readonly clock: Clock;
  readonly store: Store;
  readonly storeOutage: StoreOutageTracker;
  readonly log: EventLog;
  readonly logger: Logger;
  readonly runtimeMetrics: ActorRuntimeMetrics;
  readonly inputSources: CommandInputSources;
  readonly unpublishedCommits: UnpublishedCommits;
  /** Waits for a replica that is missing or behind `after`; undefined if the replica is ready. */
  waitForDirectory(realm: RealmId, after: number): Promise<void> | undefined;
  currentDirectory(realm: RealmId): DirectoryView;
  /**
   * Sends a command of an outbox until it is carried out.
   * @param requestId id of the HTTP request that caused the command, or ''
   */
  sendFromOutbox(command: OutboxCommand, id: string, requestId: string): OutboxDelivery;
  /** Sends a command to an actor of this host without the bus. */
  sendLocal(key: ActorKey, name: string, args: JsonObject): Promise<void>;
  /** True if an earlier activation of this actor may still have a write under way. */
  mayHaveWriteUnderWay(key: ActorKey): boolean;
  /** Records that this command crashed an actor. @returns true if it had crashed an actor before */
  crashedBefore(id: string): boolean;
  /** Sets the wall time (ms) at which the actor is woken; null: never. */
  setDueTime(key: ActorKey, at: number | null): void;
  /** Limits the concurrent loads of actors: thousands of actors wake at once when a host or frontend dies. */
  readonly loadLimiter: Semaphore;
  /** Spreads the commands that the actors of this host send over turns of the event loop. */
  readonly sendingTurns: SendingTurns;
  /** Wall time since which this host has owned the actor's partition, ms. */
  ownedSince(key: ActorKey): number;
  stopped(activation: StoppedActorActivation, reason: ActivationStopReason, error: unknown): void;
}
