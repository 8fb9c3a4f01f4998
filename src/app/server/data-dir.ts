/** The data directory: creates it, closes it to other users of the machine, and explains why it can't be used. */
import { access, constants, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { makePrivateFolder, removeOthersPermissions } from '#base/disk';

const FILE_ERROR_REASON_BY_CODE: Readonly<Record<string, string>> = {
  EEXIST: 'it is not a folder',
  ENOTDIR: 'a part of its path is not a folder',
  ENOENT: 'it does not exist and cannot be created',
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};

/**
 * Pattern of the server's own entries in a data directory: its files, the usual outputs of its commands, and what a
 * file system has at its root. Other entries are foreign.
 */
const OWN_ENTRY_NAME_PATTERN =
  /^(data\.mdb|lock\.mdb|blobs|mail|secret|restore-unfinished|lost\+found|.+\.(zuliprc|sock))$/;

/** Reason why a file or folder can't be used, in words for the operator. */
export function describeFileError(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return FILE_ERROR_REASON_BY_CODE[code] ?? message;
}

/** Creates the folder if it is missing and closes it to other users. @throws Error in words for the operator */
export async function prepareDataDir(folder: string): Promise<void> {
  try {
    await makePrivateFolder(resolve(folder));
    if (!(await stat(folder)).isDirectory()) throw Object.assign(new Error(), { code: 'EEXIST' });
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    await removeOthersPermissions(folder, (name) => OWN_ENTRY_NAME_PATTERN.test(name));
  } catch (error) {
    throw new Error(`data directory ${folder} can't be used: ${describeFileError(error)}`, { cause: error });
  }
}
