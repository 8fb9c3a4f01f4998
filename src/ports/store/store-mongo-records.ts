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
const DOCUMENT_BYTES = 400;
const MESSAGE_FIELDS = ['conversation', 'topicKey', 'sender', 'participants', 'movedFrom', 'tags', 'body'];

/** Turns records into documents and writes them. */
export class MongoRecordWriter {
  readonly #parts: MongoCollectionWriter<MongoPartDocument>;
  readonly #messages: MongoCollectionWriter<MongoMessageDocument>;
  readonly #clock: Clock;
  /** Largest message id written by this process, by realm. A message with a larger id is most likely new. */
  readonly #newest = new Map<RealmId, number>();

  constructor(db: Db, clock: Clock) {
    this.#parts = new MongoCollectionWriter(db, 'parts', clock);
    this.#messages = new MongoCollectionWriter(db, 'messages', clock);
    this.#clock = clock;
  }

  /** Writes the records, encoding them at once. Rejects if one of the writes failed; others may have been applied. */
  async apply(writes: readonly StoreRecordWrite[]): Promise<void> {
    const all = writes.map((write) =>
      write.type === 'part' ? this.#parts.put(this.#part(write)) : this.#messages.put(this.#message(write)),
    );
    for (const outcome of await Promise.allSettled(all)) if (outcome.status === 'rejected') throw outcome.reason;
  }

  #part({ key, part, rev, value }: ActorPartWrite): MongoDocumentWrite<MongoPartDocument> {
    const _id = mongoPartDocumentId(key, part);
    if (value === null) return tombstone({ _id, rev, gone: this.#now() }, ['value']);
    const packed = packToMongoBinary(value);
    const bytes = packed.length() + DOCUMENT_BYTES;
    return { document: { _id, rev, value: packed }, unset: ['gone'], fresh: false, bytes };
  }

  #message({ realm, id, rev, value }: MessageRecordWrite): MongoDocumentWrite<MongoMessageDocument> {
    const base = { _id: mongoMessageDocumentId(realm, id), rev, realm, id };
    if (!value) return tombstone({ ...base, gone: this.#now() }, MESSAGE_FIELDS);
    const newest = this.#newest.get(realm) ?? 0;
    if (id > newest) this.#newest.set(realm, id);
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
      unset: ['gone'],
      fresh: rev <= 1 || (newest > 0 && id > newest),
      bytes: body.length() + DOCUMENT_BYTES,
    };
  }

  #now(): Date {
    return new Date(this.#clock.now());
  }
}

function tombstone<D extends MongoPartDocument | MongoMessageDocument>(
  document: D,
  unset: readonly string[],
): MongoDocumentWrite<D> {
  return { document, unset, fresh: false, bytes: DOCUMENT_BYTES };
}
