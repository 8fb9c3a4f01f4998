import { access, constants, mkdir, stat } from 'node:fs/promises';

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'it is not a folder',
  ENOTDIR: 'a part of its path is not a folder',
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};

/** Makes the folder if need be. @throws in words for the person at the terminal */
export async function prepareDataDir(folder: string): Promise<void> {
  try {
    // Nobody else on the machine reads messages or hashes.
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (!(await stat(folder)).isDirectory()) throw Object.assign(new Error(), { code: 'EEXIST' });
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new Error(`data directory ${folder} can't be used: ${REASONS[code] ?? message}`, { cause: error });
  }
}
