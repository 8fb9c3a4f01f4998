/**
 * Bare program for durable writes, with the durability of Conclave's Store. LMDB: a transaction with two values, a
 * message and its event, which counts once it is flushed to disk; concurrent transactions share a flush. MongoDB: one
 * insertOne with the write concern of the Store.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMongoClient, databaseNameOfMongoUrl, openLmdbEnvironment } from '#ports/store';
import { closedLoop } from './closed-loop.js';
import type { RateResult, StoreJob } from './jobs.js';

process.on('disconnect', () => process.exit(0));
process.on('message', (order: StoreJob) => {
  const run = order.kind === 'lmdb' ? lmdb(order) : mongodb(order, order.url);
  void run.then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});

async function lmdb(order: StoreJob): Promise<RateResult> {
  const directory = await mkdtemp(join(tmpdir(), 'conclave-bare-'));
  const environment = await openLmdbEnvironment(directory);
  try {
    const messages = environment.openTable('messages');
    const events = environment.openTable('events');
    const value = Buffer.alloc(order.bytes, 'm');
    let next = 0;
    return await closedLoop(order, () =>
      environment.runWriteTransaction(() => {
        const id = next++;
        messages.put(id, value);
        events.put(id, value);
      }),
    );
  } finally {
    await environment.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function mongodb(order: StoreJob, url: string): Promise<RateResult> {
  const client = createMongoClient(url);
  await client.connect();
  const collection = client.db(databaseNameOfMongoUrl(url)).collection<{ _id: number; value: Buffer }>('bare');
  try {
    const value = Buffer.alloc(order.bytes, 'm');
    let next = 0;
    return await closedLoop(order, () => collection.insertOne({ _id: next++, value }));
  } finally {
    await collection.drop();
    await client.close();
  }
}
