import { MongoClient } from 'mongodb';
import { connect } from 'nats';

/** Deletes the stored data of a cluster namespace: the database, the event logs and the placement leases. */
export async function dropNamespace(
  { nats, mongodb }: { readonly nats: string; readonly mongodb: string },
  namespace: string,
  database = `conclave_${namespace}`,
): Promise<void> {
  const mongo = new MongoClient(mongodb, { serverSelectionTimeoutMS: 3_000 });
  await mongo.db(database).dropDatabase();
  await mongo.close();
  const connection = await connect({ servers: nats, timeout: 3_000, reconnect: false });
  const manager = await connection.jetstreamManager();
  const own = new RegExp(`_${namespace}(-[0-9]+)?$`);
  for await (const { config } of manager.streams.list()) {
    if (own.test(config.name)) await manager.streams.delete(config.name).catch(() => undefined);
  }
  await connection.close();
}
