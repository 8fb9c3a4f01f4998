/**
 * Private files: messages, keys and password hashes are readable by their owner only. Files that the native store or an
 * earlier version created by the umask may be readable by others.
 */
import type { Dirent } from 'node:fs';
import { chmod, lstat, mkdir, open, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const PRIVATE_FOLDER_MODE = 0o700;
const PRIVATE_FILE_MODE = 0o600;
/** Permission bits of all users but the owner of a file: its group and others. */
const OTHERS_PERMISSION_BITS = 0o077;

/**
 * Error codes that a change of permissions may meet (file systems without modes, files of other owners); the server
 * works without the change.
 */
const TOLERATED_PERMISSION_ERROR_CODES = new Set([
  'EPERM',
  'EACCES',
  'EROFS',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'ENOENT',
]);

/** Sets the umask of the process: every file that any library creates from now on is private. */
export const setPrivateUmask = (): void => void process.umask(OTHERS_PERMISSION_BITS);

/** Writes the whole file; an existing file that others could read becomes private first. */
export async function writePrivateFile(file: string, text: string): Promise<void> {
  const handle = await open(file, 'w', PRIVATE_FILE_MODE);
  try {
    await ignoreToleratedErrors(handle.chmod(PRIVATE_FILE_MODE));
    await handle.writeFile(text);
  } finally {
    await handle.close();
  }
}

/**
 * Makes a folder with the folders above it, each private, unless it exists. One at a time: Node's recursive mkdir never
 * ends if an existing parent refuses, as in /proc.
 *
 * @param folder absolute path
 * @returns whether this call made the folder
 */
export async function makePrivateFolder(folder: string): Promise<boolean> {
  const found = await stat(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || folder === dirname(folder)) throw error;
  });
  if (found) return false;
  await makePrivateFolder(dirname(folder));
  try {
    await mkdir(folder, { mode: PRIVATE_FOLDER_MODE });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes the permissions of other users from a folder and from the server's entries in it. A folder with foreign
 * entries stays open, because it may be shared. Links are not followed.
 *
 * @param isOurs tells whether an entry with this name is the server's
 */
export async function removeOthersPermissions(folder: string, isOurs: (name: string) => boolean): Promise<void> {
  const entries = await listFolderEntries(folder);
  if (entries.every(({ name }) => isOurs(name))) await reduceToPrivateMode(folder, PRIVATE_FOLDER_MODE);
  for (const entry of entries) if (isOurs(entry.name)) await makeEntryPrivate(join(folder, entry.name), entry);
}

/**
 * Removes the permissions of other users from one entry. Folders that are closed already are skipped, because nothing
 * in them can be reached and there may be a million files. A folder is closed after its content, so that an interrupted
 * walk is not mistaken for a complete one.
 */
async function makeEntryPrivate(path: string, entry: Dirent): Promise<void> {
  if (entry.isSymbolicLink()) return;
  if (!entry.isDirectory()) {
    await reduceToPrivateMode(path, PRIVATE_FILE_MODE);
    return;
  }
  if (!(await isAccessibleToOthers(path))) return;
  for (const inside of await listFolderEntries(path)) await makeEntryPrivate(join(path, inside.name), inside);
  await reduceToPrivateMode(path, PRIVATE_FOLDER_MODE);
}

const listFolderEntries = async (folder: string): Promise<Dirent[]> =>
  (await ignoreToleratedErrors(readdir(folder, { withFileTypes: true }))) ?? [];

async function isAccessibleToOthers(path: string): Promise<boolean> {
  const found = await ignoreToleratedErrors(lstat(path));
  return found !== undefined && (found.mode & OTHERS_PERMISSION_BITS) !== 0;
}

async function reduceToPrivateMode(path: string, mode: number): Promise<void> {
  const found = await ignoreToleratedErrors(lstat(path));
  if (!found || (found.mode & OTHERS_PERMISSION_BITS) === 0) return;
  await ignoreToleratedErrors(chmod(path, found.mode & mode));
}

async function ignoreToleratedErrors<T>(doing: Promise<T>): Promise<T | undefined> {
  try {
    return await doing;
  } catch (error) {
    if (TOLERATED_PERMISSION_ERROR_CODES.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
