/** Restores a backup to a data directory with which a server can start. */
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { AdminError } from '#app/admin';
import type { Clock } from '#base/clock';
import { copyFileAndHash, fsyncFolder, makePrivateFolder, removeOthersPermissions } from '#base/disk';
import { renewEventLogIncarnation } from '#ports/log';
import { LmdbStore, openLmdbEnvironment } from '#ports/store';
import {
  type BackupFileChecksum,
  type BackupManifest,
  createSyncedFile,
  DATABASE_FILE_NAME,
  readAndCheckManifestAndChecksums,
} from './manifest.js';
import { skipMessageIdsInAllRealms } from './skip-message-ids.js';

/** Marks a directory whose restore has begun and not ended. No server starts with it. */
const UNFINISHED_RESTORE_MARKER_FILE = 'restore-unfinished';

/**
 * Restores a backup into an empty or missing directory. A failed or aborted restore leaves the directory as it was.
 *
 * @throws AdminError, StorageFormatMismatchError
 */
export async function restoreBackupToDataDir(
  backup: string,
  dataDir: string,
  clock: Clock,
  signal?: AbortSignal,
): Promise<BackupManifest> {
  const [from, to] = [resolve(backup), resolve(dataDir)];
  const { manifest, files } = await readAndCheckManifestAndChecksums(from);
  if (!files.some(({ name }) => name === DATABASE_FILE_NAME))
    throw new AdminError(`the backup ${from} has no database`);
  const made = await ensureEmptyRestoreTarget(to);
  try {
    await createSyncedFile(join(to, UNFINISHED_RESTORE_MARKER_FILE), `from ${from}\n`);
    await fsyncFolder(to);
    await copyAndVerifyBackupFiles(from, to, files, signal);
    await skipIdsAndRenewEventLog(to, clock);
  } catch (error) {
    await clearFailedRestoreTarget(to, made);
    throw signal?.aborted ? new AdminError(`the restore was interrupted: ${to} is as it was before`) : error;
  }
  await rm(join(to, UNFINISHED_RESTORE_MARKER_FILE));
  await fsyncFolder(to);
  await fsyncFolder(dirname(to));
  return manifest;
}

/** Refuses a data directory with a half-finished restore. @throws AdminError */
export async function requireNoUnfinishedRestore(dataDir: string): Promise<void> {
  const from = await readFile(join(dataDir, UNFINISHED_RESTORE_MARKER_FILE), 'utf8').catch(() => undefined);
  if (from === undefined) return;
  throw new AdminError(`restoring ${dataDir} ${from.trim()} did not end: empty it and restore again`);
}

/** Creates the folder to restore into if it is missing. @returns whether this call created the folder */
async function ensureEmptyRestoreTarget(to: string): Promise<boolean> {
  await requireNoUnfinishedRestore(to);
  try {
    const made = await makePrivateFolder(to);
    if (!(await stat(to)).isDirectory()) throw new Error('it is not a folder');
    if ((await readdir(to)).length === 0) {
      await removeOthersPermissions(to, () => true);
      return made;
    }
  } catch (error) {
    throw new AdminError(`${to} can't be restored to: ${(error as Error).message}`);
  }
  throw new AdminError(`${to} is not empty: a restore needs an empty directory`);
}

async function copyAndVerifyBackupFiles(
  from: string,
  to: string,
  files: readonly BackupFileChecksum[],
  signal?: AbortSignal,
): Promise<void> {
  const folders = new Set<string>([to]);
  for (const { name, hash } of files) {
    const target = join(to, name);
    const made = await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    if (made) folders.add(dirname(made));
    for (let folder = dirname(target); folder.length >= to.length; folder = dirname(folder)) folders.add(folder);
    const copied = await copyFileAndHash(join(from, name), target, signal).catch((error: Error) => {
      throw new AdminError(`the backup ${from} can't be copied: ${error.message}`);
    });
    if (copied.hash !== hash)
      throw new AdminError(`the backup ${from} is damaged: ${name} differs from what was backed up`);
  }
  for (const folder of folders) await fsyncFolder(folder);
}

/**
 * Cuts the restored data off from later history: clients have seen events and messages from after the backup. Their
 * queues end, and message ids they know are not used again.
 */
async function skipIdsAndRenewEventLog(to: string, clock: Clock): Promise<void> {
  const environment = await openLmdbEnvironment(to);
  try {
    const store = new LmdbStore(environment, clock);
    await skipMessageIdsInAllRealms(store);
    await renewEventLogIncarnation(environment);
    await store.close();
  } finally {
    await environment.close();
  }
}

/** Empties the directory after a failed restore. The directory was empty before. */
async function clearFailedRestoreTarget(to: string, made: boolean): Promise<void> {
  for (const name of await readdir(to)) await rm(join(to, name), { recursive: true, force: true });
  if (made) await rm(to, { recursive: true, force: true });
}
