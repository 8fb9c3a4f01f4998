/**
 * Where an import writes and an export reads: the Store and the blobs of a data directory or a cluster, beside the
 * processes that run; and the actors, which are asked by commands.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type ActorCaller, AdminError } from '#app/admin';
import { type Config, isClusterConfig } from '#app/config';
import type { ImportTarget } from '#app/exchange';
import { REAL_CLOCK } from '#base/clock';
import { makeDigest } from '#domain/messages';
import { type ActorKey, parseActorKey, realmId, realmKey, streamId, streamKey, userId, userKey } from '#model';
import { conversationCommands, realmCommands, userCommands } from '#model/commands';
import { type Blobs, DirectoryBlobs, GridFsBlobs } from '#ports/blobs';
import { LmdbStore, MongoStore, openSharedLmdbEnvironment, type Store } from '#ports/store';

const SERVER = realmKey(realmId(0));
/** Number of actors that are woken together. */
const WOKEN_TOGETHER = 64;

export interface OpenedStore {
  readonly store: Store;
  readonly blobs: Blobs;
  close(): Promise<void>;
}

/** Opens the configured Store beside the processes that have it open. */
export async function openStoreBeside(config: Config): Promise<OpenedStore> {
  if (isClusterConfig(config)) {
    const mongodb = config.mongodb!;
    const store = await MongoStore.connect(mongodb, REAL_CLOCK);
    const blobs = await GridFsBlobs.connect(mongodb);
    return {
      store,
      blobs,
      async close() {
        await blobs.close();
        await store.close();
      },
    };
  }
  const environment = await openSharedLmdbEnvironment(config.dataDir);
  const store = new LmdbStore(environment, REAL_CLOCK, makeDigest);
  const blobs = await DirectoryBlobs.open(join(config.dataDir, 'blobs'));
  return {
    store,
    blobs,
    async close() {
      await blobs.close();
      await store.close();
      await environment.close();
    },
  };
}

export const importTarget = (actors: ActorCaller, { store, blobs }: OpenedStore, subdomain: string): ImportTarget => ({
  store,
  blobs,
  begin: (source) =>
    actors.value(SERVER, realmCommands.beginImport, { subdomain, source, seed: randomBytes(24).toString('base64url') }),
  async abandon() {
    await actors.value(SERVER, realmCommands.dropImport, { subdomain });
  },
  async open(deactivated, timed, realm) {
    await actors.value(SERVER, realmCommands.endImport, { subdomain, deactivated });
    // Timers are noticed when an actor is loaded; a deactivated organization has nothing to do.
    if (deactivated) return;
    await actors.send(realmKey(realm), realmCommands.snapshot, {});
    for (let from = 0; from < timed.length; from += WOKEN_TOGETHER) {
      await Promise.all(timed.slice(from, from + WOKEN_TOGETHER).map((key) => wake(actors, key)));
    }
  },
});

/** Has an actor loaded, by a command that changes nothing. */
async function wake(actors: ActorCaller, key: ActorKey): Promise<void> {
  const { kind, realm, rest } = parseActorKey(key);
  if (kind === 'user') await actors.send(userKey(realm, userId(Number(rest))), userCommands.sealedKey, {});
  else if (kind === 'stream') {
    await actors.send(streamKey(realm, streamId(Number(rest))), conversationCommands.awaitPublished, {});
  } else await actors.send(key, conversationCommands.awaitPublished, {});
}

export async function dropImport(actors: ActorCaller, subdomain: string): Promise<void> {
  const dropped = await actors.value(SERVER, realmCommands.dropImport, { subdomain });
  if (!dropped) throw new AdminError(`no import to '${subdomain}' has begun`);
}
