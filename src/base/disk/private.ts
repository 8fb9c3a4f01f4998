/**
 * Files that only their owner reads: messages, keys, hashes of passwords. The native store makes its files with what the umask leaves, and
 * programs before this one did, too.
 */
import type { Dirent } from 'node:fs';
import { chmod, lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const FOLDER = 0o700;
const FILE = 0o600;
/** What others may do. */
const OTHERS = 0o077;

/** File systems without modes, and files of somebody else, stay as they are: the server needs none of this to work. */
const TOLERATED = new Set(['EPERM', 'EACCES', 'EROFS', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'ENOENT']);

/** For the whole process: what it makes from now on, by whatever library, is for its owner alone. */
export const makePrivately = (): void => void process.umask(OTHERS);

/** Writes the whole file, also over one that others could read before. */
export async function writePrivate(file: string, text: string): Promise<void> {
  const handle = await open(file, 'w', FILE);
  try {
    await tolerant(handle.chmod(FILE));
    await handle.writeFile(text);
  } finally {
    await handle.close();
  }
}

/**
 * Takes from others what they may do with a folder and what is ours in it. The folder itself stays open where something else is in it, too:
 * it may be one that all use. Links are left alone.
 */
export async function closeToOthers(folder: string, isOurs: (name: string) => boolean): Promise<void> {
  const entries = await listed(folder);
  if (entries.every(({ name }) => isOurs(name))) await tighten(folder, FOLDER);
  for (const entry of entries) if (isOurs(entry.name)) await closeEntry(join(folder, entry.name), entry);
}

/**
 * Folders that are closed to others already are not gone through: nothing in these can be reached, and there may be a million files. So a folder
 * is closed after all that is in it, lest a walk that was cut off be taken for one that ended.
 */
async function closeEntry(path: string, entry: Dirent): Promise<void> {
  if (entry.isSymbolicLink()) return;
  if (!entry.isDirectory()) {
    await tighten(path, FILE);
    return;
  }
  if (!(await isOpen(path))) return;
  for (const inside of await listed(path)) await closeEntry(join(path, inside.name), inside);
  await tighten(path, FOLDER);
}

const listed = async (folder: string): Promise<Dirent[]> =>
  (await tolerant(readdir(folder, { withFileTypes: true }))) ?? [];

async function isOpen(path: string): Promise<boolean> {
  const found = await tolerant(lstat(path));
  return found !== undefined && (found.mode & OTHERS) !== 0;
}

async function tighten(path: string, mode: number): Promise<void> {
  const found = await tolerant(lstat(path));
  if (!found || (found.mode & OTHERS) === 0) return;
  await tolerant(chmod(path, found.mode & mode));
}

async function tolerant<T>(doing: Promise<T>): Promise<T | undefined> {
  try {
    return await doing;
  } catch (error) {
    if (TOLERATED.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
