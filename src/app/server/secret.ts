/** The server secret: configured, or generated once and kept in the data directory; and its check against the Store. */
import { randomBytes } from 'node:crypto';
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requireNoUnfinishedRestore } from '#app/backup';
import { type ServerConfig, ServerConfigError } from '#app/config';
import type { ServerCryptography } from '#domain/secrets';
import type { ServerSecretCheckNote } from '#ports/store';
import { prepareDataDir } from './data-dir.js';

/**
 * The configured secret, else the stored one, else a new one, which is stored.
 * @param renew whether a new secret may be generated although the directory has data
 * @throws ServerConfigError when the directory has data but no secret: a new secret would not open what the old one
 *   sealed
 */
export async function loadOrCreateServerSecret(config: ServerConfig, renew = false): Promise<string> {
  if (config.secret !== undefined) return config.secret;
  await prepareDataDir(config.dataDir);
  const kept = await readStoredServerSecret(config.dataDir);
  if (kept !== undefined) return kept;
  if (!renew && (await hasServerData(config.dataDir))) {
    await requireNoUnfinishedRestore(config.dataDir);
    throw new ServerConfigError(
      `the data directory ${config.dataDir} has data, but no file secret: give the CONCLAVE_SECRET with which it was ` +
        'written. If it is lost: conclave secret changed',
    );
  }
  const made = randomBytes(32).toString('base64url');
  try {
    await writeFile(join(config.dataDir, 'secret'), `${made}\n`, { mode: 0o600, flag: 'wx' });
    return made;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return (await readStoredServerSecret(config.dataDir)) ?? '';
  }
}

/** The secret in the data directory; undefined when there is none. */
export async function readStoredServerSecret(dataDir: string): Promise<string | undefined> {
  try {
    return (await readFile(join(dataDir, 'secret'), 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** True if a server has run in this data directory. */
export const hasServerData = (dataDir: string): Promise<boolean> =>
  access(join(dataDir, 'data.mdb')).then(
    () => true,
    () => false,
  );

/**
 * Refuses to start with another secret than the one under which the Store was written. A process with a wrong secret
 * would refuse everyone's API key, and would seal new keys that no other process can open. The first process stores
 * the check value.
 * @param what the Store in words, for the message
 * @throws ServerConfigError
 */
export async function checkOrStoreServerSecretFingerprint(
  note: ServerSecretCheckNote,
  secrets: ServerCryptography,
  what: string,
): Promise<void> {
  if ((await compareServerSecretWithStore(note, secrets, what)) === 'own') return;
  if ((await note.storeUnlessPresent(secrets.secretFingerprint)) !== secrets.secretFingerprint)
    throw makeServerSecretMismatchError(what);
}

/**
 * Compares the secret with the Store and changes nothing.
 * @returns 'none yet' when the Store has no check value and no key that contradicts the secret
 * @throws ServerConfigError when the Store was written under another secret
 */
export async function compareServerSecretWithStore(
  note: ServerSecretCheckNote,
  secrets: ServerCryptography,
  what: string,
): Promise<'own' | 'none yet'> {
  const stored = await note.read();
  if (stored === secrets.secretFingerprint) return 'own';
  if (stored !== undefined) throw makeServerSecretMismatchError(what);
  const keys = await note.readSealedApiKeys();
  const readable = keys.filter((sealed) => secrets.unsealOrUndefined(sealed) !== undefined).length;
  // Processes with different secrets may have sealed keys in this Store. The secret of the majority is the right one.
  if (readable * 2 < keys.length) throw makeServerSecretMismatchError(what);
  return 'none yet';
}

export const makeServerSecretMismatchError = (what: string): ServerConfigError =>
  new ServerConfigError(
    `${what} was written under another server secret than this process was given: give it the same as all others ` +
      `(CONCLAVE_SECRET, or the file secret in a data directory). If it was changed on purpose: conclave secret changed`,
  );
