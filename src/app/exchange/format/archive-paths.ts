/** Limits of archives, which are untrusted, the paths of their files, and the creation of these files. */
import { mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';

const MAX_ARCHIVE_PATH_CHARACTERS = 1_024;
const MAX_ARCHIVE_FOLDER_DEPTH = 12;

/** Limits on the size of an archive. */
export interface ExportArchiveLimits {
  /** Maximum bytes of all unpacked files together. */
  readonly bytes: number;
  /** Maximum number of files and folders in the archive. */
  readonly entries: number;
  /** Maximum ratio of unpacked to packed bytes, above the first 64 MiB. Text is usually compressed up to 20 times. */
  readonly ratio: number;
}

/** True for a relative path without `..`, empty segments, and characters that have a meaning to file systems. */
export function isSafeArchivePath(path: string): boolean {
  const parts = path.split('/');
  return (
    path.length <= MAX_ARCHIVE_PATH_CHARACTERS &&
    parts.length <= MAX_ARCHIVE_FOLDER_DEPTH &&
    parts.every((part) => part !== '' && part !== '.' && part !== '..' && part.length <= 255) &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
    !/[\x00-\x1f\x7f\\]/.test(path)
  );
}

/** Matches what a Mac adds to an archive: its metadata beside the files, and the looks of its windows. */
const MAC_METADATA_PATH_PATTERN = /^__MACOSX(?:\/|$)|^\._[^/]*$|(?:^|\/)\.DS_Store$/;

/** True for a file or folder that a Mac adds to an archive. It is no part of the export, and is not unpacked. */
export const isMacMetadataPath = (path: string): boolean => MAC_METADATA_PATH_PATTERN.test(path);

/** Creates the files of an archive below a folder; a path that exists already is refused. */
export class ExclusiveFileCreator {
  readonly #createdFolders = new Set<string>();

  constructor(private readonly folder: string) {}

  /** Creates an empty file. @param path a safe path @returns its handle */
  createFile(path: string): number {
    const target = join(this.folder, path);
    this.#ensureFolder(dirname(target));
    // The flag 'wx' refuses a second entry of the same name instead of replacing the first.
    return openSync(target, 'wx', 0o600);
  }

  #ensureFolder(folder: string): void {
    if (this.#createdFolders.has(folder)) return;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#createdFolders.add(folder);
  }
}
