/** The MongoDB client: its settings, and which of its errors mean that the Store is unavailable. */
import {
  type Collection,
  type Db,
  type Document,
  MongoBulkWriteError,
  MongoClient,
  MongoClientClosedError,
  MongoExpiredSessionError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
  type OptionalUnlessRequiredId,
} from 'mongodb';
import { StoreUnavailableError } from './store.js';

/** Error codes of a MongoDB server that can't serve now: unreachable, shutting down, not the primary, out of time. */
const UNAVAILABLE_SERVER_ERROR_CODES = new Set([
  6, 7, 50, 64, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436,
]);
/** Error code InternalError: FerretDB's answer while its PostgreSQL is gone or restarts. */
const MONGO_INTERNAL_ERROR_CODE = 1;
const DUPLICATE_KEY_ERROR_CODE = 11000;

/** A function, because the driver is loaded when one of its values is first read. */
const listUnreachableServerErrorClasses = () => [
  MongoNetworkError,
  MongoServerSelectionError,
  MongoNotConnectedError,
  MongoTopologyClosedError,
  MongoClientClosedError,
  MongoExpiredSessionError,
  MongoOperationTimeoutError,
  MongoWriteConcernError,
];

/**
 * Interval of the driver's pool check, milliseconds. The check closes connections idle for too long and opens spare
 * ones, but only if the URL sets `maxIdleTimeMS` or `minPoolSize`. The driver's default of 100 ms would wake an idle
 * process ten times a second.
 */
const POOL_CHECK_INTERVAL_MS = 10_000;

export function createMongoClient(url: string): MongoClient {
  const client = new MongoClient(url, {
    // FerretDB has no retryable writes. Callers repeat operations themselves, as the Store's contract allows.
    retryWrites: false,
    readPreference: 'primary',
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: 8_000 },
    serverSelectionTimeoutMS: 3_000,
    connectTimeoutMS: 3_000,
    socketTimeoutMS: 10_000,
    waitQueueTimeoutMS: 5_000,
    // The pool carries all traffic of a host: 64 connections are enough for concurrent commits of many actors, and few
    // enough for a small server.
    maxPoolSize: 64,
    ignoreUndefined: true,
    promoteBuffers: true,
  });
  // The driver reads this option from `client.options` for its pools, but doesn't accept it in the constructor.
  Object.assign(client.options, { minPoolSizeCheckFrequencyMS: POOL_CHECK_INTERVAL_MS });
  return client;
}

/** Returns the name of the database in the URL; default `conclave`. */
export function databaseNameOfMongoUrl(url: string): string {
  return decodeURIComponent(/^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(url)?.[1] || 'conclave');
}

/** Returns the hosts of the URL without credentials, for log and error messages. */
export function serverHostsOfMongoUrl(url: string): string {
  return url.replace(/^([^:]+:\/\/)(?:[^@/]*@)?([^/?]*).*$/, '$1$2');
}

export function isMongoDuplicateKeyError(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY_ERROR_CODE;
}

/** Inserts a note about the database unless it is there: processes of a new cluster may insert at the same time. */
export async function insertMongoNoteUnlessPresent<T extends Document>(
  notes: Collection<T>,
  note: OptionalUnlessRequiredId<NoInfer<T>>,
): Promise<void> {
  try {
    await notes.insertOne(note);
  } catch (error) {
    if (!isMongoDuplicateKeyError(error)) throw error;
  }
}

function isMongoUnavailableError(error: unknown): boolean {
  if (listUnreachableServerErrorClasses().some((kind) => error instanceof kind)) return true;
  // The names of the driver's exported pool errors changed between its versions, so the error's name is matched as
  // text.
  if (error instanceof Error && /Pool(Cleared|Closed|ClosedError)|WaitQueueTimeout/.test(error.name)) return true;
  // A bulk error without write errors comes from a failed connection or command: the outcome is unknown. A failed write
  // concern leaves open whether the applied writes will stay.
  if (error instanceof MongoBulkWriteError) {
    return [error.writeErrors].flat().length === 0 || error.result.getWriteConcernError() !== undefined;
  }
  return (
    error instanceof MongoServerError &&
    (error.code === MONGO_INTERNAL_ERROR_CODE || UNAVAILABLE_SERVER_ERROR_CODES.has(Number(error.code)))
  );
}

/** Replaces driver errors of an unreachable server by StoreUnavailableError; returns other errors unchanged. */
export function translateMongoError(error: unknown): unknown {
  if (error instanceof StoreUnavailableError || !isMongoUnavailableError(error)) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new StoreUnavailableError(`MongoDB is not available: ${why}`, { cause: error });
}

/** True if the driver found no server within its whole selection timeout. */
export const isMongoServerSelectionError = (error: unknown): boolean =>
  error instanceof StoreUnavailableError && error.cause instanceof MongoServerSelectionError;

/**
 * Runs `action` with a connection of its own, before anything else is opened.
 * @throws StoreUnavailableError
 */
export async function withMongoDatabase<T>(url: string, action: (db: Db) => Promise<T>): Promise<T> {
  const client = createMongoClient(url);
  try {
    return await action(client.db(databaseNameOfMongoUrl(url)));
  } catch (error) {
    const translated = translateMongoError(error);
    if (!(translated instanceof StoreUnavailableError)) throw error;
    throw new StoreUnavailableError(`MongoDB at ${serverHostsOfMongoUrl(url)} can't be used: ${translated.message}`, {
      cause: error,
    });
  } finally {
    await client.close().catch(() => undefined);
  }
}
