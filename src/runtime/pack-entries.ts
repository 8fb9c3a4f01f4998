/** Packs commits into log entries: small commits share an entry, a large one is cut into numbered pieces. */

import type { Json } from '#base';
import {
  type ActorKey,
  LOG_ENTRY_SPLIT_BYTES,
  type LogEntry,
  type LogItem,
  type LogItemGroup,
  MAX_ITEMS_PER_LOG_ENTRY,
  MAX_LOG_ITEM_BYTES,
} from '#model';
import type { OutboxEntry } from './commit-batch.js';

interface PackedLogEntry {
  readonly entry: LogEntry;
  /** Versions of the commits that this entry completes in the log. */
  readonly completedVersions: readonly number[];
}

type CommitOfItems = Pick<OutboxEntry, 'v' | 'items'>;

interface CommitPiece {
  readonly group: LogItemGroup;
  readonly bytes: number;
}

/** Returns the encoded size in bytes or a little more; equal for a value before and after it was stored. */
function estimateEncodedBytes(value: Json | undefined): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 3;
  if (typeof value === 'number') return value === (value | 0) ? 5 : 9;
  if (typeof value !== 'object' || value === null) return value === undefined ? 0 : 5;
  if (value instanceof Uint8Array) return value.byteLength + 5;
  let sum = 4;
  if (Array.isArray(value)) for (const inner of value) sum += estimateEncodedBytes(inner);
  else {
    const object = value as { readonly [key: string]: Json | undefined };
    for (const name in object)
      if (object[name] !== undefined) sum += name.length + 1 + estimateEncodedBytes(object[name]);
  }
  return sum;
}

const estimatedBytesByItem = new WeakMap<LogItem, number>();

/** As estimateEncodedBytes. An item is estimated once: before its commit, and when its commit is cut into pieces. */
function estimateItemBytes(item: LogItem): number {
  const known = estimatedBytesByItem.get(item);
  if (known !== undefined) return known;
  const bytes = estimateEncodedBytes(item as unknown as Json);
  estimatedBytesByItem.set(item, bytes);
  return bytes;
}

/** Maximum size of a list inside one event, bytes, with room for the event's other fields. */
const MAX_EVENT_LIST_BYTES = LOG_ENTRY_SPLIT_BYTES;

/** Cuts a list into pieces that each fit into one event; an empty list has no piece. */
export function splitListForEvents<T>(list: readonly T[]): T[][] {
  const pieces: T[][] = [];
  let bytes = 0;
  for (const one of list) {
    const size = estimateEncodedBytes(one as Json);
    const last = pieces.at(-1);
    if (last && bytes + size <= MAX_EVENT_LIST_BYTES) {
      last.push(one);
      bytes += size;
    } else {
      pieces.push([one]);
      bytes = size;
    }
  }
  return pieces;
}

/** True if every item fits into the log; an oversized item would block its actor's outbox for ever. */
export const doItemsFitIntoLog = (items: readonly LogItem[]): boolean =>
  items.every((item) => estimateItemBytes(item) <= MAX_LOG_ITEM_BYTES);

/**
 * Cuts a commit into pieces by its items alone. The next owner may repeat an append together with other commits, and
 * readers drop a repeated piece by its number, so piece p must hold the same items in the repeat.
 */
function cutCommitIntoPieces({ v, items }: CommitOfItems): CommitPiece[] {
  const pieces: CommitPiece[] = [];
  let from = 0;
  let bytes = 0;
  const close = (to: number): void => {
    const all = from === 0 && to === items.length;
    pieces.push({ group: { v, p: pieces.length, items: all ? items : items.slice(from, to) }, bytes });
    from = to;
    bytes = 0;
  };
  items.forEach((item, i) => {
    const size = estimateItemBytes(item);
    if (i > from && (i - from >= MAX_ITEMS_PER_LOG_ENTRY || bytes + size > LOG_ENTRY_SPLIT_BYTES)) close(i);
    bytes += size;
  });
  if (from < items.length) close(items.length);
  return pieces;
}

/** Packs commits into log entries, in order of version. */
export function packLogEntries(actor: ActorKey, outbox: readonly CommitOfItems[]): PackedLogEntry[] {
  const entries: PackedLogEntry[] = [];
  let groups: LogItemGroup[] = [];
  let completes: number[] = [];
  let count = 0;
  let bytes = 0;
  const flush = (): void => {
    if (groups.length > 0) entries.push({ entry: { actor, groups }, completedVersions: completes });
    groups = [];
    completes = [];
    count = 0;
    bytes = 0;
  };
  for (const of of outbox) {
    const pieces = cutCommitIntoPieces(of);
    for (const { group, bytes: size } of pieces) {
      if (count + group.items.length > MAX_ITEMS_PER_LOG_ENTRY || bytes + size > LOG_ENTRY_SPLIT_BYTES) flush();
      groups.push(group);
      count += group.items.length;
      bytes += size;
    }
    completes.push(of.v);
  }
  flush();
  return entries;
}
