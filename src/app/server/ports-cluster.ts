import { hostname } from 'node:os';
import type { Config } from '#app/config';
import type { Logger } from '#base';
import { VERSION } from '#base';
import type { Clock } from '#base/clock';
import type { Secrets } from '#domain/secrets';
import { GridFsBlobs } from '#ports/blobs';
import { type Bus, NamespacedBus, NatsBus } from '#ports/bus';
import { JetStreamLog } from '#ports/log';
import { ClusterPlacement, HostWatch, NatsKv, placementBucket } from '#ports/placement';
import { databaseName, FORMAT, MongoStore, mongoFormat, serverName, withMongoSecretNote } from '#ports/store';
import { logLimits } from './log-limits.js';
import { clusterMailer } from './mailer.js';
import type { Ports } from './ports.js';
import { checkSecret } from './secret-check.js';

/** What the event log is called on its NATS server; without a namespace as JetStreamLog calls it. */
export const logNames = (namespace: string): { namespace?: string; stream?: string } =>
  namespace ? { namespace, stream: `CONCLAVE_EV_${namespace}` } : {};

/** How messages name a cluster's database. */
export const databaseCalled = (mongodb: string): string =>
  `the database ${databaseName(mongodb)} at ${serverName(mongodb)}`;

/**
 * NATS and MongoDB.
 * @throws when one of them can't be reached at start: the message says which; ConfigError for another secret
 */
export async function clusterPorts(config: Config, secrets: Secrets, clock: Clock, logger: Logger): Promise<Ports> {
  const { nats, mongodb, namespace } = config as { nats: string; mongodb: string; namespace: string };
  const closers: (() => Promise<void>)[] = [];
  try {
    const connected = await NatsBus.connect(nats, clock);
    closers.unshift(() => connected.close());
    const bus: Bus = namespace ? new NamespacedBus(connected, namespace) : connected;
    await checkFormat(mongodb, logger);
    await withMongoSecretNote(mongodb, (note) => checkSecret(note, secrets, databaseCalled(mongodb)));
    const log = await JetStreamLog.open(nats, clock, {
      limits: logLimits(config),
      replicas: config.natsReplicas,
      ...logNames(namespace),
    });
    closers.unshift(() => log.close());
    const blobs = await GridFsBlobs.connect(mongodb);
    closers.push(() => blobs.close());
    let actors: Ports['actors'];
    let hosts: HostWatch | undefined;
    if (config.role === 'http') {
      const kv = await NatsKv.connect(nats, { ...placementBucket(namespace), existing: true });
      closers.unshift(() => kv.close());
      const watch = new HostWatch(kv, clock);
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
        version: VERSION,
        address: hostname(),
        ping: () => store.ping(),
        onError: (error) => logger.warn({ err: error }, 'placement: something failed and is tried again'),
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

/** Before anything is written. @throws when the database is in a format that this program does not know */
async function checkFormat(mongodb: string, logger: Logger): Promise<void> {
  const format = await mongoFormat(mongodb);
  if (format >= FORMAT) return;
  logger.warn(
    { format, ours: FORMAT },
    'stored in the format before ours: when every process is of this version, conclave store raise-format',
  );
}
