import type { Collection, Filter } from 'mongodb';
import type { RealmId } from '../core/index.js';
import type { MessageIndex, MessageRecord, MessageScan } from './store.js';
import { type MessageDocument, messageDocumentId, toMessage } from './store-mongo-documents.js';

/** Ids looked at first, for each message wanted: one conversation among a few. */
const FIRST_WINDOW = 4;
const SMALLEST_WINDOW = 256;
/** Anchors beyond any real id ("newest") would waste the first window. */
const BEYOND = 2 ** 52;

/**
 * At most `limit` messages along one index.
 *
 * DocumentDB's indexes give ranges, but order only for `_id`: an unbounded sort of an index reads all that match (370 ms
 * for 300,000). So an index is read in windows of ids that grow until enough was found or the realm's ids end; the realm
 * itself is read in the order of `_id`. On MongoDB this costs nothing.
 */
export async function scan(collection: Collection<MessageDocument>, wanted: MessageScan): Promise<MessageRecord[]> {
  const { realm, index, direction, limit } = wanted;
  if (limit <= 0) return [];
  if (index.by === 'realm') return byId(collection, wanted);
  const found: MessageRecord[] = [];
  const newer = direction === 'newer';
  let window = Math.max(SMALLEST_WINDOW, limit * FIRST_WINDOW);
  let ends: Ends | undefined;
  // The next id to look at, moving in the direction of the scan.
  let at = newer ? Math.max(0, wanted.from + 1) : Math.min(wanted.from, Number.MAX_SAFE_INTEGER) - 1;
  if (newer ? at <= 1 : at >= BEYOND) ends = await realmEnds(collection, realm);
  for (;;) {
    if (ends === null) return found;
    if (ends) {
      if (newer ? at > ends.last : at < ends.first) return found;
      at = newer ? Math.max(at, ends.first) : Math.min(at, ends.last);
    }
    const [low, high] = newer ? [at, at + window - 1] : [at - window + 1, at];
    const filter = { realm, ...condition(index), id: { $gte: low, $lte: high } } as Filter<MessageDocument>;
    const left = limit - found.length;
    const documents = await collection
      .find(filter)
      .sort({ id: newer ? 1 : -1 })
      .limit(left)
      .batchSize(left)
      .toArray();
    for (const document of documents) {
      const record = toMessage(document);
      if (record) found.push(record);
    }
    if (found.length >= limit) return found;
    at = newer ? high + 1 : low - 1;
    ends ??= await realmEnds(collection, realm);
    // Nothing at all: what is looked for is rare, or far away.
    window *= documents.length === 0 ? 4 : 2;
  }
}

/** Null: the realm has no messages. */
type Ends = { readonly first: number; readonly last: number } | null;

async function realmEnds(collection: Collection<MessageDocument>, realm: RealmId): Promise<Ends> {
  const all = { _id: { $gte: messageDocumentId(realm, 0), $lte: messageDocumentId(realm, Number.MAX_SAFE_INTEGER) } };
  const end = (order: 1 | -1): Promise<Pick<MessageDocument, 'id'> | null> =>
    collection.findOne(all, { sort: { _id: order }, projection: { id: 1 } });
  const [first, last] = await Promise.all([end(1), end(-1)]);
  return first && last && { first: first.id, last: last.id };
}

async function byId(collection: Collection<MessageDocument>, wanted: MessageScan): Promise<MessageRecord[]> {
  const { realm, direction, limit } = wanted;
  const newer = direction === 'newer';
  const [low, high] = newer ? [wanted.from + 1, Number.MAX_SAFE_INTEGER] : [0, wanted.from - 1];
  if (high < 0 || low > Number.MAX_SAFE_INTEGER) return [];
  const found: MessageRecord[] = [];
  const range = { $gte: messageDocumentId(realm, low), $lte: messageDocumentId(realm, high) };
  // Tombstones have no sender.
  const filter = { _id: range, sender: { $gte: 0 } } as Filter<MessageDocument>;
  const cursor = collection
    .find(filter)
    .sort({ _id: newer ? 1 : -1 })
    .limit(limit)
    .batchSize(limit);
  for (const document of await cursor.toArray()) {
    const record = toMessage(document);
    if (record) found.push(record);
  }
  return found;
}

function condition(index: Exclude<MessageIndex, { by: 'realm' }>): Record<string, string | number> {
  switch (index.by) {
    case 'conversation':
      return { conversation: index.conversation };
    case 'topic':
      return { conversation: index.conversation, topicKey: index.topicKey };
    case 'sender':
      return { sender: index.sender };
    case 'participant':
      return { participants: index.user };
    case 'tag':
      return { tags: index.tag };
    case 'moved':
      return { movedFrom: index.from };
  }
}
