import { access, constants, mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { closeToOthers } from '#base/disk';

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'it is not a folder',
  ENOTDIR: 'a part of its path is not a folder',
  ENOENT: 'it does not exist, and can not be made',
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};

/** What the server keeps there; what its commands are usually told to put there; what a file system has at its root. */
const OURS = /^(data\.mdb|lock\.mdb|blobs|mail|secret|restore-unfinished|lost\+found|.+\.(zuliprc|sock))$/;

/** Why a file or folder can't be used, in words for the person at the terminal. */
export function reasonOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return REASONS[code] ?? message;
}

/** Makes the folder if need be, and closes it to others. @throws in words for the person at the terminal */
export async function prepareDataDir(folder: string): Promise<void> {
  try {
    await make(resolve(folder));
    if (!(await stat(folder)).isDirectory()) throw Object.assign(new Error(), { code: 'EEXIST' });
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    await closeToOthers(folder, (name) => OURS.test(name));
  } catch (error) {
    throw new Error(`data directory ${folder} can't be used: ${reasonOf(error)}`, { cause: error });
  }
}

/** Folder by folder: Node's own recursion never ends where a parent that is there takes none, as in /proc. */
async function make(folder: string): Promise<void> {
  const found = await stat(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || folder === dirname(folder)) throw error;
  });
  if (found) return;
  await make(dirname(folder));
  // Nobody else on the machine reads messages or hashes.
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}
