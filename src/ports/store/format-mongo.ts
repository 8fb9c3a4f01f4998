/**
 * The storage format of a cluster's database. During an upgrade, processes of two versions share the database, so
 * starting a process never raises the format. Raising it is a separate step, taken when no older process is left.
 */
import type { Collection, Db } from 'mongodb';
import { CURRENT_STORAGE_FORMAT, checkReadableStorageFormat, FIRST_STORAGE_FORMAT } from './format.js';
import {
  databaseNameOfMongoUrl,
  insertMongoNoteUnlessPresent,
  serverHostsOfMongoUrl,
  withMongoDatabase,
} from './store-mongo-client.js';

interface StorageFormatDocument {
  readonly _id: 'format';
  readonly format: number;
  /** True if the database was begun by a program that tags messages with reactions (`Store.tagsReactions`). */
  readonly tagsReactions?: boolean;
}

/** Collection with the document of the format. */
const META_COLLECTION = 'meta';

/** True if the database was begun by a program that tags messages with reactions. */
export const readTagsReactionsFromMongo = async (db: Db): Promise<boolean> =>
  (await db.collection<StorageFormatDocument>(META_COLLECTION).findOne({ _id: 'format' }))?.tagsReactions === true;

/**
 * Returns the stored format; an empty database gets this program's format.
 * @throws StorageFormatMismatchError if this program can't read the stored format
 * @throws StoreUnavailableError
 */
export function readOrInitMongoStorageFormat(url: string, known = CURRENT_STORAGE_FORMAT): Promise<number> {
  return withFormatCollection(url, (formats, hasRoots) => readOrInitStorageFormat(url, formats, hasRoots, known));
}

/**
 * Raises the stored format from the previous one to this program's format, and returns it.
 * @throws StorageFormatMismatchError
 * @throws StoreUnavailableError
 */
export function raiseMongoStorageFormat(url: string, known = CURRENT_STORAGE_FORMAT): Promise<number> {
  return withFormatCollection(url, async (formats, hasRoots) => {
    const stored = await readOrInitStorageFormat(url, formats, hasRoots, known);
    await formats.updateOne({ _id: 'format', format: stored }, { $set: { format: known } });
    return known;
  });
}

/**
 * Returns the stored format without changing anything; undefined: no process of a server has used the database.
 * @throws StoreUnavailableError
 */
export function readMongoStorageFormat(url: string): Promise<number | undefined> {
  return withFormatCollection(url, async (formats, hasRoots) => {
    const stored = await formats.findOne({ _id: 'format' });
    if (stored) return stored.format;
    return (await hasRoots()) ? FIRST_STORAGE_FORMAT : undefined;
  });
}

async function readOrInitStorageFormat(
  url: string,
  formats: Collection<StorageFormatDocument>,
  hasRoots: () => Promise<boolean>,
  known: number,
): Promise<number> {
  let stored = await formats.findOne({ _id: 'format' });
  if (!stored) {
    const first: StorageFormatDocument = (await hasRoots())
      ? { _id: 'format', format: FIRST_STORAGE_FORMAT }
      : { _id: 'format', format: known, tagsReactions: true };
    await insertMongoNoteUnlessPresent(formats, first);
    stored = await formats.findOne({ _id: 'format' });
  }
  const what = `the database ${databaseNameOfMongoUrl(url)} at ${serverHostsOfMongoUrl(url)}`;
  checkReadableStorageFormat(what, stored?.format, known);
  return stored!.format;
}

const withFormatCollection = <T>(
  url: string,
  action: (formats: Collection<StorageFormatDocument>, hasRoots: () => Promise<boolean>) => Promise<T>,
): Promise<T> =>
  withMongoDatabase(url, (db) =>
    action(db.collection<StorageFormatDocument>(META_COLLECTION), async () => {
      return (await db.collection('roots').findOne({}, { projection: { _id: 1 } })) !== null;
    }),
  );
