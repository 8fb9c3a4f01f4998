import type { Db } from 'mongodb';
import type { Clock } from '#base/clock';
import type { RealmId } from '#model';
import type { ActorPartWrite, MessageRecordWrite, StoreRecordWrite } from './store.js';
import {
  type MongoMessageDocument,
  type MongoPartDocument,
  mongoMessageDocumentId,
  mongoPartDocumentId,
  packToMongoBinary,
} from './store-mongo-documents.js';
import { MongoCollectionWriter, type MongoDocumentWrite } from './store-mongo-writer.js';

/** Estimated size of a document without its packed value, bytes. */
const DOCUMENT_OVERHEAD_BYTES = 400;
const MESSAGE_FIELDS_REMOVED_BY_TOMBSTONE = [
  'conversation',
  'topicKey',
  'sender',
  'participants',
  'movedFrom',
  'tags',
  'body',
];

/** Turns records into documents and writes them. */
export class MongoRecordWriter {
  readonly #partWriter: MongoCollectionWriter<MongoPartDocument>;
  readonly #messageWriter: MongoCollectionWriter<MongoMessageDocument>;
  readonly #clock: Clock;
  /** Largest message id written by this process, by realm. A message with a larger id is most likely new. */
  readonly #newestIdByRealm = new Map<RealmId, number>();

  constructor(db: Db, clock: Clock) {
    this.#partWriter = new MongoCollectionWriter(db, 'parts', clock);
    this.#messageWriter = new MongoCollectionWriter(db, 'messages', clock);
    this.#clock = clock;
  }

  /** Writes the records, encoding them at once. Rejects if one of the writes failed; others may have been applied. */
  async writeRecords(writes: readonly StoreRecordWrite[]): Promise<void> {
    const all = writes.map((write) =>
      write.type === 'part'
        ? this.#partWriter.enqueueWrite(this.#makePartWrite(write))
        : this.#messageWriter.enqueueWrite(this.#makeMessageWrite(write)),
    );
    for (const outcome of await Promise.allSettled(all)) if (outcome.status === 'rejected') throw outcome.reason;
  }

  #makePartWrite({ key, part, rev, value }: ActorPartWrite): MongoDocumentWrite<MongoPartDocument> {
    const _id = mongoPartDocumentId(key, part);
    if (value === null) return makeTombstoneWrite({ _id, rev, gone: this.#currentDate() }, ['value']);
    const packed = packToMongoBinary(value);
    const bytes = packed.length() + DOCUMENT_OVERHEAD_BYTES;
    return { document: { _id, rev, value: packed }, fieldsToRemove: ['gone'], isProbablyNew: false, bytes };
  }

  #makeMessageWrite({ realm, id, rev, value }: MessageRecordWrite): MongoDocumentWrite<MongoMessageDocument> {
    const base = { _id: mongoMessageDocumentId(realm, id), rev, realm, id };
    if (!value) return makeTombstoneWrite({ ...base, gone: this.#currentDate() }, MESSAGE_FIELDS_REMOVED_BY_TOMBSTONE);
    const newest = this.#newestIdByRealm.get(realm) ?? 0;
    if (id > newest) this.#newestIdByRealm.set(realm, id);
    const { conversation, topicKey, sender, participants, movedFrom, tags } = value;
    const body = packToMongoBinary(value.body);
    return {
      document: {
        ...base,
        conversation,
        topicKey,
        sender,
        participants: [...participants],
        movedFrom,
        tags: [...tags],
        body,
      },
      fieldsToRemove: ['gone'],
      isProbablyNew: rev <= 1 || (newest > 0 && id > newest),
      bytes: body.length() + DOCUMENT_OVERHEAD_BYTES,
    };
  }

  #currentDate(): Date {
    return new Date(this.#clock.now());
  }
}

function makeTombstoneWrite<D extends MongoPartDocument | MongoMessageDocument>(
  document: D,
  unset: readonly string[],
): MongoDocumentWrite<D> {
  return { document, fieldsToRemove: unset, isProbablyNew: false, bytes: DOCUMENT_OVERHEAD_BYTES };
}
