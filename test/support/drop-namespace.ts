import { MongoClient } from 'mongodb';
import { connect } from 'nats';

/** Removes what processes of a cluster with this namespace have stored: the database, the event log, the leases. */
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
  for (const name of [`CONCLAVE_EV_${namespace}`, `KV_CONCLAVE_PLACEMENT_${namespace}`]) {
    await manager.streams.delete(name).catch(() => undefined);
  }
  await connection.close();
}
