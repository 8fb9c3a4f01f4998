export { copy, pack, unpack } from './codec.js';
export { DirectoryInUse } from './directory-lock.js';
export { Embedded, openEmbedded } from './embedded.js';
export { FORMAT, FormatMismatch, judgeFormat } from './format.js';
export { mongoFormat, raiseMongoFormat } from './format-mongo.js';
export { keepRecord, memoOf } from './kept-records.js';
export { indexesOf, inRange, lowest, rangesOf } from './message-range.js';
export { type Digest, type DigestOf, decodeMessage, encodeMessage, PackedMessage } from './packed-message.js';
export type { SecretNote } from './secret-note.js';
export { embeddedSecretNote } from './secret-note-lmdb.js';
export { withMongoSecretNote } from './secret-note-mongo.js';
export {
  type MessageIndex,
  type MessageRange,
  type MessageReads,
  type MessageRecord,
  type MessageScan,
  type MessageWrite,
  type PartWrite,
  type RecordWrite,
  type Root,
  type RootWrite,
  type Sleeper,
  type Store,
  type StoredPart,
  StoreUnavailable,
} from './store.js';
export { LmdbStore } from './store-lmdb.js';
export { MongoStore } from './store-mongo.js';
export { createClient, databaseName, foundNoServer, serverName, translate } from './store-mongo-client.js';
