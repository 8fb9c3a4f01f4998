export { copy, pack, unpack } from './codec.js';
export { DirectoryInUse } from './directory-lock.js';
export { Embedded, openEmbedded } from './embedded.js';
export { FORMAT, FormatMismatch, judgeFormat } from './format.js';
export { mongoFormat, raiseMongoFormat } from './format-mongo.js';
export { keepRecord, memoOf } from './kept-records.js';
export { lowest } from './message-range.js';
export { type Digest, type DigestOf, decodeMessage, encodeMessage, PackedMessage } from './packed-message.js';
export type { SecretNote } from './secret-note.js';
export { embeddedSecretNote } from './secret-note-lmdb.js';
export { withMongoSecretNote } from './secret-note-mongo.js';
export type {
  MessageIndex,
  MessageRange,
  MessageReads,
  MessageRecord,
  MessageScan,
  MessageWrite,
  PartWrite,
  RecordWrite,
  Root,
  RootWrite,
  Sleeper,
  Store,
  StoredPart,
} from './store.js';
export { StoreUnavailable } from './store.js';
export { LmdbStore } from './store-lmdb.js';
export { MongoStore } from './store-mongo.js';
export { createClient, databaseName, foundNoServer, serverName, translate } from './store-mongo-client.js';
