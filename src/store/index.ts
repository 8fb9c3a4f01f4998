export type { MessageRecord } from '../model/records/message.js';
export { copy, pack, unpack } from './codec.js';
export { DirectoryInUse } from './directory-lock.js';
export { FORMAT, FormatMismatch, judgeFormat } from './format.js';
export { mongoFormat, raiseMongoFormat } from './format-mongo.js';
export { LmdbEnvironment, type LmdbTable, openLmdbEnvironment } from './lmdb-environment.js';
export { lowerBound } from './message-range.js';
export { type Digest, type DigestOf, decodeMessage, encodeMessage, PackedMessage } from './packed-message.js';
export { enableMemo, memoOf } from './record-memo.js';
export type { SecretNote } from './secret-note.js';
export { embeddedSecretNote } from './secret-note-lmdb.js';
export { withMongoSecretNote } from './secret-note-mongo.js';
export type {
  MessageIndex,
  MessageRange,
  MessageReads,
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
