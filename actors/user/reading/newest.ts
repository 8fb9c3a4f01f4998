/** Up to where everything of a home can be seen. */

import { asStored, DIRECT_ORIGIN, NEWEST } from '#domain/messages';
import type { RealmId } from '#model';
import type { MessageIndex } from '#ports/store';
import type { InputSources } from '../../services.js';

export interface NewestOfHome {
  readonly home: number;
  /** Everything of the home up to this id is in the Store. */
  readonly settled: number;
  /** Newer ones that are there. */
  readonly newer: readonly number[];
}

/**
 * Ids of direct messages are given out before the messages are stored, and one conversation may overtake another: below
 * the newest message of this age none is still to come, since every command is given up long before.
 */
const SETTLED_MS = 120_000;
const BATCH = 64;

export async function newestDirect(
  realm: RealmId,
  user: number,
  { store, services }: InputSources,
): Promise<NewestOfHome> {
  const settledBefore = (services.clock.now() - SETTLED_MS) / 1000;
  const index: MessageIndex = { by: 'participant', user };
  const newer: number[] = [];
  let from = NEWEST;
  for (;;) {
    const records = await store.scanMessages({ realm, index, from, direction: 'older', limit: BATCH });
    for (const message of records.map(asStored)) {
      if (message.body.sent < settledBefore) return { home: DIRECT_ORIGIN, settled: message.id, newer };
      newer.push(message.id);
    }
    if (records.length < BATCH) return { home: DIRECT_ORIGIN, settled: 0, newer };
    from = records.at(-1)!.id;
  }
}
