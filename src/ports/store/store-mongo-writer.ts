import type { Db } from 'mongodb';
import type { Clock } from '#base/clock';
import { Bulks } from './store-mongo-bulks.js';
import { translate } from './store-mongo-client.js';
import { insertMany, type Refused, type UpdateOne, updateMany } from './store-mongo-command.js';

export interface Versioned {
  readonly _id: string;
  readonly rev: number;
}

export interface Write<D extends Versioned> {
  readonly document: D;
  /** Fields that an update has to take away. */
  readonly unset: readonly string[];
  /** Insert first: most likely nobody has it yet. */
  readonly fresh: boolean;
  /** Estimate of its size on the wire. */
  readonly bytes: number;
}

interface Waiting<D extends Versioned> {
  readonly write: Write<D>;
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const ATTEMPTS = 3;
const DUPLICATE_KEY = 11000;

interface Attempt<D extends Versioned> {
  readonly write: Write<D>;
  readonly mode: 'insert' | 'upsert' | 'update';
}

/** Writes of all callers to one collection, in bulks. */
export class MongoWriter<D extends Versioned> {
  readonly #db: Db;
  readonly #collection: string;
  readonly #bulks: Bulks<Waiting<D>>;

  constructor(db: Db, collection: string, clock: Clock) {
    this.#db = db;
    this.#collection = collection;
    this.#bulks = new Bulks(clock, (bulk) => this.#send(bulk));
  }

  put(write: Write<D>): Promise<void> {
    return new Promise((resolve, reject) => this.#bulks.put({ write, bytes: write.bytes, resolve, reject }));
  }

  async #send(bulk: readonly Waiting<D>[]): Promise<void> {
    // The largest rev of a document speaks for the others. Sorted, since bulks that lock the same rows in different
    // orders can deadlock each other in PostgreSQL.
    const largest = new Map<string, Write<D>>();
    for (const { write } of bulk) {
      const known = largest.get(write.document._id);
      if (!known || known.document.rev < write.document.rev) largest.set(write.document._id, write);
    }
    await this.#write([...largest.values()].sort((a, b) => (a.document._id < b.document._id ? -1 : 1)));
    for (const { resolve } of bulk) resolve();
  }

  async #write(writes: readonly Write<D>[]): Promise<void> {
    let left = writes.map((write): Attempt<D> => ({ write, mode: write.fresh ? 'insert' : 'upsert' }));
    for (let attempt = 1; left.length > 0; attempt++) {
      const failed: Attempt<D>[] = [];
      for (const [of, error] of await this.#attempt(left)) {
        // It exists, at this rev or above (nothing to do) or below, where somebody else inserted it just now.
        if (error.code === DUPLICATE_KEY) failed.push({ ...of, mode: 'update' });
        else if (attempt < ATTEMPTS) failed.push(of);
        else throw translate(error);
      }
      left = failed;
    }
  }

  /** Which were refused, and why. Rejects when it is open what was written. */
  async #attempt(all: readonly Attempt<D>[]): Promise<(readonly [Attempt<D>, Refused['error']])[]> {
    const inserts = all.filter(({ mode }) => mode === 'insert');
    const updates = all.filter(({ mode }) => mode !== 'insert');
    const documents = inserts.map(({ write }) => write.document);
    const both = await Promise.allSettled([
      inserts.length > 0 ? insertMany(this.#db, this.#collection, documents) : undefined,
      updates.length > 0 ? updateMany(this.#db, this.#collection, updates.map(update)) : undefined,
    ]);
    return both.flatMap((outcome, i) => {
      if (outcome.status === 'rejected') throw translate(outcome.reason);
      const of = i === 0 ? inserts : updates;
      return (outcome.value?.refused ?? []).map(({ index, error }) => [of[index]!, error] as const);
    });
  }
}

function update<D extends Versioned>({ write: { document, unset }, mode }: Attempt<D>): UpdateOne {
  const { _id, rev, ...fields } = document;
  return {
    q: { _id, rev: { $lt: rev } },
    u: {
      $set: { rev, ...fields },
      ...(unset.length > 0 && { $unset: Object.fromEntries(unset.map((f) => [f, ''])) }),
    },
    upsert: mode === 'upsert',
  };
}
