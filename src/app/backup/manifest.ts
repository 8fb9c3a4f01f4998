/**
 * The files of a backup: those of a data directory under their names, `SHA256SUMS` (as `sha256sum -c` reads it) and,
 * written last, `backup.json`. A folder without `backup.json` is not a backup.
 */
import { createHash } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { join, posix, sep } from 'node:path';
import { AdminError } from '#app/admin';
import { SERVER_VERSION } from '#base';
import { fsyncFolder } from '#base/disk';
import { CURRENT_STORAGE_FORMAT, checkReadableStorageFormat } from '#ports/store';

const BACKUP_MANIFEST_FILE_NAME = 'backup.json';
const BACKUP_CHECKSUMS_FILE_NAME = 'SHA256SUMS';
export const DATABASE_FILE_NAME = 'data.mdb';

export interface BackupFileChecksum {
  /** Path relative to the backup's folder, with this system's separators. */
  readonly name: string;
  readonly hash: string;
}

export interface BackupSummary {
  readonly files: number;
  readonly bytes: number;
}

export interface BackupManifest extends BackupSummary {
  /** Storage format of the data (format.ts of the Store). */
  readonly format: number;
  /** Version of the program that made the backup. */
  readonly version: string;
  /** Time of the snapshot, ISO 8601. */
  readonly taken: string;
  /** SHA-256 of the file SHA256SUMS. */
  readonly sums: string;
}

const sha256HexOfText = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Writes the manifest, the last step: only now the folder is a backup. */
export async function writeChecksumsAndManifest(
  folder: string,
  files: readonly BackupFileChecksum[],
  of: { readonly bytes: number; readonly taken: number; readonly format: number },
): Promise<void> {
  const sums = files.map(({ name, hash }) => `${hash}  ${name.split(sep).join(posix.sep)}\n`).join('');
  await createSyncedFile(join(folder, BACKUP_CHECKSUMS_FILE_NAME), sums);
  await fsyncFolder(folder);
  const manifest: BackupManifest = {
    format: of.format,
    version: SERVER_VERSION,
    taken: new Date(of.taken).toISOString(),
    files: files.length,
    bytes: of.bytes,
    sums: sha256HexOfText(sums),
  };
  await createSyncedFile(join(folder, BACKUP_MANIFEST_FILE_NAME), `${JSON.stringify(manifest, undefined, 2)}\n`);
  await fsyncFolder(folder);
}

export async function createSyncedFile(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Checks the manifest and the list of files.
 * @throws AdminError if the backup is incomplete or damaged
 * @throws StorageFormatMismatchError if this program can't read its format
 */
export async function readAndCheckManifestAndChecksums(
  folder: string,
  known = CURRENT_STORAGE_FORMAT,
): Promise<{ readonly manifest: BackupManifest; readonly files: readonly BackupFileChecksum[] }> {
  const manifest = parseBackupManifest(
    folder,
    await readBackupTextFileOrThrow(folder, BACKUP_MANIFEST_FILE_NAME, `${folder} is no backup, or an unfinished one`),
  );
  checkReadableStorageFormat(`the backup ${folder}`, manifest.format, known);
  const sums = await readBackupTextFileOrThrow(folder, BACKUP_CHECKSUMS_FILE_NAME, `the backup ${folder} is damaged`);
  if (sha256HexOfText(sums) !== manifest.sums)
    throw new AdminError(`the backup ${folder} is damaged: ${BACKUP_CHECKSUMS_FILE_NAME} was changed`);
  const files = sums
    .split('\n')
    .slice(0, -1)
    .map((line) => parseChecksumLine(folder, line));
  return { manifest, files };
}

function parseChecksumLine(folder: string, line: string): BackupFileChecksum {
  const [, hash, name] = /^([0-9a-f]{64}) {2}([\w./-]+)$/.exec(line) ?? [];
  // A backup may come from anywhere, so no name in it may point outside the new directory.
  if (hash === undefined || name === undefined || posix.normalize(`/${name}`) !== `/${name}`) {
    throw new AdminError(
      `the backup ${folder} is damaged: ${BACKUP_CHECKSUMS_FILE_NAME} has the line ${JSON.stringify(line)}`,
    );
  }
  return { name: name.split(posix.sep).join(sep), hash };
}

function parseBackupManifest(folder: string, json: string): BackupManifest {
  try {
    const value = JSON.parse(json) as Partial<BackupManifest> | null;
    if (typeof value?.format === 'number' && typeof value.sums === 'string') return value as BackupManifest;
  } catch {
    // The error below covers JSON that can't be parsed, too.
  }
  throw new AdminError(`the backup ${folder} is damaged: ${BACKUP_MANIFEST_FILE_NAME} can't be read`);
}

async function readBackupTextFileOrThrow(folder: string, name: string, otherwise: string): Promise<string> {
  try {
    return await readFile(join(folder, name), 'utf8');
  } catch (error) {
    throw new AdminError(`${otherwise}: ${name}: ${(error as NodeJS.ErrnoException).code}`);
  }
}
