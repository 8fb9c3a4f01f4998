/**
 * `conclave store …`: commands on a cluster's whole database. They need no running process of the cluster; `restored`
 * and `log-streams` refuse to run beside one.
 */
import { AdminError } from '#app/admin';
import { skipMessageIdsInAllRealms } from '#app/backup';
import { findRunningFrontend, natsNamesOfEventLog } from '#app/server';
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
  readMongoStorageFormat,
  readOrInitMongoStorageFormat,
  replaceMongoLogStreamCount,
} from '#ports/store';
import type { CliActionsOf, CliCommandAction } from './command.js';
import { CliUsageError } from './usage.js';

interface ClusterServerLocations {
  readonly nats: string;
  readonly mongodb: string;
  readonly namespace: string;
  readonly logStreams: number;
}

/** Action of a command on a cluster's database; `work` returns the text that is printed. */
const makeStoreAction =
  (work: (of: ClusterServerLocations) => Promise<string>): CliCommandAction<'store format'> =>
  async ({ nats, mongodb, namespace, logStreams }) => {
    if (nats === undefined || mongodb === undefined)
      throw new CliUsageError('this command is for clusters: give --nats and --mongodb');
    process.stdout.write(`${await work({ nats, mongodb, namespace, logStreams })}\n`);
  };

/** Removes the event log of a cluster whose processes are stopped: every event queue ends. */
const discardClusterLog = (nats: string, namespace: string): Promise<void> =>
  JetStreamEventLog.discardLog(nats, REAL_CLOCK, natsNamesOfEventLog(namespace).stream);

/** Refuses to go on while a host or a frontend of the cluster runs. @throws AdminError */
export async function requireAllProcessesStopped(nats: string, namespace: string, clock: Clock): Promise<void> {
  const kv = await NatsKeyValueStore.connect(nats, { ...makePlacementBucketOptions(namespace), existing: true });
  try {
    const { hosts } = await observeClusterStatus(kv, clock);
    const living = hosts.filter(({ state }) => state !== 'dead' && state !== 'silent').map(({ name }) => name);
    const frontend = living.length > 0 ? undefined : await findRunningFrontend(nats, namespace, clock);
    const running = frontend === undefined ? living : [frontend];
    if (running.length > 0) throw new AdminError(`stop every process of the cluster first: ${running.join(', ')}`);
  } catch (error) {
    // A new NATS server has no bucket of placement keys yet.
    if (!(error instanceof NoPlacementBucketError)) throw error;
  } finally {
    await kv.close();
  }
}

export const STORE_COMMAND_ACTIONS: CliActionsOf<'store'> = {
  'store format': makeStoreAction(async ({ mongodb }) => {
    const stored = (await readMongoStorageFormat(mongodb)) ?? 'none yet';
    return `stored: ${stored}, known to this program: up to ${CURRENT_STORAGE_FORMAT}`;
  }),

  'store raise-format': makeStoreAction(async ({ mongodb }) => `stored: ${await raiseMongoStorageFormat(mongodb)}`),

  'store restored': makeStoreAction(async ({ nats, mongodb, namespace }) => {
    await readOrInitMongoStorageFormat(mongodb);
    await requireAllProcessesStopped(nats, namespace, REAL_CLOCK);
    const store = await MongoStore.connect(mongodb, REAL_CLOCK);
    try {
      await skipMessageIdsInAllRealms(store);
    } finally {
      await store.close();
    }
    await discardClusterLog(nats, namespace);
    return 'message ids continue above the earlier ones, earlier event queues end';
  }),

  'store log-streams': makeStoreAction(async ({ nats, mongodb, namespace, logStreams }) => {
    await readOrInitMongoStorageFormat(mongodb);
    await requireAllProcessesStopped(nats, namespace, REAL_CLOCK);
    await discardClusterLog(nats, namespace);
    await replaceMongoLogStreamCount(mongodb, logStreams);
    return `log streams: ${logStreams}, earlier event queues end`;
  }),
};
