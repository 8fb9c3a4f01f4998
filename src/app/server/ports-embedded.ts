import { join } from 'node:path';
import { refuseUnfinishedRestore, writeBackup } from '#app/backup';
import type { Config } from '#app/config';
import type { Clock } from '#base/clock';
import { FolderMailer } from '#domain/mail';
import { makeDigest } from '#domain/messages';
import type { ServerCryptography } from '#domain/secrets';
import { DirectoryBlobs } from '#ports/blobs';
import { LocalBus } from '#ports/bus';
import { LmdbLog } from '#ports/log';
import { SinglePlacement } from '#ports/placement';
import { embeddedSecretNote, LmdbStore, openLmdbEnvironment } from '#ports/store';
import { prepareDataDir } from './data-dir.js';
import { createSmtpMailer, eventLogLimitsOf, mailSenderOf, type ProcessPorts } from './ports.js';
import { checkStoreSecret } from './secret.js';

/**
 * Opens the ports of the embedded face, which are its interfaces to LMDB and to files in one data directory.
 *
 * @throws DirectoryInUse when another process has the directory open
 * @throws ConfigError when the directory was written under another secret
 */
export async function openEmbeddedPorts(
  config: Config,
  secrets: ServerCryptography,
  clock: Clock,
): Promise<ProcessPorts> {
  await prepareDataDir(config.dataDir);
  await refuseUnfinishedRestore(config.dataDir);
  const environment = await openLmdbEnvironment(config.dataDir);
  try {
    await checkStoreSecret(embeddedSecretNote(environment), secrets, `the data directory ${config.dataDir}`);
  } catch (error) {
    await environment.close();
    throw error;
  }
  const store = new LmdbStore(environment, clock, makeDigest);
  const log = await LmdbLog.open(environment, clock, eventLogLimitsOf(config));
  const blobs = await DirectoryBlobs.open(join(config.dataDir, 'blobs'));
  const mailer =
    createSmtpMailer(config) ?? (await FolderMailer.open(join(config.dataDir, 'mail'), mailSenderOf(config)));
  const bus = new LocalBus(clock);
  return {
    clock,
    bus,
    log,
    blobs,
    actors: { store, placement: new SinglePlacement(store), mailer },
    backUp: (folder) => writeBackup({ environment, blobs, clock }, folder),
    async close() {
      await bus.close();
      await log.close();
      await blobs.close();
      await mailer.close();
      await store.close();
      await environment.close();
    },
  };
}
