import { join } from 'node:path';
import { AdminError } from '#app/admin';
import { requireNoUnfinishedRestore, writeDataDirBackup } from '#app/backup';
import type { ServerConfig } from '#app/config';
import type { Clock } from '#base/clock';
import { FolderMailer } from '#domain/mail';
import { makeMessageDigestIfPossible } from '#domain/messages';
import type { ServerCryptography } from '#domain/secrets';
import { FolderBlobStorage } from '#ports/blobs';
import { LocalBus, LocalBusHub } from '#ports/bus';
import { LmdbEventLog } from '#ports/log';
import { SingleHostPlacement } from '#ports/placement';
import { LmdbStore, makeLmdbSecretCheckNote, openLmdbEnvironment } from '#ports/store';
import { prepareDataDir } from './data-dir.js';
import { createSmtpMailer, eventLogLimitsOf, mailSenderAddressOf, type ProcessPorts } from './ports.js';
import { checkOrStoreServerSecretFingerprint } from './secret.js';

/**
 * Opens the ports of the embedded face, which are its interfaces to LMDB and to files in one data directory.
 *
 * @throws DataDirectoryInUseError when another process has the directory open
 * @throws ServerConfigError when the directory was written under another secret
 */
export async function openEmbeddedPorts(
  config: ServerConfig,
  secrets: ServerCryptography,
  clock: Clock,
): Promise<ProcessPorts> {
  await prepareDataDir(config.dataDir);
  await requireNoUnfinishedRestore(config.dataDir);
  const environment = await openLmdbEnvironment(config.dataDir);
  try {
    await checkOrStoreServerSecretFingerprint(
      makeLmdbSecretCheckNote(environment),
      secrets,
      `the data directory ${config.dataDir}`,
    );
  } catch (error) {
    await environment.close();
    throw error;
  }
  const store = new LmdbStore(environment, clock, makeMessageDigestIfPossible);
  const log = await LmdbEventLog.open(environment, clock, eventLogLimitsOf(config));
  const blobs = await FolderBlobStorage.open(join(config.dataDir, 'blobs'));
  const mailer =
    createSmtpMailer(config) ??
    (await FolderMailer.open(join(config.dataDir, 'mail'), mailSenderAddressOf(config), clock));
  const localBusHub = new LocalBusHub();
  const bus = new LocalBus(clock, localBusHub);
  const closing = new AbortController();
  const backups = new Set<Promise<unknown>>();
  return {
    clock,
    bus,
    localBusHub,
    log,
    blobs,
    actors: { store, placement: new SingleHostPlacement(store), mailer },
    backUp(folder) {
      const backup = writeDataDirBackup({ environment, blobs, clock, signal: closing.signal }, folder);
      backups.add(backup);
      return backup.finally(() => backups.delete(backup));
    },
    async close() {
      closing.abort(new AdminError('the server stops: the backup was removed'));
      await Promise.allSettled(backups);
      await bus.close();
      await log.close();
      await blobs.close();
      await mailer.close();
      await store.close();
      await environment.close();
    },
  };
}
