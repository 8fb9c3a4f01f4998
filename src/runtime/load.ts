/** Reads an actor from the Store, after applying the records that its outbox still holds. */

import type { Json } from '#base';
import type { ActorKey, Epoch } from '#model';
import type { ActorRoot, Store, StoreRecordWrite } from '#ports/store';
import type { OutboxEntry } from './commit-batch.js';

const REPLY_CACHE_PART_PREFIXES = ['done/', 'from/'];

export interface LoadedActor {
  readonly root: ActorRoot | null;
  readonly outboxEntries: readonly OutboxEntry[];
  /** Loaded parts of the actor, whose names begin with one of the kind's `loadedParts`. */
  readonly parts: Map<string, Json>;
  /** Stored parts of the reply cache (`done/*` and `from/*`). */
  readonly replyCacheParts: readonly (readonly [string, Json])[];
}

/**
 * Loads an actor. The epoch is written first, so that an older owner can no longer commit.
 *
 * @param twice true if a former activation of this host may have a write under way at the same epoch, which the epoch
 * doesn't stop: the actor is read until root and parts are of one version. Otherwise the parts could hold an answer to
 * a repeated command while the state doesn't show the effect of that command.
 */
export async function loadActorFromStore(
  store: Store,
  key: ActorKey,
  epoch: Epoch,
  prefixes: readonly string[],
  twice: boolean,
): Promise<LoadedActor | 'fenced'> {
  let root = await store.loadRoot(key, epoch);
  for (;;) {
    if (root === 'fenced') return 'fenced';
    const entries = (root?.outbox ?? []) as unknown as readonly OutboxEntry[];
    const records = entries.flatMap((entry): readonly StoreRecordWrite[] => entry.records);
    if (records.length > 0) await store.applyRecords(records);
    // Most kinds load nearly all their parts: one query costs less than one for each prefix.
    const found = root ? await store.listParts(key, '') : [];
    if (twice) {
      const again = await store.loadRoot(key, epoch);
      if (again === 'fenced' || again?.version !== root?.version) {
        root = again;
        continue;
      }
    }
    const parts = new Map<string, Json>();
    const remembered: [string, Json][] = [];
    for (const { part, value } of found) {
      if (REPLY_CACHE_PART_PREFIXES.some((prefix) => part.startsWith(prefix))) remembered.push([part, value]);
      else if (prefixes.some((prefix) => part.startsWith(prefix))) parts.set(part, value);
    }
    return { root, outboxEntries: entries, parts, replyCacheParts: remembered };
  }
}
