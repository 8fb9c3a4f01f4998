/**
 * The newest messages of a realm, without their texts, ordered by id: every message from `floor` on. A scan towards
 * older messages is answered from memory down to `floor`. The class does no I/O.
 */
import { findLowerBoundIndex, type JsonObject } from '#base';
import type { MessageBody } from '#domain/messages';
import { toComparableTopicKey } from '#domain/streams';
import type { MessageRecord } from '#model/records';
import {
  indexesOfMessageRange,
  isMessageInRange,
  type MessageIndexCondition,
  type MessageIndexRange,
  type MessageScan,
  rangesOfMessageScan,
} from '#ports/store';

interface MemoryScanResult {
  readonly records: MessageRecord[];
  /** Scan of the Store that finds the remaining messages; undefined: `records` is complete. */
  readonly rest: MessageScan | undefined;
}

/** Drops the text and the tags, which only views of the message itself need. */
function withoutText(record: MessageRecord): MessageRecord {
  const { stream, topic, sent, flags, wildcard, moves } = record.body as MessageBody;
  return { ...record, tags: [], body: { stream, topic, sent, flags, wildcard, ...(moves ? { moves } : {}) } };
}

export class RecentMessageRecords {
  #sortedIds: number[];
  #records: MessageRecord[];
  #completeFromId: number;

  /**
   * Makes the index from messages of the Store.
   *
   * @param records newest messages of the realm, newest first
   * @param floor every message from this id on is among the records
   */
  constructor(records: readonly MessageRecord[], floor: number) {
    this.#records = records.map(withoutText).reverse();
    this.#sortedIds = this.#records.map(({ id }) => id);
    this.#completeFromId = floor;
  }

  get messageCount(): number {
    return this.#sortedIds.length;
  }

  get completeFromId(): number {
    return this.#completeFromId;
  }

  /** Id of the newest message; 0 = there is none. */
  get newestId(): number {
    return this.#sortedIds.at(-1) ?? 0;
  }

  recordOfId(id: number): MessageRecord | undefined {
    const at = findLowerBoundIndex(this.#sortedIds, id);
    return this.#sortedIds[at] === id ? this.#records[at] : undefined;
  }

  /** Adds a message. If the message is in memory already, its record stays, because that may show later changes. */
  addIfMissing(record: MessageRecord): void {
    const { id } = record;
    if (id < this.#completeFromId) return;
    const at = findLowerBoundIndex(this.#sortedIds, id);
    if (this.#sortedIds[at] === id) return;
    this.#sortedIds.splice(at, 0, id);
    this.#records.splice(at, 0, record);
  }

  /** Replaces a message that is in memory. @param record null: the message was deleted */
  replaceOrRemove(id: number, record: MessageRecord | null): void {
    const at = findLowerBoundIndex(this.#sortedIds, id);
    if (this.#sortedIds[at] !== id) return;
    if (record) this.#records[at] = withoutText(record);
    else {
      this.#sortedIds.splice(at, 1);
      this.#records.splice(at, 1);
    }
  }

  setTopic(id: number, topic: string): void {
    const at = findLowerBoundIndex(this.#sortedIds, id);
    const record = this.#records[at];
    if (this.#sortedIds[at] !== id || !record) return;
    const body: JsonObject = { ...record.body, topic };
    this.#records[at] = { ...record, topicKey: toComparableTopicKey(topic), body };
  }

  /** Keeps only the newest `max` messages in memory. */
  keepNewest(max: number): void {
    const over = this.#sortedIds.length - max;
    if (over <= 0) return;
    this.#sortedIds.splice(0, over);
    this.#records.splice(0, over);
    this.#completeFromId = this.#sortedIds[0]!;
  }

  /** Id of the newest message in memory that was sent before this time (Unix seconds). */
  newestIdSentBefore(sent: number): number {
    for (let i = this.#records.length - 1; i >= 0; i--) {
      if ((this.#records[i]!.body as MessageBody).sent < sent) return this.#sortedIds[i]!;
    }
    return this.#completeFromId - 1;
  }

  /**
   * Scans the messages in memory. @returns undefined if the scan uses an index of the Store that memory doesn't have
   */
  scanInMemory(wanted: MessageScan): MemoryScanResult | undefined {
    const ranges = rangesOfMessageScan(wanted);
    if (wanted.direction !== 'older' || !ranges.every(isSupportedRange)) return undefined;
    const matches = makeIndexRangesPredicate(ranges);
    const from = Math.min(...ranges.map(({ above }) => (above ?? -1) + 1));
    const records: MessageRecord[] = [];
    for (let i = findLowerBoundIndex(this.#sortedIds, wanted.from) - 1; i >= 0 && this.#sortedIds[i]! >= from; i--) {
      const record = this.#records[i]!;
      if (!matches(record)) continue;
      records.push(record);
      if (records.length === wanted.limit) return { records, rest: undefined };
    }
    if (from >= this.#completeFromId) return { records, rest: undefined };
    const rest = {
      ...wanted,
      from: Math.min(wanted.from, this.#completeFromId),
      limit: wanted.limit - records.length,
    };
    return { records, rest };
  }
}

const isSupportedRange = (range: MessageIndexRange): boolean =>
  !range.also?.length && indexesOfMessageRange(range).every(isSupportedIndex);

/** True if memory can answer the index. Direct conversations are excluded, because their names are not in the log. */
const isSupportedIndex = (index: MessageIndexCondition): boolean =>
  index.by === 'realm' ||
  index.by === 'participant' ||
  index.by === 'moved' ||
  (index.by === 'conversation' && index.conversation.startsWith('s'));

type RangesByConversation = Map<string, MessageIndexRange[]>;

/**
 * Returns a test for messages in any of the ranges. The ranges are grouped by stream, because a user's scan has two
 * ranges for each stream: its messages, and the messages that were moved out of it.
 */
function makeIndexRangesPredicate(ranges: readonly MessageIndexRange[]): (record: MessageRecord) => boolean {
  const here: RangesByConversation = new Map();
  const away: RangesByConversation = new Map();
  const others: MessageIndexRange[] = [];
  for (const range of ranges) {
    const { index } = range;
    if (index.by === 'conversation') addRangeOfConversation(here, index.conversation, range);
    else if (index.by === 'moved') addRangeOfConversation(away, index.from, range);
    else others.push(range);
  }
  return (record) =>
    (here.get(record.conversation)?.some((range) => isMessageInRange(record, range)) ?? false) ||
    (record.movedFrom !== '' &&
      (away.get(record.movedFrom)?.some((range) => isMessageInRange(record, range)) ?? false)) ||
    others.some((range) => isMessageInRange(record, range));
}

function addRangeOfConversation(into: RangesByConversation, name: string, range: MessageIndexRange): void {
  const known = into.get(name);
  if (known) known.push(range);
  else into.set(name, [range]);
}
