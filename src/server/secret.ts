/** The server secret: given, or made once and kept in the data directory. */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/index.js';
import { prepareDataDir } from './data-dir.js';

export async function serverSecret(config: Config): Promise<string> {
  if (config.secret !== undefined) return config.secret;
  await prepareDataDir(config.dataDir);
  const path = join(config.dataDir, 'secret');
  const made = randomBytes(32).toString('base64url');
  try {
    await writeFile(path, `${made}\n`, { mode: 0o600, flag: 'wx' });
    return made;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return (await readFile(path, 'utf8')).trim();
  }
}
