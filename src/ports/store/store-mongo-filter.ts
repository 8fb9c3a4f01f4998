/** Turns message ranges into MongoDB filters. */
import { findLowerBoundIndex } from '#base';
import type { RealmId } from '#model';
import { indexesOfMessageRange } from './message-range.js';
import type { MessageIndexCondition, MessageIndexRange } from './store.js';
import { mongoMessageDocumentId } from './store-mongo-documents.js';

type MongoFilterClause = Record<string, unknown>;
type FilterScalar = string | number;

/**
 * Fields whose values one clause lists with `$in`, for ranges that differ only in that field. The first match counts.
 */
const RANGE_GROUPING_FIELDS = ['conversation', 'movedFrom', 'tags'] as const;

/**
 * Makes clauses that together find the messages of these ranges with low ≤ id ≤ high; empty if there can be none. Each
 * clause has its own conditions on ids.
 */
export function makeMongoFilterClauses(
  realm: RealmId,
  ranges: readonly MessageIndexRange[],
  low: number,
  high: number,
): MongoFilterClause[] {
  const clauses: MongoFilterClause[] = [];
  const groups = new Map<
    string,
    { readonly field: string; readonly clause: MongoFilterClause; readonly values: FilterScalar[] }
  >();
  for (const range of ranges) {
    const from = Math.max(low, (range.above ?? -1) + 1);
    const to = Math.min(high, range.upTo ?? high);
    const clause = from <= to ? makeClauseOfRange(realm, indexesOfMessageRange(range), from, to) : undefined;
    if (!clause) continue;
    const field = RANGE_GROUPING_FIELDS.find((name) => typeof clause[name] === 'string');
    if (!field) {
      clauses.push(clause);
      continue;
    }
    const name = `${field} ${JSON.stringify({ ...clause, [field]: null })}`;
    const group = groups.get(name);
    if (group) group.values.push(clause[field] as FilterScalar);
    else groups.set(name, { field, clause, values: [clause[field] as FilterScalar] });
  }
  for (const { field, clause, values } of groups.values()) {
    clauses.push(values.length === 1 ? clause : { ...clause, [field]: { $in: values } });
  }
  return clauses;
}

/** Makes the clause of a range with all its conditions; undefined if the conditions exclude each other. */
function makeClauseOfRange(
  realm: RealmId,
  indexes: readonly MessageIndexCondition[],
  low: number,
  high: number,
): MongoFilterClause | undefined {
  const single = new Map<string, FilterScalar>();
  const several = { participants: new Set<number>(), tags: new Set<string>() };
  let ids: readonly number[] | undefined;
  let possible = true;
  const set = (field: string, value: FilterScalar): void => {
    if (single.has(field) && single.get(field) !== value) possible = false;
    single.set(field, value);
  };
  for (const index of indexes) {
    if (index.by === 'conversation' || index.by === 'topic') set('conversation', index.conversation);
    if (index.by === 'topic') set('topicKey', index.topicKey);
    if (index.by === 'sender') set('sender', index.sender);
    if (index.by === 'moved') set('movedFrom', index.from);
    if (index.by === 'participant') several.participants.add(index.user);
    if (index.by === 'tag') several.tags.add(index.tag);
    if (index.by === 'ids') {
      const within = index.ids.slice(findLowerBoundIndex(index.ids, low), findLowerBoundIndex(index.ids, high + 1));
      const known: ReadonlySet<number> | undefined = ids && new Set(ids);
      ids = known ? within.filter((id) => known.has(id)) : within;
    }
  }
  if (!possible || ids?.length === 0) return undefined;
  const clause: MongoFilterClause = Object.fromEntries(single);
  for (const [field, values] of Object.entries(several)) {
    if (values.size > 0) clause[field] = values.size === 1 ? [...values][0] : { $all: [...values] };
  }
  // A condition on the sender excludes tombstones, which have an id but no sender.
  const alive = Object.keys(clause).length === 0 ? { sender: { $gte: 0 } } : {};
  if (ids) return { ...clause, ...alive, _id: { $in: ids.map((id) => mongoMessageDocumentId(realm, id)) } };
  if (Object.keys(clause).length > 0) return { realm, ...clause, id: { $gte: low, $lte: high } };
  return { ...alive, _id: { $gte: mongoMessageDocumentId(realm, low), $lte: mongoMessageDocumentId(realm, high) } };
}
