import type { Db } from 'mongodb';
import { StoreUnavailable } from './store.js';
import { createClient, databaseName, serverName, translate } from './store-mongo-client.js';

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
