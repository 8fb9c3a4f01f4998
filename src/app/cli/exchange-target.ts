/**
 * The Store and the blobs that an import writes and an export reads: those of a data directory or a cluster, in
 * parallel to the running processes. Actors are reached by commands.
 */
import { join } from 'node:path';
import { AdminError, type SystemActorCaller } from '#app/admin';
import { isClusterConfig, type ServerConfig } from '#app/config';
import { type OrganizationImportTarget, openStoreAt, type StoreLocation } from '#app/exchange';
import {
  type ActorKey,
  parseActorKey,
  realmActorKey,
  streamActorKey,
  toStreamId,
  toUserId,
  userActorKey,
} from '#model';
import { conversationActorCommands, realmActorCommands, userActorCommands } from '#model/commands';
import { type BlobStorage, FolderBlobStorage, GridFsBlobStorage } from '#ports/blobs';
import type { Store } from '#ports/store';
import { ImportLeaseHolder } from './import-lease.js';

/** Number of actors that are woken at a time. */
const MAX_CONCURRENT_ACTOR_WAKE_UPS = 8;

export interface CliStoreAndBlobs {
  readonly store: Store;
  readonly storeLocation: StoreLocation;
  readonly blobs: BlobStorage;
  close(): Promise<void>;
}

/** Opens the configured Store and blobs in parallel to the processes that have them open. */
export async function openStoreBesideRunningServer(config: ServerConfig): Promise<CliStoreAndBlobs> {
  const isCluster = isClusterConfig(config);
  const storeLocation = isCluster ? { mongodb: config.mongodb! } : { dataDir: config.dataDir };
  const { store, close } = await openStoreAt(storeLocation);
  const blobs = isCluster
    ? await GridFsBlobStorage.connect(config.mongodb!)
    : await FolderBlobStorage.openShared(join(config.dataDir, 'blobs'));
  return {
    store,
    storeLocation,
    blobs,
    async close() {
      await blobs.close();
      await close();
    },
  };
}

export const makeActorBackedImportTarget = (
  actors: SystemActorCaller,
  { store, storeLocation, blobs }: CliStoreAndBlobs,
  lease: ImportLeaseHolder,
): OrganizationImportTarget => ({
  store,
  storeLocation,
  blobs,
  lostSignal: lease.lostSignal,
  begin: (source) => lease.takeAndReserve(source),
  async abandon() {
    await lease.dropReservation();
  },
  async open(deactivated, timed, realm) {
    await lease.openOrganization(deactivated);
    // Only loading an actor starts its timer. A deactivated organization needs no timers.
    if (deactivated) return;
    await actors.sendForReply(realmActorKey(realm), realmActorCommands.snapshot, {});
    for (let from = 0; from < timed.length; from += MAX_CONCURRENT_ACTOR_WAKE_UPS) {
      await Promise.all(
        timed.slice(from, from + MAX_CONCURRENT_ACTOR_WAKE_UPS).map((key) => loadActorToStartTimer(actors, key)),
      );
    }
  },
});

/** Wakes an actor, by a command that changes nothing, so that its timer starts. */
async function loadActorToStartTimer(actors: SystemActorCaller, key: ActorKey): Promise<void> {
  const { kind, realm, idWithinRealm } = parseActorKey(key);
  if (kind === 'user')
    await actors.sendForReply(userActorKey(realm, toUserId(Number(idWithinRealm))), userActorCommands.sealedKey, {});
  else if (kind === 'stream') {
    await actors.sendForReply(
      streamActorKey(realm, toStreamId(Number(idWithinRealm))),
      conversationActorCommands.awaitPublished,
      {},
    );
  } else await actors.sendForReply(key, conversationActorCommands.awaitPublished, {});
}

export async function dropUnfinishedImportOrThrow(actors: SystemActorCaller, subdomain: string): Promise<void> {
  if (!(await new ImportLeaseHolder(actors, subdomain).dropReservation()))
    throw new AdminError(`no import to '${subdomain}' has begun`);
}
