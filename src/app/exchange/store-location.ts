/** Opens the Store of a data directory or a cluster in parallel to the processes and threads that have it open. */
import { REAL_CLOCK } from '#base/clock';
import { makeMessageDigestIfPossible } from '#domain/messages';
import { LmdbStore, MongoStore, openSharedLmdbEnvironment, type Store } from '#ports/store';

/** Location of a Store, as plain data that a thread can get: a data directory, or the URL of a database. */
export type StoreLocation = { readonly dataDir: string } | { readonly mongodb: string };

export interface OpenedStore {
  readonly store: Store;
  close(): Promise<void>;
}

export async function openStoreAt(location: StoreLocation): Promise<OpenedStore> {
  if ('mongodb' in location) {
    const store = await MongoStore.connect(location.mongodb, REAL_CLOCK);
    return { store, close: () => store.close() };
  }
  const environment = await openSharedLmdbEnvironment(location.dataDir);
  const store = new LmdbStore(environment, REAL_CLOCK, makeMessageDigestIfPossible);
  return {
    store,
    async close() {
      await store.close();
      await environment.close();
    },
  };
}
