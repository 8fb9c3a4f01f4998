import type { Collection, Filter } from 'mongodb';
import type { RealmId } from '../core/index.js';
import type { MessageRecord } from '../model/records/message.js';
import { inRange, sharedIndexes } from './message-range.js';
import type { MessageIndex, MessageRange } from './store.js';
import { type MessageDocument, messageDocumentId, toMessage } from './store-mongo-documents.js';

/** A condition that more messages meet is not rare. */
const MAX_RARE = 500;
/** What reading the ids of a rare condition may take at the server, milliseconds. */
const MAX_PROBE_MS = 1_000;
/** Read at once. */
const BATCH = 200;

/** What each condition is as a filter of its own; only those whose index is worth asking. */
function filterOf(index: MessageIndex): Record<string, string | number> | undefined {
  if (index.by === 'tag') return { tags: index.tag };
  if (index.by === 'conversation') return { conversation: index.conversation };
  if (index.by === 'topic') return { conversation: index.conversation, topicKey: index.topicKey };
  if (index.by === 'sender') return { sender: index.sender };
  if (index.by === 'participant') return { participants: index.user };
  if (index.by === 'moved') return { movedFrom: index.from };
  return undefined;
}

/**
 * The first `limit` messages of these ranges with low ≤ id ≤ high where one of several conditions that all ranges have is rare: all that
 * meet it are read, and tested here. Undefined where none is.
 *
 * DocumentDB does not know which of two words is the rare one, and asks the index of the common one, too: a second for
 * 40,000 messages.
 */
export async function scanRarest(
  collection: Collection<MessageDocument>,
  realm: RealmId,
  ranges: readonly MessageRange[],
  [low, high]: readonly [number, number],
  newer: boolean,
  limit: number,
): Promise<MessageRecord[] | undefined> {
  const shared = sharedIndexes(ranges).filter((index) => filterOf(index));
  // The only one is not asked twice: it may be common, and the windows end with what is wanted.
  const ids = shared.length > 1 ? await rareIds(collection, realm, shared, low, high) : undefined;
  if (!ids) return undefined;
  ids.sort((a, b) => (newer ? a - b : b - a));
  const found: MessageRecord[] = [];
  for (let from = 0; from < ids.length && found.length < limit; from += BATCH) {
    const some = ids.slice(from, from + BATCH).map((id) => messageDocumentId(realm, id));
    const documents = await collection
      .find({ _id: { $in: some } } as Filter<MessageDocument>)
      .sort({ _id: newer ? 1 : -1 })
      .batchSize(BATCH)
      .toArray();
    for (const document of documents) {
      const record = toMessage(document);
      if (record && ranges.some((range) => inRange(record, range))) found.push(record);
    }
  }
  return found.slice(0, limit);
}

/** Ids of the condition that is first found to be rare: what the others cost nobody waits for. */
async function rareIds(
  collection: Collection<MessageDocument>,
  realm: RealmId,
  conditions: readonly MessageIndex[],
  low: number,
  high: number,
): Promise<number[] | undefined> {
  const probes = conditions.map(async (condition) => {
    const found = await collection
      .find({ realm, ...filterOf(condition), id: { $gte: low, $lte: high } } as Filter<MessageDocument>)
      .project<{ id: number }>({ _id: 0, id: 1 })
      .limit(MAX_RARE + 1)
      .batchSize(MAX_RARE + 1)
      .maxTimeMS(MAX_PROBE_MS)
      .toArray();
    if (found.length > MAX_RARE) throw new Error('not rare');
    return found.map(({ id }) => id);
  });
  return Promise.any(probes).catch(() => undefined);
}
