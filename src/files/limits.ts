declare module '../runtime/kind.js' {
  interface HostServices {
    readonly limits: Limits;
  }
}

/** What clients are told of the configuration. */
export interface Limits {
  readonly maxFileMib: number;
}

/** A file that no message links goes after five weeks. */
export const UNCLAIMED_MS = 5 * 7 * 86_400_000;
/** Uploading takes no longer; what was begun before that is rubbish. */
export const UNFINISHED_MS = 86_400_000;
