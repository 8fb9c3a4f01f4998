/** The server secret and the Store: whether they fit each other, and a change of it on purpose. */
import { AdminError } from '#app/admin';
import type { Config } from '#app/config';
import { databaseCalled, hasData, isCluster, judged, keptSecret, logNames, serverSecret } from '#app/server';
import { REAL_CLOCK } from '#base/clock';
import { Secrets } from '#domain/secrets';
import { JetStreamLog, renewIncarnation } from '#ports/log';
import {
  DirectoryInUse,
  embeddedSecretNote,
  type LmdbEnvironment,
  openLmdbEnvironment,
  StoreUnavailable,
  withMongoSecretNote,
} from '#ports/store';
import { nobodyRuns } from './store-commands.js';

const LOST =
  'from now on the new secret counts. Void are: API keys (people log in again, bots and accounts without password get ' +
  "one by 'conclave user new-key'), event queues, links in mails that were sent, invitations, and tokens of outgoing " +
  'webhooks (new ones show in the settings of the bots)';

/** The command that these words name; undefined: it is another. */
export function secretCommand(words: readonly string[]): ((config: Config) => Promise<void>) | undefined {
  if (words.join(' ') !== 'secret changed') return undefined;
  return async (config) => {
    await (isCluster(config) ? changedInCluster(config) : changedInDirectory(config));
    process.stdout.write(`${LOST}\n`);
  };
}

/** Queues of before end: their clients have keys that are void, and what is sealed in the log nobody can read. */
async function changedInCluster(config: Config): Promise<void> {
  const { nats, mongodb, namespace } = config as { nats: string; mongodb: string; namespace: string };
  const secrets = new Secrets(await serverSecret(config));
  await nobodyRuns(nats, namespace, REAL_CLOCK);
  await JetStreamLog.discard(nats, REAL_CLOCK, logNames(namespace).stream);
  await withMongoSecretNote(mongodb, (note) => note.replace(secrets.check));
}

async function changedInDirectory(config: Config): Promise<void> {
  const { dataDir } = config;
  if (!(await hasData(dataDir))) throw new AdminError(`${dataDir} has no data of a server`);
  const environment = await openLmdbEnvironment(dataDir);
  try {
    const secrets = new Secrets(await serverSecret(config, true));
    await renewIncarnation(environment);
    await embeddedSecretNote(environment).replace(secrets.check);
  } finally {
    await environment.close();
  }
}

/**
 * Changes nothing, and makes nothing.
 * @returns in words, how the secret fits what is stored, as far as it can be found out from here
 * @throws ConfigError when it does not
 */
export async function describeFit(config: Config): Promise<string> {
  try {
    return await (isCluster(config) ? fitsCluster(config) : fitsDirectory(config));
  } catch (error) {
    if (error instanceof StoreUnavailable) return `not compared: ${error.message}`;
    if (error instanceof DirectoryInUse) return 'not compared: a server has the data directory open';
    throw error;
  }
}

const words = (found: 'own' | 'none yet'): string =>
  found === 'own' ? 'the one of what is stored' : 'nothing is stored under another one';

function fitsCluster(config: Config): Promise<string> {
  const { mongodb, secret } = config as { mongodb: string; secret: string };
  return withMongoSecretNote(mongodb, async (note) =>
    words(await judged(note, new Secrets(secret), databaseCalled(mongodb))),
  );
}

async function fitsDirectory(config: Config): Promise<string> {
  const { dataDir } = config;
  if (!(await hasData(dataDir))) {
    const kept = config.secret ?? (await keptSecret(dataDir));
    return kept === undefined ? 'made at the first start' : words('none yet');
  }
  // It may be missing, and is not made where there is data.
  const secrets = new Secrets(await serverSecret(config));
  let environment: LmdbEnvironment | undefined;
  try {
    environment = await openLmdbEnvironment(dataDir);
    return words(await judged(embeddedSecretNote(environment), secrets, `the data directory ${dataDir}`));
  } finally {
    await environment?.close();
  }
}
