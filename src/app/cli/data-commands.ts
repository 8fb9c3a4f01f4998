/** `conclave backup` and `conclave restore`: commands on a whole data directory of the embedded face. */
import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AdminError, RunningServerActorCaller } from '#app/admin';
import {
  type BackupSummary,
  requireNoUnfinishedRestore,
  restoreBackupToDataDir,
  writeDataDirBackup,
} from '#app/backup';
import { isClusterConfig, type ServerConfig } from '#app/config';
import { REAL_CLOCK } from '#base/clock';
import { FolderBlobStorage } from '#ports/blobs';
import { DataDirectoryInUseError, openLmdbEnvironment } from '#ports/store';

const DATA_DIR_COMMAND_BY_NAME: Readonly<Record<string, (config: ServerConfig, folder: string) => Promise<void>>> = {
  async backup({ dataDir }, folder) {
    const target = resolve(folder);
    const { files, bytes } = await backUpDirectlyOrThroughServer(dataDir, target);
    process.stdout.write(`${target}: ${files} files, ${bytes} bytes\n`);
  },

  async restore({ dataDir, secret }, folder) {
    const { taken, version } = await restoreBackupToDataDir(folder, dataDir, REAL_CLOCK);
    process.stdout.write(`${resolve(dataDir)}: as of ${taken}, by Conclave ${version}\n`);
    if (secret !== undefined || (await isFileAccessible(join(dataDir, 'secret')))) return;
    process.stdout.write(
      'The backup contains no secret: start the server with the CONCLAVE_SECRET that it had before.\n',
    );
  },
};

/**
 * Finds the `conclave backup` or `conclave restore` command with these words; undefined when none has this name.
 *
 * @throws AdminError when the folder is missing
 */
export function findBackupOrRestoreCommand(
  words: readonly string[],
): ((config: ServerConfig) => Promise<void>) | undefined {
  const [name = '', folder, ...more] = words;
  const command = Object.hasOwn(DATA_DIR_COMMAND_BY_NAME, name) ? DATA_DIR_COMMAND_BY_NAME[name] : undefined;
  if (!command) return undefined;
  if (folder === undefined || more.length > 0) throw new AdminError(`usage: conclave ${name} DIR`);
  return async (config) => {
    if (isClusterConfig(config)) {
      throw new AdminError(`${name} is for data directories; docs/operations.md says how a cluster is backed up`);
    }
    await command(config, folder);
  };
}

async function backUpDirectlyOrThroughServer(dataDir: string, target: string): Promise<BackupSummary> {
  if (!(await isFileAccessible(join(dataDir, 'data.mdb')))) throw new AdminError(`${dataDir} has no data of a server`);
  await requireNoUnfinishedRestore(dataDir);
  try {
    return await backUpStoppedDataDir(dataDir, target);
  } catch (error) {
    if (!(error instanceof DataDirectoryInUseError)) throw error;
  }
  const server = await RunningServerActorCaller.connectToServerOf(dataDir);
  try {
    return await server.requestBackup(target);
  } finally {
    await server.close();
  }
}

async function backUpStoppedDataDir(dataDir: string, target: string): Promise<BackupSummary> {
  const environment = await openLmdbEnvironment(dataDir);
  try {
    const blobs = await FolderBlobStorage.open(join(dataDir, 'blobs'));
    return await writeDataDirBackup({ environment, blobs, clock: REAL_CLOCK }, target);
  } finally {
    await environment.close();
  }
}

const isFileAccessible = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
