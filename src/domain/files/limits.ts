/** What clients are told of the configuration. */
export interface FileLimits {
  readonly maxFileMib: number;
  /** Space for all files of an organization, MiB; 0: no limit. */
  readonly uploadQuotaMib: number;
}

/** A file that no message links goes after five weeks. */
export const UNCLAIMED_MS = 5 * 7 * 86_400_000;
/** Uploading takes no longer; what was begun before that is rubbish. */
export const UNFINISHED_MS = 86_400_000;
