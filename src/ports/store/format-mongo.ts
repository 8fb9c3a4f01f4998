/**
 * The storage format of a cluster's database. During an upgrade, processes of two versions share the database, so
 * starting a process never raises the format. Raising it is a separate step, taken when no older process is left.
 */
import type { Collection } from 'mongodb';
import { FIRST_STORAGE_FORMAT, judgeStorageFormat, STORAGE_FORMAT } from './format.js';
import { databaseNameOfUrl, isDuplicateKeyError, serverNameOfUrl, withMongoDatabase } from './store-mongo-client.js';

interface FormatDocument {
  readonly _id: 'format';
  readonly format: number;
}

/**
 * Returns the stored format; an empty database gets this program's format.
 * @throws StorageFormatMismatch if this program can't read the stored format
 * @throws StoreUnavailable
 */
export function readMongoStorageFormat(url: string, known = STORAGE_FORMAT): Promise<number> {
  return withFormat(url, (formats, hasRoots) => inForce(url, formats, hasRoots, known));
}

/**
 * Raises the stored format from the previous one to this program's format, and returns it.
 * @throws StorageFormatMismatch
 * @throws StoreUnavailable
 */
export function raiseMongoStorageFormat(url: string, known = STORAGE_FORMAT): Promise<number> {
  return withFormat(url, async (formats, hasRoots) => {
    const stored = await inForce(url, formats, hasRoots, known);
    await formats.updateOne({ _id: 'format', format: stored }, { $set: { format: known } });
    return known;
  });
}

async function inForce(
  url: string,
  formats: Collection<FormatDocument>,
  hasRoots: () => Promise<boolean>,
  known: number,
): Promise<number> {
  let stored = await formats.findOne({ _id: 'format' });
  if (!stored) {
    const first: FormatDocument = { _id: 'format', format: (await hasRoots()) ? FIRST_STORAGE_FORMAT : known };
    try {
      await formats.insertOne(first);
    } catch (error) {
      // Processes of a new cluster may insert at the same time.
      if (!isDuplicateKeyError(error)) throw error;
    }
    stored = await formats.findOne({ _id: 'format' });
  }
  const what = `the database ${databaseNameOfUrl(url)} at ${serverNameOfUrl(url)}`;
  judgeStorageFormat(what, stored?.format, known);
  return stored!.format;
}

const withFormat = <T>(
  url: string,
  action: (formats: Collection<FormatDocument>, hasRoots: () => Promise<boolean>) => Promise<T>,
): Promise<T> =>
  withMongoDatabase(url, (db) =>
    action(db.collection<FormatDocument>('meta'), async () => {
      return (await db.collection('roots').findOne({}, { projection: { _id: 1 } })) !== null;
    }),
  );
