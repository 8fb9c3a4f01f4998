/** `conclave backup` and `conclave restore`: commands on a whole data directory of the embedded face. */
import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AdminChannelActorCaller, AdminError } from '#app/admin';
import { type BackupSummary, checkNoUnfinishedRestore, restoreBackup, writeDataDirBackup } from '#app/backup';
import { isClusterConfig, type ServerConfig } from '#app/config';
import { REAL_CLOCK } from '#base/clock';
import { FolderBlobStorage } from '#ports/blobs';
import { DataDirectoryInUseError, openLmdbEnvironment } from '#ports/store';

const DATA_DIR_COMMANDS: Readonly<Record<string, (config: ServerConfig, folder: string) => Promise<void>>> = {
  async backup({ dataDir }, folder) {
    const target = resolve(folder);
    const { files, bytes } = await backUpServerOrDirectory(dataDir, target);
    process.stdout.write(`${target}: ${files} files, ${bytes} bytes\n`);
  },

  async restore({ dataDir, secret }, folder) {
    const { taken, version } = await restoreBackup(folder, dataDir, REAL_CLOCK);
    process.stdout.write(`${resolve(dataDir)}: as of ${taken}, by Conclave ${version}\n`);
    if (secret !== undefined || (await doesFileExist(join(dataDir, 'secret')))) return;
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
export function findDataDirCommand(words: readonly string[]): ((config: ServerConfig) => Promise<void>) | undefined {
  const [name = '', folder, ...more] = words;
  const command = Object.hasOwn(DATA_DIR_COMMANDS, name) ? DATA_DIR_COMMANDS[name] : undefined;
  if (!command) return undefined;
  if (folder === undefined || more.length > 0) throw new AdminError(`usage: conclave ${name} DIR`);
  return async (config) => {
    if (isClusterConfig(config)) {
      throw new AdminError(`${name} is for data directories; docs/operations.md says how a cluster is backed up`);
    }
    await command(config, folder);
  };
}

async function backUpServerOrDirectory(dataDir: string, target: string): Promise<BackupSummary> {
  if (!(await doesFileExist(join(dataDir, 'data.mdb')))) throw new AdminError(`${dataDir} has no data of a server`);
  await checkNoUnfinishedRestore(dataDir);
  try {
    return await backUpStoppedDataDir(dataDir, target);
  } catch (error) {
    if (!(error instanceof DataDirectoryInUseError)) throw error;
  }
  const server = await AdminChannelActorCaller.open(dataDir);
  try {
    return await server.backUp(target);
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

const doesFileExist = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
