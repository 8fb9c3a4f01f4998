/** Reads ranges of messages from MongoDB. */
import type { Collection, Filter } from 'mongodb';
import type { RealmId } from '#model';
import type { MessageRecord } from '#model/records';
import { indexesOfMessageRange, rangesOfMessageScan } from './message-range.js';
import type { MessageIndexRange, MessageScan } from './store.js';
import {
  decodeMongoMessageDocument,
  type MongoMessageDocument,
  mongoMessageDocumentId,
} from './store-mongo-documents.js';
import { makeMongoFilterClauses } from './store-mongo-filter.js';
import { scanMongoByRareCondition } from './store-mongo-rare.js';

/** Size of the first window, in ids per wanted message: it suits one conversation among a few. */
const FIRST_WINDOW_IDS_PER_MESSAGE = 4;
const MIN_WINDOW_IDS = 256;
/**
 * Size of the largest window that is read in the order of `_id` and filtered, for scans with several conditions or
 * ranges: 2 ms per 1,000 ids. An index scan costs as much as all entries of a word, however small the window: 50 ms for
 * a word in 20,000 messages.
 */
const MAX_ORDERED_WINDOW_IDS = 8_192;
const FIRST_ORDERED_WINDOW_IDS_PER_MESSAGE = 8;
/** Id from which anchors count as "newest": they lie beyond any real id and would waste the first window. */
const NEWEST_ANCHOR_MIN_ID = 2 ** 52;

/**
 * Reads at most `limit` messages of the scan's ranges.
 *
 * DocumentDB's indexes select ranges but keep order only for `_id`: an unbounded sort by another index reads all
 * matches (370 ms for 300,000). So indexes are read in windows of ids that grow until enough messages are found or the
 * realm's ids end. The whole realm is read in the order of `_id`. On MongoDB the windows cost nothing.
 */
export async function scanMongoMessages(
  collection: Collection<MongoMessageDocument>,
  wanted: MessageScan,
): Promise<MessageRecord[]> {
  const { realm, direction, limit } = wanted;
  if (limit <= 0) return [];
  const ranges = rangesOfMessageScan(wanted);
  if (ranges.some(isWholeRealmRange)) return readWholeRealmInIdOrder(collection, wanted);
  const found: MessageRecord[] = [];
  const newer = direction === 'newer';
  let several = ranges.length > 1 || indexesOfMessageRange(wanted).length > 1;
  let inOrder = several ? Math.max(MAX_ORDERED_WINDOW_IDS, limit * FIRST_ORDERED_WINDOW_IDS_PER_MESSAGE) : 0;
  let window = Math.max(
    MIN_WINDOW_IDS,
    limit * (inOrder > 0 ? FIRST_ORDERED_WINDOW_IDS_PER_MESSAGE : FIRST_WINDOW_IDS_PER_MESSAGE),
  );
  let ends: RealmMessageIdBounds | undefined;
  // The start of the next window; it moves in the direction of the scan.
  let at = newer ? Math.max(0, wanted.from + 1) : Math.min(wanted.from, Number.MAX_SAFE_INTEGER) - 1;
  if (newer ? at <= 1 : at >= NEWEST_ANCHOR_MIN_ID) ends = await readRealmMessageIdBounds(collection, realm);
  for (;;) {
    if (ends === null) return found;
    const reach = computeIdBoundsOfRanges(ranges, ends);
    if (newer ? at > reach.last : at < reach.first) return found;
    at = newer ? Math.max(at, reach.first) : Math.min(at, reach.last);
    const [low, high] = newer ? [at, at + window - 1] : [at - window + 1, at];
    const clauses = makeMongoFilterClauses(realm, ranges, low, high);
    const ordered = window <= inOrder;
    if (!ordered && several) {
      several = false;
      const rest: readonly [number, number] = newer ? [at, reach.last] : [reach.first, at];
      const rare = await scanMongoByRareCondition(collection, realm, ranges, rest, newer, limit - found.length);
      if (rare) return [...found, ...rare];
    }
    const documents = ordered
      ? await readWindowInIdOrder(collection, realm, clauses, [low, high], newer, limit - found.length)
      : await readWindowByIndex(collection, clauses, newer, limit - found.length);
    if (ordered) inOrder -= window;
    for (const document of documents) {
      const record = decodeMongoMessageDocument(document);
      if (record) found.push(record);
    }
    if (found.length >= limit) return found;
    at = newer ? high + 1 : low - 1;
    ends ??= await readRealmMessageIdBounds(collection, realm);
    // A window without matches grows faster, because matches are rare or far away.
    window *= ordered || documents.length === 0 ? 4 : 2;
  }
}

/**
 * Reads the first `limit` matches of a window, in the order of `_id`, if necessary through all documents of the window.
 */
async function readWindowInIdOrder(
  collection: Collection<MongoMessageDocument>,
  realm: RealmId,
  clauses: readonly Readonly<Record<string, unknown>>[],
  [low, high]: readonly [number, number],
  newer: boolean,
  limit: number,
): Promise<MongoMessageDocument[]> {
  if (clauses.length === 0) return [];
  const window = { $gte: mongoMessageDocumentId(realm, low), $lte: mongoMessageDocumentId(realm, high) };
  // Conditions that the window already implies are left out: they would only tempt the server to use their index.
  const conditions = clauses.map(({ realm: _, id, ...clause }) => {
    const { $gte, $lte } = (id ?? {}) as { $gte?: number; $lte?: number };
    return id === undefined || ($gte === low && $lte === high) ? clause : { ...clause, id };
  });
  const filter =
    conditions.length === 1 ? { $and: [{ _id: window }, conditions[0]] } : { _id: window, $or: conditions };
  return collection
    .find(filter as Filter<MongoMessageDocument>)
    .sort({ _id: newer ? 1 : -1 })
    .limit(limit)
    .batchSize(limit)
    .toArray();
}

/**
 * Reads the first `limit` matches in the order of the scan. Each clause is a query of its own: DocumentDB uses no index
 * for `$or`.
 */
async function readWindowByIndex(
  collection: Collection<MongoMessageDocument>,
  clauses: readonly object[],
  newer: boolean,
  limit: number,
): Promise<MongoMessageDocument[]> {
  const lists = clauses.map((clause) =>
    collection
      .find(clause as Filter<MongoMessageDocument>)
      .sort({ id: newer ? 1 : -1 })
      .limit(limit)
      .batchSize(limit)
      .toArray(),
  );
  const found = await Promise.all(lists);
  if (found.length === 1) return found[0] as MongoMessageDocument[];
  const each = new Map(found.flat().map((document) => [document.id, document]));
  return [...each.values()].sort((a, b) => (newer ? a.id - b.id : b.id - a.id)).slice(0, limit);
}

const isWholeRealmRange = (range: MessageIndexRange): boolean =>
  range.above === undefined &&
  range.upTo === undefined &&
  indexesOfMessageRange(range).every(({ by }) => by === 'realm');

/** Returns the bounds of the ids that the ranges can contain. */
function computeIdBoundsOfRanges(
  ranges: readonly MessageIndexRange[],
  ends: RealmMessageIdBounds | undefined,
): { first: number; last: number } {
  let first = Number.MAX_SAFE_INTEGER;
  let last = 0;
  for (const range of ranges) {
    const lists = indexesOfMessageRange(range).flatMap((index) => (index.by === 'ids' ? [index.ids] : []));
    first = Math.min(
      first,
      Math.max((range.above ?? -1) + 1, ...lists.map((ids) => ids[0] ?? Number.MAX_SAFE_INTEGER)),
    );
    last = Math.max(last, Math.min(range.upTo ?? Number.MAX_SAFE_INTEGER, ...lists.map((ids) => ids.at(-1) ?? -1)));
  }
  return { first: Math.max(first, ends?.first ?? 0), last: Math.min(last, ends?.last ?? Number.MAX_SAFE_INTEGER) };
}

/** First and last id of a realm; null for a realm without messages. */
type RealmMessageIdBounds = { readonly first: number; readonly last: number } | null;

async function readRealmMessageIdBounds(
  collection: Collection<MongoMessageDocument>,
  realm: RealmId,
): Promise<RealmMessageIdBounds> {
  const all = {
    _id: { $gte: mongoMessageDocumentId(realm, 0), $lte: mongoMessageDocumentId(realm, Number.MAX_SAFE_INTEGER) },
  };
  const end = (order: 1 | -1): Promise<Pick<MongoMessageDocument, 'id'> | null> =>
    collection.findOne(all, { sort: { _id: order }, projection: { id: 1 } });
  const [first, last] = await Promise.all([end(1), end(-1)]);
  return first && last && { first: first.id, last: last.id };
}

/** Reads along all messages of the realm. Further ranges of the scan add no messages to those. */
async function readWholeRealmInIdOrder(
  collection: Collection<MongoMessageDocument>,
  wanted: MessageScan,
): Promise<MessageRecord[]> {
  const { realm, direction, limit } = wanted;
  const newer = direction === 'newer';
  const [low, high] = newer ? [wanted.from + 1, Number.MAX_SAFE_INTEGER] : [0, wanted.from - 1];
  if (high < 0 || low > Number.MAX_SAFE_INTEGER) return [];
  const found: MessageRecord[] = [];
  const range = { $gte: mongoMessageDocumentId(realm, low), $lte: mongoMessageDocumentId(realm, high) };
  // Tombstones have no sender, so this filter excludes them.
  const filter = { _id: range, sender: { $gte: 0 } } as Filter<MongoMessageDocument>;
  const cursor = collection
    .find(filter)
    .sort({ _id: newer ? 1 : -1 })
    .limit(limit)
    .batchSize(limit);
  for (const document of await cursor.toArray()) {
    const record = decodeMongoMessageDocument(document);
    if (record) found.push(record);
  }
  return found;
}
