/** Stores the server-secret note in MongoDB: collection `meta`, document `secret`. */
import type { Db } from 'mongodb';
import {
  ACCOUNT_ROOT_KEY_RANGE,
  MAX_ACCOUNTS_SAMPLED_FOR_SECRET,
  type ServerSecretCheckNote,
  sealedApiKeysOfAccountState,
} from './secret-note.js';
import { insertMongoNoteUnlessPresent, withMongoDatabase } from './store-mongo-client.js';
import { type MongoRootDocument, unpackMongoBinary } from './store-mongo-documents.js';

interface SecretNoteDocument {
  readonly _id: 'secret';
  readonly check: string;
}

/**
 * Runs `action` with the note, over a connection of its own, before anything else is opened.
 * @throws StoreUnavailableError
 */
export const withMongoSecretCheckNote = <T>(
  url: string,
  action: (note: ServerSecretCheckNote) => Promise<T>,
): Promise<T> => withMongoDatabase(url, (db) => action(makeMongoSecretCheckNote(db)));

function makeMongoSecretCheckNote(db: Db): ServerSecretCheckNote {
  const notes = db.collection<SecretNoteDocument>('meta');
  const read = async (): Promise<string | undefined> => (await notes.findOne({ _id: 'secret' }))?.check;
  return {
    read,
    async storeUnlessPresent(check) {
      await insertMongoNoteUnlessPresent(notes, { _id: 'secret', check });
      return (await read()) ?? check;
    },
    async replace(check) {
      await notes.updateOne({ _id: 'secret' }, { $set: { check } }, { upsert: true });
    },
    async readSealedApiKeys() {
      const accounts = await db
        .collection<MongoRootDocument>('roots')
        .find({ _id: { $gte: ACCOUNT_ROOT_KEY_RANGE.from, $lt: ACCOUNT_ROOT_KEY_RANGE.below } } as object, {
          projection: { state: 1 },
        })
        .limit(MAX_ACCOUNTS_SAMPLED_FOR_SECRET)
        .toArray();
      return accounts.flatMap(({ state }) => sealedApiKeysOfAccountState(unpackMongoBinary(state)));
    },
  };
}
