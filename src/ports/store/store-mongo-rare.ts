import type { Collection, Filter } from 'mongodb';
import type { RealmId } from '#model';
import type { MessageRecord } from '#model/records';
import { isMessageInRange, sharedIndexesOfMessageRanges } from './message-range.js';
import type { MessageIndexCondition, MessageIndexRange } from './store.js';
import {
  decodeMongoMessageDocument,
  type MongoMessageDocument,
  mongoMessageDocumentId,
} from './store-mongo-documents.js';

/** Maximum number of messages that meet a condition that counts as rare. */
const MAX_MESSAGES_OF_RARE_CONDITION = 500;
/** Time limit at the server for reading the ids of a condition, milliseconds. */
const RARITY_PROBE_TIMEOUT_MS = 1_000;
/** Number of messages read at a time. */
const MESSAGES_PER_READ = 200;

/** Makes a MongoDB filter for the condition alone; undefined if its index isn't worth reading. */
function makeConditionFilter(index: MessageIndexCondition): Record<string, string | number> | undefined {
  if (index.by === 'tag') return { tags: index.tag };
  if (index.by === 'conversation') return { conversation: index.conversation };
  if (index.by === 'topic') return { conversation: index.conversation, topicKey: index.topicKey };
  if (index.by === 'sender') return { sender: index.sender };
  if (index.by === 'participant') return { participants: index.user };
  if (index.by === 'moved') return { movedFrom: index.from };
  return undefined;
}

/**
 * If one of several conditions shared by all ranges is rare, reads all messages that meet that condition and checks the
 * other conditions in this process. Returns the first `limit` messages with low ≤ id ≤ high, or undefined if no
 * condition is rare.
 *
 * DocumentDB can't tell which of two words is the rare one, and reads the index of the common one too: a second for
 * 40,000 messages.
 */
export async function scanMongoByRareCondition(
  collection: Collection<MongoMessageDocument>,
  realm: RealmId,
  ranges: readonly MessageIndexRange[],
  [low, high]: readonly [number, number],
  newer: boolean,
  limit: number,
): Promise<MessageRecord[] | undefined> {
  const shared = sharedIndexesOfMessageRanges(ranges).filter((index) => makeConditionFilter(index));
  // A single condition isn't probed for rarity: it may be common, and the windows of `scanMongoMessages` stop after
  // `limit` messages.
  const ids = shared.length > 1 ? await readIdsOfRareCondition(collection, realm, shared, low, high) : undefined;
  if (!ids) return undefined;
  ids.sort((a, b) => (newer ? a - b : b - a));
  const found: MessageRecord[] = [];
  for (let from = 0; from < ids.length && found.length < limit; from += MESSAGES_PER_READ) {
    const some = ids.slice(from, from + MESSAGES_PER_READ).map((id) => mongoMessageDocumentId(realm, id));
    const documents = await collection
      .find({ _id: { $in: some } } as Filter<MongoMessageDocument>)
      .sort({ _id: newer ? 1 : -1 })
      .batchSize(MESSAGES_PER_READ)
      .toArray();
    for (const document of documents) {
      const record = decodeMongoMessageDocument(document);
      if (record && ranges.some((range) => isMessageInRange(record, range))) found.push(record);
    }
  }
  return found.slice(0, limit);
}

/**
 * Reads the ids of the condition that is first found to be rare. The result doesn't wait for the probes of the other
 * conditions.
 */
async function readIdsOfRareCondition(
  collection: Collection<MongoMessageDocument>,
  realm: RealmId,
  conditions: readonly MessageIndexCondition[],
  low: number,
  high: number,
): Promise<number[] | undefined> {
  const probes = conditions.map(async (condition) => {
    const found = await collection
      .find({ realm, ...makeConditionFilter(condition), id: { $gte: low, $lte: high } } as Filter<MongoMessageDocument>)
      .project<{ id: number }>({ _id: 0, id: 1 })
      .limit(MAX_MESSAGES_OF_RARE_CONDITION + 1)
      .batchSize(MAX_MESSAGES_OF_RARE_CONDITION + 1)
      .maxTimeMS(RARITY_PROBE_TIMEOUT_MS)
      .toArray();
    if (found.length > MAX_MESSAGES_OF_RARE_CONDITION) throw new Error('not rare');
    return found.map(({ id }) => id);
  });
  return Promise.any(probes).catch(() => undefined);
}
