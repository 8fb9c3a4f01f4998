import { hostname } from 'node:os';
import type { Config } from '#app/config';
import { type Logger, SERVER_VERSION } from '#base';
import type { Clock } from '#base/clock';
import { type Mailer, NoMailer } from '#domain/mail';
import type { ServerCryptography } from '#domain/secrets';
import { GridFsBlobs } from '#ports/blobs';
import { type Bus, NamespacedBus, NatsBus } from '#ports/bus';
import { JetStreamLog } from '#ports/log';
import { ClusterPlacement, HostAbsenceWatch, NatsKv, placementBucket } from '#ports/placement';
import {
  databaseNameOfUrl,
  MongoStore,
  readMongoStorageFormat,
  STORAGE_FORMAT,
  serverNameOfUrl,
  withMongoSecretNote,
} from '#ports/store';
import { createSmtpMailer, eventLogLimitsOf, type ProcessPorts } from './ports.js';
import { checkStoreSecret } from './secret.js';

/**
 * Names of the event log in NATS. Without a namespace the result is empty, because JetStreamLog has its own defaults.
 */
export const eventLogNamesOf = (namespace: string): { namespace?: string; stream?: string } =>
  namespace ? { namespace, stream: `CONCLAVE_EV_${namespace}` } : {};

/** Name of a cluster's database for messages to the operator. */
export const describeMongoDatabase = (mongodb: string): string =>
  `the database ${databaseNameOfUrl(mongodb)} at ${serverNameOfUrl(mongodb)}`;

/**
 * Opens the ports of a process of a cluster, which are its interfaces to NATS and MongoDB.
 *
 * @throws Error when one of the two can't be reached; its message says which
 * @throws ConfigError when the database was written under another secret
 */
export async function openClusterPorts(
  config: Config,
  secrets: ServerCryptography,
  clock: Clock,
  logger: Logger,
): Promise<ProcessPorts> {
  const { nats, mongodb, namespace } = config as { nats: string; mongodb: string; namespace: string };
  const closers: (() => Promise<void>)[] = [];
  try {
    const connected = await NatsBus.connect(nats, clock);
    closers.unshift(() => connected.close());
    const bus: Bus = namespace ? new NamespacedBus(connected, namespace) : connected;
    await checkFormat(mongodb, logger);
    await withMongoSecretNote(mongodb, (note) => checkStoreSecret(note, secrets, describeMongoDatabase(mongodb)));
    const log = await JetStreamLog.open(nats, clock, {
      limits: eventLogLimitsOf(config),
      replicas: config.natsReplicas,
      ...eventLogNamesOf(namespace),
    });
    closers.unshift(() => log.close());
    const blobs = await GridFsBlobs.connect(mongodb);
    closers.push(() => blobs.close());
    let actors: ProcessPorts['actors'];
    let hosts: HostAbsenceWatch | undefined;
    if (config.role === 'http') {
      const kv = await NatsKv.connect(nats, { ...placementBucket(namespace), existing: true });
      closers.unshift(() => kv.close());
      const watch = new HostAbsenceWatch(kv, clock);
      await watch.start();
      closers.unshift(async () => watch.stop());
      hosts = watch;
    }
    if (config.role !== 'http') {
      const store = await MongoStore.connect(mongodb, clock);
      closers.push(() => store.close());
      const kv = await NatsKv.connect(nats, { ...placementBucket(namespace), replicas: config.natsReplicas });
      closers.unshift(() => kv.close());
      const placement = new ClusterPlacement(kv, clock, store, {
        name: `${hostname()}/${process.pid}`,
        version: SERVER_VERSION,
        address: hostname(),
        ping: () => store.ping(),
        onError: (error) => logger.warn({ err: error }, 'placement: a step failed and will be retried'),
        info: (context, message) => logger.info(context, message),
        warn: (context, message) => logger.warn(context, message),
      });
      const mailer = clusterMailer(config, logger);
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
async function checkFormat(mongodb: string, logger: Logger): Promise<void> {
  const format = await readMongoStorageFormat(mongodb);
  if (format >= STORAGE_FORMAT) return;
  logger.warn(
    { format, ours: STORAGE_FORMAT },
    'the database has an older format: run conclave store raise-format once every process has this version',
  );
}

/** The mailer of a cluster: SMTP or none. A folder for mails would go with its host, and hosts come and go. */
function clusterMailer(config: Config, logger: Logger): Mailer {
  const mailer = createSmtpMailer(config);
  if (mailer) return mailer;
  logger.warn({}, 'no --smtp-url: mails wait three days for a mail server, then they are dropped');
  return new NoMailer();
}
