/** The server secret: given, or made once and kept in the data directory. */
import { randomBytes } from 'node:crypto';
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, ConfigError } from '#app/config';
import { prepareDataDir } from './data-dir.js';

/**
 * @param renew a new one may be made also for data that was written under another
 * @throws ConfigError when there is data and its secret is missing: a new one would not fit it
 */
export async function serverSecret(config: Config, renew = false): Promise<string> {
  if (config.secret !== undefined) return config.secret;
  await prepareDataDir(config.dataDir);
  const kept = await keptSecret(config.dataDir);
  if (kept !== undefined) return kept;
  if (!renew && (await hasData(config.dataDir))) {
    throw new ConfigError(
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
    return (await keptSecret(config.dataDir)) ?? '';
  }
}

/** undefined: there is none. */
export async function keptSecret(dataDir: string): Promise<string | undefined> {
  try {
    return (await readFile(join(dataDir, 'secret'), 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Of a server that has run. */
export const hasData = (dataDir: string): Promise<boolean> =>
  access(join(dataDir, 'data.mdb')).then(
    () => true,
    () => false,
  );
