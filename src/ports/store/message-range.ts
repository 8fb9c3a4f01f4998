/** The meaning of message ranges, shared by all Stores. The functions have no side effects. */
import { findLowerBoundIndex } from '#base';
import type { MessageRecord } from '#model/records';
import type { MessageIndexCondition, MessageIndexRange, MessageScan } from './store.js';

/** The fields of a message that decide in which indexes it is. */
export type IndexedMessageFields = Omit<MessageRecord, 'body'>;

/** Returns all ranges of a scan: its own and those of `or`. */
export const rangesOfMessageScan = (scan: MessageScan): readonly MessageIndexRange[] =>
  scan.or ? [scan, ...scan.or] : [scan];

export const indexesOfMessageRange = ({ index, also }: MessageIndexRange): readonly MessageIndexCondition[] =>
  also && also.length > 0 ? [index, ...also] : [index];

/**
 * Returns the conditions that occur in all of these message ranges, compared by identity: callers that build many
 * ranges reuse the objects.
 */
export function sharedIndexesOfMessageRanges([
  first,
  ...others
]: readonly MessageIndexRange[]): readonly MessageIndexCondition[] {
  if (!first) return [];
  let shared = new Set(indexesOfMessageRange(first));
  for (const range of others) {
    if (shared.size === 0) break;
    const here = new Set<MessageIndexCondition>();
    for (const index of indexesOfMessageRange(range)) if (shared.has(index)) here.add(index);
    shared = here;
  }
  return [...shared];
}

function isMessageInIndex(m: IndexedMessageFields, index: MessageIndexCondition): boolean {
  switch (index.by) {
    case 'realm':
      return true;
    case 'conversation':
      return m.conversation === index.conversation;
    case 'topic':
      return m.conversation === index.conversation && m.topicKey === index.topicKey;
    case 'sender':
      return m.sender === index.sender;
    case 'participant':
      return m.participants.includes(index.user);
    case 'tag':
      return m.tags.includes(index.tag);
    case 'moved':
      return m.movedFrom === index.from;
    case 'ids':
      return index.ids[findLowerBoundIndex(index.ids, m.id)] === m.id;
  }
}

export const isMessageInRange = (m: IndexedMessageFields, range: MessageIndexRange): boolean =>
  m.id > (range.above ?? -1) &&
  m.id <= (range.upTo ?? Number.POSITIVE_INFINITY) &&
  indexesOfMessageRange(range).every((index) => isMessageInIndex(m, index));
