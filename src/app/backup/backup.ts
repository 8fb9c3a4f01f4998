/**
 * Backs up the data directory of the embedded face, also while its server runs.
 *
 * The database is copied first, as a snapshot; then the files. A file is stored before its record, and deleted files
 * are kept during the backup, so every file that the snapshot names is copied.
 */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { AdminError } from '#app/admin';
import type { Clock } from '#base/clock';
import {
  copyFileAndHash,
  fsyncFile,
  fsyncFolder,
  hashFile,
  makePrivateFolder,
  removeOthersPermissions,
} from '#base/disk';
import type { FolderBlobStorage } from '#ports/blobs';
import type { LmdbEnvironment } from '#ports/store';
import {
  type BackupFileChecksum,
  type BackupSummary,
  DATABASE_FILE_NAME,
  writeChecksumsAndManifest,
} from './manifest.js';

/** Files that a backup copies beside the database and blobs/. mail/ is left out, because its mails are sent already. */
const BACKED_UP_ROOT_FILE_NAMES = ['secret', 'owner.zuliprc'];
const BLOBS_FOLDER_NAME = 'blobs';

interface DataDirBackupSource {
  readonly environment: LmdbEnvironment;
  readonly blobs: FolderBlobStorage;
  readonly clock: Clock;
  /**
   * Aborted: the backup ends and removes what it has written. It ends at once while it reads files, but LMDB's copy of
   * the database can't be interrupted.
   */
  readonly signal?: AbortSignal;
}

/**
 * Writes a backup of the data directory. @param target absolute path of an empty or missing folder @throws AdminError
 */
export async function writeDataDirBackup(source: DataDirBackupSource, target: string): Promise<BackupSummary> {
  if (target !== resolve(target)) throw new AdminError(`not an absolute path: ${target}`);
  await requireEmptyPrivateBackupFolder(target);
  try {
    return await copyDataIntoBackupFolder(source, target);
  } catch (error) {
    await rm(target, { recursive: true, force: true }).catch(() => undefined);
    throw error;
  }
}

async function requireEmptyPrivateBackupFolder(target: string): Promise<void> {
  try {
    await makePrivateFolder(target);
    if ((await readdir(target)).length === 0) {
      await removeOthersPermissions(target, () => true);
      return;
    }
  } catch (error) {
    throw new AdminError(`a backup can't be written to ${target}: ${(error as Error).message}`);
  }
  throw new AdminError(`${target} is not empty: a backup needs an empty folder`);
}

async function copyDataIntoBackupFolder(
  { environment, blobs, clock, signal }: DataDirBackupSource,
  target: string,
): Promise<BackupSummary> {
  const files: BackupFileChecksum[] = [];
  let bytes = 0;
  const add = (name: string, copied: { hash: string; bytes: number }): void => {
    files.push({ name, hash: copied.hash });
    bytes += copied.bytes;
  };
  const keeping = await blobs.holdDeletions();
  let taken: number;
  try {
    taken = clock.now();
    await environment.copySnapshotTo(target);
    signal?.throwIfAborted();
    await fsyncFile(join(target, DATABASE_FILE_NAME));
    await removeOthersPermissions(target, () => true);
    add(DATABASE_FILE_NAME, await hashFile(join(target, DATABASE_FILE_NAME), signal));
    const copied = new Set<string>();
    const folders = new Set<string>();
    for await (const { currentPath, restoredRelativePath } of keeping.listFiles()) {
      signal?.throwIfAborted();
      if (copied.has(restoredRelativePath)) continue;
      const to = join(BLOBS_FOLDER_NAME, restoredRelativePath);
      await mkdir(dirname(join(target, to)), { recursive: true, mode: 0o700 });
      const done = await undefinedIfSourceFileMissing(copyFileAndHash(currentPath, join(target, to), signal));
      if (!done) continue;
      copied.add(restoredRelativePath);
      folders.add(dirname(join(target, to))).add(dirname(dirname(join(target, to))));
      add(to, done);
    }
    if (folders.size > 0) folders.add(join(target, BLOBS_FOLDER_NAME));
    for (const folder of folders) await fsyncFolder(folder);
  } finally {
    await keeping.release();
  }
  for (const name of BACKED_UP_ROOT_FILE_NAMES) {
    const done = await undefinedIfSourceFileMissing(
      copyFileAndHash(join(environment.directory, name), join(target, name), signal),
    );
    if (done) add(name, done);
  }
  await writeChecksumsAndManifest(target, files, { bytes, taken, format: environment.format });
  await fsyncFolder(dirname(target));
  return { files: files.length, bytes };
}

async function undefinedIfSourceFileMissing<T>(copying: Promise<T>): Promise<T | undefined> {
  try {
    return await copying;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
