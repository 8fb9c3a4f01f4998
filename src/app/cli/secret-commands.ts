/** `conclave secret changed`, and the comparison of the server secret with the Store for `conclave check-config`. */
import { AdminError } from '#app/admin';
import { requireNoUnfinishedRestore } from '#app/backup';
import { isClusterConfig, type ServerConfig } from '#app/config';
import {
  compareServerSecretWithStore,
  describeMongoDatabase,
  hasServerData,
  loadOrCreateServerSecret,
  natsNamesOfEventLog,
  readStoredServerSecret,
} from '#app/server';
import { REAL_CLOCK } from '#base/clock';
import { ServerCryptography } from '#domain/secrets';
import { JetStreamEventLog, renewEventLogIncarnation } from '#ports/log';
import {
  DataDirectoryInUseError,
  type LmdbEnvironment,
  makeLmdbSecretCheckNote,
  openLmdbEnvironment,
  openLmdbEnvironmentForInspection,
  type ServerSecretCheckNote,
  StoreUnavailableError,
  withMongoSecretCheckNote,
} from '#ports/store';
import type { CliActionsOf } from './command.js';
import { requireAllProcessesStopped } from './store-commands.js';

const INVALIDATED_BY_NEW_SECRET_NOTICE =
  'the new secret is in force. Void are: API keys (people log in again, bots and accounts without password get ' +
  "one by 'conclave user new-key'), sessions of browsers, event queues, links in mails that were sent, invitations, and tokens of outgoing " +
  'webhooks (the settings of the bots show the new ones)';

export const SECRET_COMMAND_ACTIONS: CliActionsOf<'secret'> = {
  'secret changed': async (config) => {
    await (isClusterConfig(config) ? applyChangedSecretToCluster(config) : applyChangedSecretToDataDir(config));
    process.stdout.write(`${INVALIDATED_BY_NEW_SECRET_NOTICE}\n`);
  },
};

/** @throws AdminError if the data already is under this secret: keys that leaked would stay valid */
async function requireOtherSecret(note: ServerSecretCheckNote, secrets: ServerCryptography): Promise<void> {
  if ((await note.read()) !== secrets.secretFingerprint) return;
  throw new AdminError(
    'nothing was changed: this is the secret that the data already has. Give the new one as CONCLAVE_SECRET, or ' +
      'remove the file secret from the data directory to have one generated',
  );
}

/** Ends all event queues: the keys of their clients are void, and sealed entries of the log can't be opened. */
async function applyChangedSecretToCluster(config: ServerConfig): Promise<void> {
  const { nats, mongodb, namespace } = config as { nats: string; mongodb: string; namespace: string };
  const secrets = new ServerCryptography(await loadOrCreateServerSecret(config));
  await requireAllProcessesStopped(nats, namespace, REAL_CLOCK);
  await withMongoSecretCheckNote(mongodb, async (note) => {
    await requireOtherSecret(note, secrets);
    await JetStreamEventLog.discardLog(nats, REAL_CLOCK, natsNamesOfEventLog(namespace).stream);
    await note.replace(secrets.secretFingerprint);
  });
}

async function applyChangedSecretToDataDir(config: ServerConfig): Promise<void> {
  const { dataDir } = config;
  if (!(await hasServerData(dataDir))) throw new AdminError(`${dataDir} has no data of a server`);
  await requireNoUnfinishedRestore(dataDir);
  const environment = await openLmdbEnvironment(dataDir);
  try {
    const secrets = new ServerCryptography(await loadOrCreateServerSecret(config, true));
    const note = makeLmdbSecretCheckNote(environment);
    await requireOtherSecret(note, secrets);
    await renewEventLogIncarnation(environment);
    await note.replace(secrets.secretFingerprint);
  } finally {
    await environment.close();
  }
}

/**
 * Compares the secret with the stored data without changing anything.
 * @returns the result in words, or the reason why the two could not be compared
 * @throws ServerConfigError when the data was written under another secret
 */
export async function describeServerSecretMatch(config: ServerConfig): Promise<string> {
  try {
    return await (isClusterConfig(config)
      ? describeSecretMatchInCluster(config)
      : describeSecretMatchInDataDir(config));
  } catch (error) {
    if (error instanceof StoreUnavailableError) return `not compared: ${error.message}`;
    if (error instanceof DataDirectoryInUseError) return 'not compared: a server has the data directory open';
    throw error;
  }
}

const describeMatchingSecretState = (found: 'own' | 'none yet'): string =>
  found === 'own' ? 'matches the stored data' : 'no data is stored under another secret';

function describeSecretMatchInCluster(config: ServerConfig): Promise<string> {
  const { mongodb, secret } = config as { mongodb: string; secret: string };
  return withMongoSecretCheckNote(mongodb, async (note) =>
    describeMatchingSecretState(
      await compareServerSecretWithStore(note, new ServerCryptography(secret), describeMongoDatabase(mongodb)),
    ),
  );
}

async function describeSecretMatchInDataDir(config: ServerConfig): Promise<string> {
  const { dataDir } = config;
  if (!(await hasServerData(dataDir))) {
    const kept = config.secret ?? (await readStoredServerSecret(dataDir));
    return kept === undefined ? 'will be generated at the first start' : describeMatchingSecretState('none yet');
  }
  // This call throws when the secret is missing: no secret is generated for a directory with data.
  const secrets = new ServerCryptography(await loadOrCreateServerSecret(config));
  let environment: LmdbEnvironment | undefined;
  try {
    environment = await openLmdbEnvironmentForInspection(dataDir);
    return describeMatchingSecretState(
      await compareServerSecretWithStore(
        makeLmdbSecretCheckNote(environment),
        secrets,
        `the data directory ${dataDir}`,
      ),
    );
  } finally {
    await environment?.close();
  }
}
