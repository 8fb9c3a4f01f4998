/**
 * The newest messages of a realm, without their texts, ordered by id: every message from `floor` on. A scan towards
 * older messages is answered from memory down to `floor`. The class does no I/O.
 */
import type { JsonObject } from '#base';
import type { MessageBody } from '#domain/messages';
import { toTopicKey } from '#domain/streams';
import type { MessageRecord } from '#model/records';
import {
  findLowerBoundIndex,
  indexesOfMessageRange,
  isMessageInRange,
  type MessageIndex,
  type MessageRange,
  type MessageScan,
  rangesOfMessageScan,
} from '#ports/store';

interface PartialScan {
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
  #ids: number[];
  #records: MessageRecord[];
  #oldestCompleteId: number;

  /**
   * Makes the index from messages of the Store.
   *
   * @param records newest messages of the realm, newest first
   * @param floor every message from this id on is among the records
   */
  constructor(records: readonly MessageRecord[], floor: number) {
    this.#records = records.map(withoutText).reverse();
    this.#ids = this.#records.map(({ id }) => id);
    this.#oldestCompleteId = floor;
  }

  get size(): number {
    return this.#ids.length;
  }

  get floor(): number {
    return this.#oldestCompleteId;
  }

  /** Id of the newest message; 0 = there is none. */
  get newest(): number {
    return this.#ids.at(-1) ?? 0;
  }

  get(id: number): MessageRecord | undefined {
    const at = findLowerBoundIndex(this.#ids, id);
    return this.#ids[at] === id ? this.#records[at] : undefined;
  }

  /** Adds a message. If the message is in memory already, its record stays, because that may show later changes. */
  add(record: MessageRecord): void {
    const { id } = record;
    if (id < this.#oldestCompleteId) return;
    const at = findLowerBoundIndex(this.#ids, id);
    if (this.#ids[at] === id) return;
    this.#ids.splice(at, 0, id);
    this.#records.splice(at, 0, record);
  }

  /** Replaces a message that is in memory. @param record null: the message was deleted */
  replace(id: number, record: MessageRecord | null): void {
    const at = findLowerBoundIndex(this.#ids, id);
    if (this.#ids[at] !== id) return;
    if (record) this.#records[at] = withoutText(record);
    else {
      this.#ids.splice(at, 1);
      this.#records.splice(at, 1);
    }
  }

  rename(id: number, topic: string): void {
    const at = findLowerBoundIndex(this.#ids, id);
    const record = this.#records[at];
    if (this.#ids[at] !== id || !record) return;
    const body: JsonObject = { ...record.body, topic };
    this.#records[at] = { ...record, topicKey: toTopicKey(topic), body };
  }

  /** Keeps only the newest `max` messages in memory. */
  trim(max: number): void {
    const over = this.#ids.length - max;
    if (over <= 0) return;
    this.#ids.splice(0, over);
    this.#records.splice(0, over);
    this.#oldestCompleteId = this.#ids[0]!;
  }

  /** Id of the newest message in memory that was sent before this time (Unix seconds). */
  newestSentBefore(sent: number): number {
    for (let i = this.#records.length - 1; i >= 0; i--) {
      if ((this.#records[i]!.body as MessageBody).sent < sent) return this.#ids[i]!;
    }
    return this.#oldestCompleteId - 1;
  }

  /**
   * Scans the messages in memory. @returns undefined if the scan uses an index of the Store that memory doesn't have
   */
  scan(wanted: MessageScan): PartialScan | undefined {
    const ranges = rangesOfMessageScan(wanted);
    if (wanted.direction !== 'older' || !ranges.every(isSupportedRange)) return undefined;
    const matches = makeIndexRangesPredicate(ranges);
    const from = Math.min(...ranges.map(({ above }) => (above ?? -1) + 1));
    const records: MessageRecord[] = [];
    for (let i = findLowerBoundIndex(this.#ids, wanted.from) - 1; i >= 0 && this.#ids[i]! >= from; i--) {
      const record = this.#records[i]!;
      if (!matches(record)) continue;
      records.push(record);
      if (records.length === wanted.limit) return { records, rest: undefined };
    }
    if (from >= this.#oldestCompleteId) return { records, rest: undefined };
    const rest = {
      ...wanted,
      from: Math.min(wanted.from, this.#oldestCompleteId),
      limit: wanted.limit - records.length,
    };
    return { records, rest };
  }
}

const isSupportedRange = (range: MessageRange): boolean =>
  !range.also?.length && indexesOfMessageRange(range).every(isSupportedIndex);

/** True if memory can answer the index. Direct conversations are excluded, because their names are not in the log. */
const isSupportedIndex = (index: MessageIndex): boolean =>
  index.by === 'realm' ||
  index.by === 'participant' ||
  index.by === 'moved' ||
  (index.by === 'conversation' && index.conversation.startsWith('s'));

type RangesByConversation = Map<string, MessageRange[]>;

/**
 * Returns a test for messages in any of the ranges. The ranges are grouped by stream, because a user's scan has two
 * ranges for each stream: its messages, and the messages that were moved out of it.
 */
function makeIndexRangesPredicate(ranges: readonly MessageRange[]): (record: MessageRecord) => boolean {
  const here: RangesByConversation = new Map();
  const away: RangesByConversation = new Map();
  const others: MessageRange[] = [];
  for (const range of ranges) {
    const { index } = range;
    if (index.by === 'conversation') addRange(here, index.conversation, range);
    else if (index.by === 'moved') addRange(away, index.from, range);
    else others.push(range);
  }
  return (record) =>
    (here.get(record.conversation)?.some((range) => isMessageInRange(record, range)) ?? false) ||
    (record.movedFrom !== '' &&
      (away.get(record.movedFrom)?.some((range) => isMessageInRange(record, range)) ?? false)) ||
    others.some((range) => isMessageInRange(record, range));
}

function addRange(into: RangesByConversation, name: string, range: MessageRange): void {
  const known = into.get(name);
  if (known) known.push(range);
  else into.set(name, [range]);
}
