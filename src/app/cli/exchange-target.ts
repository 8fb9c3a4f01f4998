/**
 * The Store and the blobs that an import writes, an export reads and a deletion empties: those of a data directory or a
 * cluster, in parallel to the running processes. Actors are reached by commands.
 */
import { join } from 'node:path';
import { AdminError, type SystemActorCaller } from '#app/admin';
import { isClusterConfig, type ServerConfig } from '#app/config';
import { type OrganizationImportTarget, openStoreAt, type StoreLocation } from '#app/exchange';
import { REAL_CLOCK, waitOnClock } from '#base/clock';
import { type RealmId, realmActorKey } from '#model';
import { realmActorCommands } from '#model/commands';
import { type BlobStorage, FolderBlobStorage, GridFsBlobStorage } from '#ports/blobs';
import type { Store } from '#ports/store';
import { START_SLEEPER_TIMERS_COMMAND } from '#runtime';
import { ImportLeaseHolder } from './import-lease.js';

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

/**
 * Pause before the Store is searched again, ms. A command that is sent again, because its host has died, arrives within
 * 2.5 s.
 */
const PAUSE_BETWEEN_REMOVALS_MS = 3_000;

/** Removes what is stored of a realm that no process reads. @returns number of rows that were removed */
async function removeStoredRealm({ store, blobs }: CliStoreAndBlobs, realm: RealmId): Promise<number> {
  const removed = await store.removeRealm(realm);
  await blobs.deleteAllOfRealm(realm);
  return removed;
}

/**
 * Removes what is stored of an organization whose actors may be in memory. Their roots are gone first, so that none of
 * them commits. A command that was under way may make an actor once more, so all is removed until nothing is left.
 */
export async function removeOrganizationBesideRunningServer(config: ServerConfig, realm: RealmId): Promise<void> {
  const opened = await openStoreBesideRunningServer(config);
  try {
    await removeStoredRealm(opened, realm);
    do await waitOnClock(REAL_CLOCK, PAUSE_BETWEEN_REMOVALS_MS);
    while ((await removeStoredRealm(opened, realm)) > 0);
  } finally {
    await opened.close();
  }
}

export const makeActorBackedImportTarget = (
  actors: SystemActorCaller,
  opened: CliStoreAndBlobs,
  lease: ImportLeaseHolder,
): OrganizationImportTarget => ({
  store: opened.store,
  storeLocation: opened.storeLocation,
  blobs: opened.blobs,
  lostSignal: lease.lostSignal,
  begin: (source) => lease.takeAndReserve(source),
  async abandon() {
    await lease.dropImport((realm) => removeStoredRealm(opened, realm));
  },
  async open(deactivated, timed, realm) {
    await lease.openOrganization(deactivated);
    // A deactivated organization needs no timers.
    if (deactivated) return;
    // A host starts the timers of a partition when it takes it, and the import has written the roots since then.
    await actors.sendForReply(realmActorKey(realm), realmActorCommands.snapshot, {});
    for (const key of timed) await actors.sendForReply(key, START_SLEEPER_TIMERS_COMMAND, {});
  },
});

export async function dropUnfinishedImportOrThrow(
  config: ServerConfig,
  actors: SystemActorCaller,
  subdomain: string,
): Promise<void> {
  const opened = await openStoreBesideRunningServer(config);
  try {
    const lease = new ImportLeaseHolder(actors, subdomain);
    if (!(await lease.dropImport((realm) => removeStoredRealm(opened, realm))))
      throw new AdminError(`no import to '${subdomain}' has begun`);
  } finally {
    await opened.close();
  }
}
