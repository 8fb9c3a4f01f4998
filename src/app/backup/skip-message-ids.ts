/** Skips message ids in a restored Store. */
import type { JsonObject } from '#base';
import { type Partition, partitionOfActor, realmActorKey, toRealmId } from '#model';
import type { ActorRoot, Store } from '#ports/store';

/** Number of skipped ids: more than any organization uses between a backup and its loss. Message ids go up to 2^53. */
const SKIPPED_IDS_PER_REALM = 1_000_000;

/**
 * Raises the next message id of every organization above any id that a client can have seen. Stop all actors first; an
 * actor that still runs fails at its next commit.
 */
export async function skipMessageIdsInAllRealms(store: Store, count = SKIPPED_IDS_PER_REALM): Promise<void> {
  const server = await takeOverRealmActorRoot(store, 0);
  if (!server) return;
  const { nextRealm } = server.state as JsonObject & { readonly nextRealm: number };
  for (let realm = 1; realm < nextRealm; realm++) {
    const root = await takeOverRealmActorRoot(store, realm);
    if (!root) continue;
    const state = root.state as JsonObject & { readonly reservedIds: number };
    const { key, epoch, version, outbox, due } = root;
    const write = { key, epoch, expected: version, outbox, due, records: [] };
    const done = await store.commit({ ...write, state: { ...state, reservedIds: state.reservedIds + count } });
    if (done !== 'ok') throw new Error(`organization ${realm} is in use: stop every process of the cluster first`);
  }
}

/** Loads a root under a new epoch, so that no other owner's commit can come between. */
async function takeOverRealmActorRoot(store: Store, realm: number): Promise<ActorRoot | undefined> {
  const key = realmActorKey(toRealmId(realm));
  const partition: Partition = partitionOfActor(key);
  const root = await store.loadRoot(key, await store.raiseEpoch(partition, 0));
  if (root === 'fenced') throw new Error(`organization ${realm} is in use: stop every process of the cluster first`);
  return root ?? undefined;
}
