/** `conclave backup` and `conclave restore`: commands on a whole data directory of the embedded face. */
import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AdminError } from '#app/admin';
import {
  type BackupSummary,
  requireNoUnfinishedRestore,
  restoreBackupToDataDir,
  writeDataDirBackup,
} from '#app/backup';
import { isClusterConfig, type ServerConfig } from '#app/config';
import { REAL_CLOCK } from '#base/clock';
import { FolderBlobStorage } from '#ports/blobs';
import { openLmdbEnvironmentForInspection } from '#ports/store';
import { useDataDirOrItsServer } from './actors.js';
import { type CliActionsOf, runUntilInterrupted } from './command.js';
import { describeServerSecretMatch } from './secret-commands.js';
import { CliUsageError } from './usage.js';

export const DATA_DIR_COMMAND_ACTIONS: CliActionsOf<'backup' | 'restore'> = {
  async backup(config, _options, _logger, [folder = '']) {
    const { dataDir } = requireDataDirConfig(config, 'backup');
    const target = resolve(folder);
    const { files, bytes } = await backUpDirectlyOrThroughServer(dataDir, target);
    process.stdout.write(`${target}: ${files} files, ${bytes} bytes\n`);
  },

  async restore(config, _options, _logger, [folder = '']) {
    const { dataDir, secret } = requireDataDirConfig(config, 'restore');
    const { taken, version } = await runUntilInterrupted((signal) =>
      restoreBackupToDataDir(folder, dataDir, REAL_CLOCK, signal),
    );
    process.stdout.write(`${resolve(dataDir)}: as of ${taken}, by Conclave ${version}\n`);
    if (secret === undefined && !(await isFileAccessible(join(dataDir, 'secret')))) {
      process.stdout.write(
        'The backup contains no secret: start the server with the CONCLAVE_SECRET that it had before.\n',
      );
    } else process.stdout.write(`the secret: ${await describeServerSecretMatch(config)}\n`);
  },
};

/** @throws CliUsageError for a cluster */
function requireDataDirConfig(config: ServerConfig, name: string): ServerConfig {
  if (!isClusterConfig(config)) return config;
  throw new CliUsageError(`${name} is for data directories; docs/operations.md says how a cluster is backed up`);
}

async function backUpDirectlyOrThroughServer(dataDir: string, target: string): Promise<BackupSummary> {
  if (!(await isFileAccessible(join(dataDir, 'data.mdb')))) throw new AdminError(`${dataDir} has no data of a server`);
  await requireNoUnfinishedRestore(dataDir);
  return useDataDirOrItsServer(
    dataDir,
    () => backUpStoppedDataDir(dataDir, target),
    async (server) => {
      try {
        return await server.requestBackup(target);
      } finally {
        await server.close();
      }
    },
  );
}

async function backUpStoppedDataDir(dataDir: string, target: string): Promise<BackupSummary> {
  const environment = await openLmdbEnvironmentForInspection(dataDir);
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
