/**
 * Many writes to one collection in one command. The driver's own bulk writes cost half as much again in this process
 * (for ten roots, 54 instead of 36 µs each), and report only the number of matched documents.
 */
import { type Db, type Document, MongoServerError } from 'mongodb';
import { StoreUnavailableError } from './store.js';

export interface MongoUpdate {
  readonly q: Document;
  readonly u: Document;
  readonly upsert?: boolean;
}

/** A write that the server refused. */
export interface RefusedMongoWrite {
  readonly index: number;
  readonly error: MongoServerError;
}

interface MongoWriteResult {
  /** Number of documents inserted or matched. */
  readonly writtenCount: number;
  readonly refused: readonly RefusedMongoWrite[];
}

interface MongoWriteCommandReply {
  readonly n?: number;
  readonly writeErrors?: readonly { readonly index: number; readonly code: number; readonly errmsg: string }[];
  readonly writeConcernError?: { readonly errmsg?: string };
}

/** Runs every update, even after one was refused. Rejects if the outcome is unknown. */
export const updateMongoDocuments = (
  db: Db,
  collection: string,
  updates: readonly MongoUpdate[],
): Promise<MongoWriteResult> => runWriteCommand(db, { update: collection, updates });

export const insertMongoDocuments = (
  db: Db,
  collection: string,
  documents: readonly object[],
): Promise<MongoWriteResult> => runWriteCommand(db, { insert: collection, documents });

async function runWriteCommand(db: Db, command: Document): Promise<MongoWriteResult> {
  // Raw commands don't inherit the client's settings.
  const { w, journal, wtimeoutMS } = db.writeConcern ?? {};
  const writeConcern = { w, j: journal, wtimeout: wtimeoutMS };
  const answer = (await db.command(
    { ...command, ordered: false, writeConcern },
    { ignoreUndefined: true },
  )) as MongoWriteCommandReply;
  if (answer.writeConcernError) {
    // A failed write concern leaves open whether the applied writes will stay: the outcome is unknown.
    throw new StoreUnavailableError(`MongoDB is not available: ${answer.writeConcernError.errmsg ?? 'write concern'}`);
  }
  const refused = (answer.writeErrors ?? []).map(({ index, code, errmsg }) => ({
    index,
    error: new MongoServerError({ message: errmsg, code }),
  }));
  return { writtenCount: answer.n ?? 0, refused };
}
