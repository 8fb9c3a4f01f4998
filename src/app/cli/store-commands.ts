/**
 * `conclave store …`: commands on a cluster's whole database. They need no running process of the cluster; `restored`
 * and `log-streams` refuse to run beside one.
 */
import { AdminError } from '#app/admin';
import { skipMessageIdsInAllRealms } from '#app/backup';
import type { ServerConfig } from '#app/config';
import { natsNamesOfEventLog } from '#app/server';
import { type Clock, REAL_CLOCK } from '#base/clock';
import { JetStreamEventLog } from '#ports/log';
import {
  makePlacementBucketOptions,
  NatsKeyValueStore,
  NoPlacementBucketError,
  observeClusterStatus,
} from '#ports/placement';
import {
  CURRENT_STORAGE_FORMAT,
  MongoStore,
  raiseMongoStorageFormat,
  readOrInitMongoStorageFormat,
  replaceMongoLogStreamCount,
} from '#ports/store';

interface ClusterServerLocations {
  readonly nats: string;
  readonly mongodb: string;
  readonly namespace: string;
  readonly logStreams: number;
}

const STORE_COMMAND_BY_NAME: Readonly<Record<string, (of: ClusterServerLocations) => Promise<string>>> = {
  format: async ({ mongodb }) =>
    `stored: ${await readOrInitMongoStorageFormat(mongodb)}, known to this program: up to ${CURRENT_STORAGE_FORMAT}`,

  'raise-format': async ({ mongodb }) => `stored: ${await raiseMongoStorageFormat(mongodb)}`,

  async restored({ nats, mongodb, namespace }) {
    await readOrInitMongoStorageFormat(mongodb);
    await requireAllHostsStopped(nats, namespace, REAL_CLOCK);
    const store = await MongoStore.connect(mongodb, REAL_CLOCK);
    try {
      await skipMessageIdsInAllRealms(store);
    } finally {
      await store.close();
    }
    await discardClusterLog(nats, namespace);
    return 'message ids continue above the earlier ones, earlier event queues end';
  },

  async 'log-streams'({ nats, mongodb, namespace, logStreams }) {
    await readOrInitMongoStorageFormat(mongodb);
    await requireAllHostsStopped(nats, namespace, REAL_CLOCK);
    await discardClusterLog(nats, namespace);
    await replaceMongoLogStreamCount(mongodb, logStreams);
    return `log streams: ${logStreams}, earlier event queues end`;
  },
};

/** Removes the event log of a cluster whose processes are stopped: every event queue ends. */
const discardClusterLog = (nats: string, namespace: string): Promise<void> =>
  JetStreamEventLog.discardLog(nats, REAL_CLOCK, natsNamesOfEventLog(namespace).stream);

/** Refuses to go on while a host of the cluster runs. @throws AdminError */
export async function requireAllHostsStopped(nats: string, namespace: string, clock: Clock): Promise<void> {
  const kv = await NatsKeyValueStore.connect(nats, { ...makePlacementBucketOptions(namespace), existing: true });
  try {
    const { hosts } = await observeClusterStatus(kv, clock);
    const running = hosts.filter(({ state }) => state !== 'dead' && state !== 'silent').map(({ name }) => name);
    if (running.length > 0) throw new AdminError(`stop every process of the cluster first: ${running.join(', ')}`);
  } catch (error) {
    // A new NATS server has no bucket of placement keys yet.
    if (!(error instanceof NoPlacementBucketError)) throw error;
  } finally {
    await kv.close();
  }
}

/** Finds the `conclave store` command with these words; undefined when none has this name. */
export function findClusterStoreCommand(
  words: readonly string[],
): ((config: ServerConfig) => Promise<void>) | undefined {
  const [group, name = '', ...more] = words;
  const command = Object.hasOwn(STORE_COMMAND_BY_NAME, name) ? STORE_COMMAND_BY_NAME[name] : undefined;
  if (group !== 'store' || !command || more.length > 0) return undefined;
  return async ({ nats, mongodb, namespace, logStreams }) => {
    if (nats === undefined || mongodb === undefined) {
      throw new AdminError(`store ${name} is for clusters: give --nats and --mongodb`);
    }
    process.stdout.write(`${await command({ nats, mongodb, namespace, logStreams })}\n`);
  };
}
