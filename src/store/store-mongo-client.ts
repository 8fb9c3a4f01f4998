import {
  type Db,
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
} from 'mongodb';
import { StoreUnavailable } from './store.js';

/** Answers of a server that isn't able to serve now: unreachable, shutting down, not the primary, out of time. */
const UNABLE = new Set([6, 7, 50, 64, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);
/** InternalError: what FerretDB answers when its PostgreSQL is gone or restarts. */
const INTERNAL = 1;
const DUPLICATE_KEY = 11000;

const UNREACHABLE = [
  MongoNetworkError,
  MongoServerSelectionError,
  MongoNotConnectedError,
  MongoTopologyClosedError,
  MongoClientClosedError,
  MongoExpiredSessionError,
  MongoOperationTimeoutError,
  MongoWriteConcernError,
] as const;

/**
 * Between two looks at a pool of connections, which close those that rested for too long and open some in advance: none, unless the URL sets
 * `maxIdleTimeMS` or `minPoolSize`. The driver's own 100 ms wakes a process that rests ten times a second. Milliseconds.
 */
const POOL_CHECK_MS = 10_000;

export function createClient(url: string): MongoClient {
  const client = new MongoClient(url, {
    // FerretDB has no retryable writes, and everything here is repeated by callers who know what may be repeated.
    retryWrites: false,
    readPreference: 'primary',
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: 8_000 },
    serverSelectionTimeoutMS: 3_000,
    connectTimeoutMS: 3_000,
    socketTimeoutMS: 10_000,
    waitQueueTimeoutMS: 5_000,
    // A host's whole traffic: enough for the commits of many actors at once, few enough for a small server.
    maxPoolSize: 64,
    ignoreUndefined: true,
    promoteBuffers: true,
  });
  // The driver has this option for its pools, and takes it from here, but not from those who make a client.
  Object.assign(client.options, { minPoolSizeCheckFrequencyMS: POOL_CHECK_MS });
  return client;
}

/** The database that the URL names, or `conclave`. */
export function databaseName(url: string): string {
  return decodeURIComponent(/^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(url)?.[1] || 'conclave');
}

/** For messages: hosts without a password. */
export function serverName(url: string): string {
  return url.replace(/^([^:]+:\/\/)(?:[^@/]*@)?([^/?]*).*$/, '$1$2');
}

export function isDuplicate(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}

function isUnavailable(error: unknown): boolean {
  if (UNREACHABLE.some((kind) => error instanceof kind)) return true;
  // Pool errors are exported under names that changed between versions of the driver.
  if (error instanceof Error && /Pool(Cleared|Closed|ClosedError)|WaitQueueTimeout/.test(error.name)) return true;
  // Without errors of single writes it stands for one of the connection, or of the whole command, hides its cause, and
  // leaves open what was written. A write concern that failed leaves open whether the rest will stay.
  if (error instanceof MongoBulkWriteError) {
    return [error.writeErrors].flat().length === 0 || error.result.getWriteConcernError() !== undefined;
  }
  return error instanceof MongoServerError && (error.code === INTERNAL || UNABLE.has(Number(error.code)));
}

/** The driver's error, or StoreUnavailable in its place. */
export function translate(error: unknown): unknown {
  if (error instanceof StoreUnavailable || !isUnavailable(error)) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new StoreUnavailable(`MongoDB is not available: ${why}`, { cause: error });
}

/** No server was found in all the time that finding one may take. */
export const foundNoServer = (error: unknown): boolean =>
  error instanceof StoreUnavailable && error.cause instanceof MongoServerSelectionError;

/** With a connection of its own, before anything else is opened. @throws StoreUnavailable */
export async function withDatabase<T>(url: string, action: (db: Db) => Promise<T>): Promise<T> {
  const client = createClient(url);
  try {
    return await action(client.db(databaseName(url)));
  } catch (error) {
    const translated = translate(error);
    if (!(translated instanceof StoreUnavailable)) throw error;
    throw new StoreUnavailable(`MongoDB at ${serverName(url)} can't be used: ${translated.message}`, { cause: error });
  } finally {
    await client.close().catch(() => undefined);
  }
}
