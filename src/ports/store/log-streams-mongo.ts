/**
 * The number of streams of a cluster's event log, in the collection `meta`, document `log-streams`. It is recorded when
 * the cluster is made: a process with another number would append and read in other places than the rest.
 */
import type { Collection } from 'mongodb';
import { insertMongoNoteUnlessPresent, withMongoDatabase } from './store-mongo-client.js';

interface LogStreamsDocument {
  readonly _id: 'log-streams';
  readonly count: number;
}

/** Number of streams of clusters that were made before the number was recorded. */
const FIRST_LOG_STREAM_COUNT = 1;

/**
 * Returns the recorded number of log streams; an empty database gets the wanted one.
 * @throws StoreUnavailableError
 */
export const readOrInitMongoLogStreamCount = (url: string, wanted: number): Promise<number> =>
  withMongoDatabase(url, async (db) => {
    const notes = db.collection<LogStreamsDocument>('meta');
    const stored = await readCount(notes);
    if (stored !== undefined) return stored;
    const isNew = (await db.collection('roots').findOne({}, { projection: { _id: 1 } })) === null;
    const count = isNew ? wanted : FIRST_LOG_STREAM_COUNT;
    await insertMongoNoteUnlessPresent(notes, { _id: 'log-streams', count });
    return (await readCount(notes)) ?? count;
  });

/** Records another number of log streams, after the old log was removed. @throws StoreUnavailableError */
export const replaceMongoLogStreamCount = (url: string, count: number): Promise<void> =>
  withMongoDatabase(url, async (db) => {
    const notes = db.collection<LogStreamsDocument>('meta');
    await notes.updateOne({ _id: 'log-streams' }, { $set: { count } }, { upsert: true });
  });

const readCount = async (notes: Collection<LogStreamsDocument>): Promise<number | undefined> =>
  (await notes.findOne({ _id: 'log-streams' }))?.count;
