import { hostname } from 'node:os';
import type { ServerConfig } from '#app/config';
import { type Logger, SERVER_VERSION } from '#base';
import type { Clock } from '#base/clock';
import { type Mailer, UnconfiguredMailer } from '#domain/mail';
import type { ServerCryptography } from '#domain/secrets';
import { GridFsBlobStorage } from '#ports/blobs';
import { type Bus, NamespacedBus, NatsBus } from '#ports/bus';
import { JetStreamEventLog } from '#ports/log';
import { ClusterPlacement, HostAbsenceWatch, makePlacementBucketOptions, NatsKeyValueStore } from '#ports/placement';
import {
  CURRENT_STORAGE_FORMAT,
  databaseNameOfMongoUrl,
  MongoStore,
  readOrInitMongoStorageFormat,
  serverHostsOfMongoUrl,
  withMongoSecretCheckNote,
} from '#ports/store';
import { checkOrStoreLogStreamCount } from './log-streams.js';
import { createSmtpMailer, eventLogLimitsOf, type ProcessPorts } from './ports.js';
import { checkOrStoreServerSecretFingerprint } from './secret.js';

/**
 * Names of the event log in NATS. Without a namespace the result is empty, because JetStreamEventLog has its own
 * defaults.
 */
export const natsNamesOfEventLog = (namespace: string): { namespace?: string; stream?: string } =>
  namespace ? { namespace, stream: `CONCLAVE_EV_${namespace}` } : {};

/** Name of a cluster's database for messages to the operator. */
export const describeMongoDatabase = (mongodb: string): string =>
  `the database ${databaseNameOfMongoUrl(mongodb)} at ${serverHostsOfMongoUrl(mongodb)}`;

/** Connects to the bus of a cluster. */
export async function openClusterBus(
  nats: string,
  namespace: string,
  clock: Clock,
): Promise<{ readonly bus: Bus; readonly close: () => Promise<void> }> {
  const connected = await NatsBus.connect(nats, clock);
  const bus = namespace ? new NamespacedBus(connected, namespace) : connected;
  return { bus, close: () => connected.close() };
}

/**
 * Opens the ports of a process of a cluster, which are its interfaces to NATS and MongoDB.
 *
 * @throws Error when one of the two can't be reached; its message says which
 * @throws ServerConfigError when the database was written under another secret or has another number of log streams
 */
export async function openClusterPorts(
  config: ServerConfig,
  secrets: ServerCryptography,
  clock: Clock,
  logger: Logger,
): Promise<ProcessPorts> {
  const { nats, mongodb, namespace } = config as { nats: string; mongodb: string; namespace: string };
  const closers: (() => Promise<void>)[] = [];
  try {
    const { bus, close } = await openClusterBus(nats, namespace, clock);
    closers.unshift(close);
    await checkMongoStoreFormat(mongodb, logger);
    await withMongoSecretCheckNote(mongodb, (note) =>
      checkOrStoreServerSecretFingerprint(note, secrets, describeMongoDatabase(mongodb)),
    );
    await checkOrStoreLogStreamCount(config, describeMongoDatabase(mongodb));
    const log = await JetStreamEventLog.open(nats, clock, {
      limits: eventLogLimitsOf(config),
      replicas: config.natsReplicas,
      streamCount: config.logStreams,
      ...natsNamesOfEventLog(namespace),
    });
    closers.unshift(() => log.close());
    const blobs = await GridFsBlobStorage.connect(mongodb);
    closers.push(() => blobs.close());
    let actors: ProcessPorts['actors'];
    let hosts: HostAbsenceWatch | undefined;
    if (config.role === 'http') {
      const kv = await NatsKeyValueStore.connect(nats, { ...makePlacementBucketOptions(namespace), existing: true });
      closers.unshift(() => kv.close());
      const watch = new HostAbsenceWatch(kv, clock);
      await watch.start();
      closers.unshift(async () => watch.stop());
      hosts = watch;
    }
    if (config.role !== 'http') {
      const store = await MongoStore.connect(mongodb, clock);
      closers.push(() => store.close());
      const kv = await NatsKeyValueStore.connect(nats, {
        ...makePlacementBucketOptions(namespace),
        replicas: config.natsReplicas,
      });
      closers.unshift(() => kv.close());
      const placement = new ClusterPlacement(kv, clock, store, {
        name: `${hostname()}/${process.pid}`,
        version: SERVER_VERSION,
        address: hostname(),
        pingStore: () => store.ping(),
        onError: (error) => logger.warn({ err: error }, 'placement: a step failed and will be retried'),
        logInfo: (context, message) => logger.info(context, message),
        logWarning: (context, message) => logger.warn(context, message),
      });
      const mailer = createClusterMailer(config, logger);
      closers.push(() => mailer.close());
      actors = { store, placement, mailer };
    }
    return {
      clock,
      bus,
      log,
      blobs,
      hosts,
      actors,
      async close() {
        for (const close of closers) await close();
      },
    };
  } catch (error) {
    for (const close of closers) await close().catch(() => undefined);
    throw error;
  }
}

/** Checks the format of the database before anything is written. @throws Error when this program does not know it */
async function checkMongoStoreFormat(mongodb: string, logger: Logger): Promise<void> {
  const format = await readOrInitMongoStorageFormat(mongodb);
  if (format >= CURRENT_STORAGE_FORMAT) return;
  logger.warn(
    { format, ours: CURRENT_STORAGE_FORMAT },
    'the database has an older format: run conclave store raise-format once every process has this version',
  );
}

/** The mailer of a cluster: SMTP or none. A folder for mails would go with its host, and hosts come and go. */
function createClusterMailer(config: ServerConfig, logger: Logger): Mailer {
  const mailer = createSmtpMailer(config);
  if (mailer) return mailer;
  logger.warn({}, 'no --smtp-url: mails wait three days for a mail server, then they are dropped');
  return new UnconfiguredMailer();
}
