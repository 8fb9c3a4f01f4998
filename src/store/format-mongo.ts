/**
 * The format of a cluster's database. Processes of two versions work at the same time while a cluster is upgraded, so
 * nobody raises it by starting: that is a step of its own, when no older process is left.
 */
import type { Collection } from 'mongodb';
import { FIRST_FORMAT, FORMAT, judgeFormat } from './format.js';
import { databaseName, isDuplicate, serverName, withDatabase } from './store-mongo-client.js';

interface FormatDocument {
  readonly _id: 'format';
  readonly format: number;
}

/**
 * The format in force; a new database gets ours.
 * @throws FormatMismatch when it is not for this program, StoreUnavailable
 */
export function mongoFormat(url: string, known = FORMAT): Promise<number> {
  return withFormat(url, (formats, hasRoots) => inForce(url, formats, hasRoots, known));
}

/** From the format before to ours. @returns the format in force now. @throws FormatMismatch, StoreUnavailable */
export function raiseMongoFormat(url: string, known = FORMAT): Promise<number> {
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
    const first: FormatDocument = { _id: 'format', format: (await hasRoots()) ? FIRST_FORMAT : known };
    try {
      await formats.insertOne(first);
    } catch (error) {
      // Processes of a new cluster start together.
      if (!isDuplicate(error)) throw error;
    }
    stored = await formats.findOne({ _id: 'format' });
  }
  const what = `the database ${databaseName(url)} at ${serverName(url)}`;
  judgeFormat(what, stored?.format, known);
  return stored!.format;
}

const withFormat = <T>(
  url: string,
  action: (formats: Collection<FormatDocument>, hasRoots: () => Promise<boolean>) => Promise<T>,
): Promise<T> =>
  withDatabase(url, (db) =>
    action(db.collection<FormatDocument>('meta'), async () => {
      return (await db.collection('roots').findOne({}, { projection: { _id: 1 } })) !== null;
    }),
  );
