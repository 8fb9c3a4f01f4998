import { access, constants, mkdir, stat } from 'node:fs/promises';
import { closeToOthers } from '../disk/index.js';

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'it is not a folder',
  ENOTDIR: 'a part of its path is not a folder',
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};

/** What the server keeps there; what its commands are usually told to put there; what a file system has at its root. */
const OURS = /^(data\.mdb|lock\.mdb|blobs|mail|secret|restore-unfinished|lost\+found|.+\.(zuliprc|sock))$/;

/** Makes the folder if need be, and closes it to others. @throws in words for the person at the terminal */
export async function prepareDataDir(folder: string): Promise<void> {
  try {
    // Nobody else on the machine reads messages or hashes.
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (!(await stat(folder)).isDirectory()) throw Object.assign(new Error(), { code: 'EEXIST' });
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    await closeToOthers(folder, (name) => OURS.test(name));
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new Error(`data directory ${folder} can't be used: ${REASONS[code] ?? message}`, { cause: error });
  }
}
