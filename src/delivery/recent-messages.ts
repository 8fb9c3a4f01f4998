/**
 * The newest messages of a realm, without their texts, ordered by id: every message from `completeFromId` on. A
 * scan towards older messages is answered from memory down to that id. The class does no I/O.
 */
import { findLowerBoundIndex, IdSet, type JsonObject } from '#base';
import {
  type MessageBody,
  PackedMessageView,
  storeNameOfStreamConversation,
  type TextlessMessageBody,
} from '#domain/messages';
import { toComparableTopicKey } from '#domain/streams';
import type { RealmId } from '#model';
import type { MessageRecord } from '#model/records';
import {
  indexesOfMessageRange,
  type MessageIndexCondition,
  type MessageIndexRange,
  type MessageScan,
  type PackedMessageCursor,
  rangesOfMessageScan,
  type Store,
} from '#ports/store';

interface MemoryScanResult {
  readonly records: MessageRecord[];
  /** Scan of the Store that finds the remaining messages; undefined: `records` is complete. */
  readonly rest: MessageScan | undefined;
}

/** Drops the text and the tags, which only views of the message itself need. */
function withoutText(record: MessageRecord): MessageRecord {
  const { stream, topic, sent, flags, wildcard, moves } = record.body as MessageBody;
  const body: TextlessMessageBody = { stream, topic, sent, flags, wildcard, ...(moves ? { moves } : {}) };
  return { ...record, tags: [], body: body as JsonObject };
}

/** Reads a packed message without its text and tags, and without decoding them. */
function readWithoutText(packed: PackedMessageCursor, view: PackedMessageView): MessageRecord {
  if (view.showOrDecode(packed) !== view) return withoutText(packed.decodedRecord);
  const { id, sender, participants, originStream, currentStream } = view;
  const body = view.readTextlessBody();
  return {
    id,
    conversation: currentStream === 0 ? packed.conversation : storeNameOfStreamConversation(currentStream),
    topicKey: toComparableTopicKey(body.topic),
    sender,
    participants,
    movedFrom: originStream === currentStream ? '' : storeNameOfStreamConversation(originStream),
    tags: [],
    body: body as JsonObject,
  };
}

/** Reads messages by id, like `scanMessagesWithoutText`. @returns those that exist, in any order */
export async function getMessagesWithoutText(
  store: Store,
  realm: RealmId,
  ids: readonly number[],
): Promise<MessageRecord[]> {
  if (ids.length === 0) return [];
  if (!store.forEachPackedMessage) return (await store.getMessages(realm, ids)).filter((record) => record !== null);
  const index = { by: 'ids', ids: IdSet.fromIds(ids).ids } as const;
  return scanMessagesWithoutText(store, { realm, index, from: -1, direction: 'newer', limit: ids.length });
}

/** Scans messages of the Store. Their texts are missing if the Store can read packed messages. */
export async function scanMessagesWithoutText(store: Store, scan: MessageScan): Promise<MessageRecord[]> {
  if (!store.forEachPackedMessage) return store.scanMessages(scan);
  const found: MessageRecord[] = [];
  const view = new PackedMessageView();
  await store.forEachPackedMessage(scan, (packed) => found.push(readWithoutText(packed, view)));
  return found;
}

/** Ids of messages by what they have in common, ascending, so that a scan reads only what it asks for. */
class MessageIdLists<K> {
  readonly #sortedIdsByKey = new Map<K, number[]>();

  get(key: K): readonly number[] {
    return this.#sortedIdsByKey.get(key) ?? NO_IDS;
  }

  add(key: K, id: number): void {
    const ids = this.#sortedIdsByKey.get(key);
    if (!ids) this.#sortedIdsByKey.set(key, [id]);
    else if (id > ids.at(-1)!) ids.push(id);
    else {
      const at = findLowerBoundIndex(ids, id);
      if (ids[at] !== id) ids.splice(at, 0, id);
    }
  }

  remove(key: K, id: number): void {
    const ids = this.#sortedIdsByKey.get(key);
    if (!ids) return;
    const at = findLowerBoundIndex(ids, id);
    if (ids[at] === id) ids.splice(at, 1);
    if (ids.length === 0) this.#sortedIdsByKey.delete(key);
  }

  removeBelow(floor: number): void {
    for (const [key, ids] of this.#sortedIdsByKey) {
      ids.splice(0, findLowerBoundIndex(ids, floor));
      if (ids.length === 0) this.#sortedIdsByKey.delete(key);
    }
  }
}

const NO_IDS: readonly number[] = [];

export class RecentMessageRecords {
  readonly #sortedIds: number[];
  readonly #records: MessageRecord[];
  readonly #idsByConversation = new MessageIdLists<string>();
  readonly #idsByFormerConversation = new MessageIdLists<string>();
  readonly #idsByParticipant = new MessageIdLists<number>();
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
    for (const record of this.#records) this.#addToLists(record);
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
    this.#addToLists(record);
  }

  /** Replaces a message that is in memory. @param record null: the message was deleted */
  replaceOrRemove(id: number, record: MessageRecord | null): void {
    const at = findLowerBoundIndex(this.#sortedIds, id);
    if (this.#sortedIds[at] !== id) return;
    this.#removeFromLists(this.#records[at]!);
    if (record) {
      this.#records[at] = withoutText(record);
      this.#addToLists(record);
    } else {
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
    for (const lists of [this.#idsByConversation, this.#idsByFormerConversation, this.#idsByParticipant])
      lists.removeBelow(this.#completeFromId);
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
    const from = Math.min(...ranges.map(({ above }) => (above ?? -1) + 1));
    const records = this.#newestIdsOfRanges(ranges, wanted).map((id) => this.recordOfId(id)!);
    if (records.length === wanted.limit) return { records, rest: undefined };
    if (from >= this.#completeFromId) return { records, rest: undefined };
    const rest = {
      ...wanted,
      from: Math.min(wanted.from, this.#completeFromId),
      limit: wanted.limit - records.length,
    };
    return { records, rest };
  }

  /** Ids of the messages in any of the ranges, newest first. */
  #newestIdsOfRanges(ranges: readonly MessageIndexRange[], { from, limit }: MessageScan): number[] {
    const found: number[] = [];
    for (const { index, above = -1, upTo = Number.POSITIVE_INFINITY } of ranges) {
      const ids = this.#idsOfIndex(index);
      if (ids.length === 0 || ids.at(-1)! <= above) continue;
      let at = findLowerBoundIndex(ids, Math.min(from, upTo + 1)) - 1;
      for (let taken = 0; at >= 0 && taken < limit && ids[at]! > above; at--, taken++) found.push(ids[at]!);
    }
    if (ranges.length === 1) return found;
    // A message can be in several ranges.
    const newestFirst = found.sort((a, b) => b - a).filter((id, i) => id !== found[i - 1]);
    return newestFirst.length > limit ? newestFirst.slice(0, limit) : newestFirst;
  }

  #idsOfIndex(index: MessageIndexCondition): readonly number[] {
    switch (index.by) {
      case 'realm':
        return this.#sortedIds;
      case 'conversation':
        return this.#idsByConversation.get(index.conversation);
      case 'moved':
        return this.#idsByFormerConversation.get(index.from);
      case 'participant':
        return this.#idsByParticipant.get(index.user);
      default:
        return NO_IDS;
    }
  }

  #addToLists({ id, conversation, movedFrom, participants }: MessageRecord): void {
    if (conversation.startsWith(STREAM_CONVERSATION_PREFIX)) this.#idsByConversation.add(conversation, id);
    if (movedFrom !== '') this.#idsByFormerConversation.add(movedFrom, id);
    for (const user of participants) this.#idsByParticipant.add(user, id);
  }

  #removeFromLists({ id, conversation, movedFrom, participants }: MessageRecord): void {
    this.#idsByConversation.remove(conversation, id);
    this.#idsByFormerConversation.remove(movedFrom, id);
    for (const user of participants) this.#idsByParticipant.remove(user, id);
  }
}

/** Names of streams' conversations in the Store begin so. */
const STREAM_CONVERSATION_PREFIX = 's';

const isSupportedRange = (range: MessageIndexRange): boolean =>
  !range.also?.length && indexesOfMessageRange(range).every(isSupportedIndex);

/** True if memory can answer the index. Direct conversations are excluded, because their names are not in the log. */
const isSupportedIndex = (index: MessageIndexCondition): boolean =>
  index.by === 'realm' ||
  index.by === 'participant' ||
  index.by === 'moved' ||
  (index.by === 'conversation' && index.conversation.startsWith(STREAM_CONVERSATION_PREFIX));
