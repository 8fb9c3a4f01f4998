import type { JsonObject } from '#base';
import { type Partition, partitionOf, realmId, realmKey } from '#model';
import type { Root, Store } from '#ports/store';

/** More than any organization sends between a backup and its loss; of 2^53 ids. */
const SKIPPED = 1_000_000;

/**
 * In every organization of a restored Store the next message id is larger than any that a client can have seen. Nobody
 * may run actors meanwhile; whoever does fails at its next commit.
 */
export async function skipMessageIds(store: Store, count = SKIPPED): Promise<void> {
  const server = await load(store, 0);
  if (!server) return;
  const { nextRealm } = server.state as JsonObject & { readonly nextRealm: number };
  for (let realm = 1; realm < nextRealm; realm++) {
    const root = await load(store, realm);
    if (!root) continue;
    const state = root.state as JsonObject & { readonly reservedIds: number };
    const { key, epoch, version, outbox, due } = root;
    const write = { key, epoch, expected: version, outbox, due, records: [] };
    const done = await store.commit({ ...write, state: { ...state, reservedIds: state.reservedIds + count } });
    if (done !== 'ok') throw new Error(`organization ${realm} is in use: stop every process of the cluster first`);
  }
}

/** With an epoch of our own, so that no other owner's commit comes between. */
async function load(store: Store, realm: number): Promise<Root | undefined> {
  const key = realmKey(realmId(realm));
  const partition: Partition = partitionOf(key);
  const root = await store.load(key, await store.raiseEpoch(partition, 0));
  if (root === 'fenced') throw new Error(`organization ${realm} is in use: stop every process of the cluster first`);
  return root ?? undefined;
}
