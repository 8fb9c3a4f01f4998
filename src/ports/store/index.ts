/**
 * The Store: where actors keep their state and messages are indexed.
 *
 * store.ts is the contract; read it first. Actors write through one conditional replacement of their root (`commit`),
 * fenced by the partition's epoch. Parts and messages follow as records with a rev, which may be applied late or twice.
 * A rejected write has an unknown outcome.
 *
 * - LmdbStore (store-lmdb*.ts) is the embedded face: one LMDB environment (lmdb-environment.ts) under a directory lock,
 *   records applied in the transaction of their commit. store-lmdb-messages.ts runs scans over the index cursors;
 *   caches in front of LMDB never show what a transaction is writing.
 * - MongoStore (store-mongo*.ts) is the cluster's: MongoDB or FerretDB without transactions. Commits, first commits and
 *   records of many actors share commands (store-mongo-bulks.ts); store-mongo-scan.ts reads indexes in windows of ids.
 * - codec.ts encodes opaque values for both and for the embedded log; packed-message.ts encodes messages, with digests
 *   that are served without decoding; packed-fields.ts finds single fields in encoded bytes.
 * - format.ts, secret-note.ts and log-streams-mongo.ts keep facts about the data: its storage format, its server
 *   secret, and a cluster's number of log streams.
 *
 * Imported by the runtime, rules and replicas through the types of store.ts; implementations are named only where a
 * server is put together (src/app, log-lmdb.ts and blobs-gridfs.ts excepted).
 */
export { deepCopyJson, packJsonToBuffer, unpackJson } from './codec.js';
export { DataDirectoryInUseError } from './directory-lock.js';
export { CURRENT_STORAGE_FORMAT, checkReadableStorageFormat, StorageFormatMismatchError } from './format.js';
export { raiseMongoStorageFormat, readMongoStorageFormat, readOrInitMongoStorageFormat } from './format-mongo.js';
export {
  LmdbEnvironment,
  type LmdbTable,
  openLmdbEnvironment,
  openLmdbEnvironmentForInspection,
  openSharedLmdbEnvironment,
} from './lmdb-environment.js';
export { readOrInitMongoLogStreamCount, replaceMongoLogStreamCount } from './log-streams-mongo.js';
export { indexesOfMessageRange, isMessageInRange, rangesOfMessageScan } from './message-range.js';
export {
  areBytesAt,
  findPackedTextStart,
  PackedFieldFinder,
  readPackedBoolean,
  readPackedListLength,
  readPackedNumber,
  readPackedText,
  skipPackedValue,
} from './packed-fields.js';
export {
  decodeMessageRecord,
  encodeMessageRecord,
  type MessageDigest,
  type MessageDigestMaker,
  PackedMessageCursor,
} from './packed-message.js';
export { enableCachedRecordMemo, memoOfCachedRecord } from './record-memo.js';
export type { ServerSecretCheckNote } from './secret-note.js';
export { makeLmdbSecretCheckNote } from './secret-note-lmdb.js';
export { withMongoSecretCheckNote } from './secret-note-mongo.js';
export {
  type ActorPartWrite,
  type ActorRoot,
  type ActorRootWrite,
  type ActorToWake,
  type MessageBulkLoader,
  MessageBulkLoadRefusedError,
  type MessageIndexCondition,
  type MessageIndexRange,
  type MessageReadStore,
  type MessageRecordWrite,
  type MessageScan,
  type Store,
  type StoredActorPart,
  type StoreRecordWrite,
  type StoreTransactionParticipant,
  StoreUnavailableError,
} from './store.js';
export { LmdbStore } from './store-lmdb.js';
export { MongoStore } from './store-mongo.js';
export {
  createMongoClient,
  databaseNameOfMongoUrl,
  isMongoServerSelectionError,
  serverHostsOfMongoUrl,
  translateMongoError,
} from './store-mongo-client.js';
