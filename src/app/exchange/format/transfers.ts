/** Bounds the memory of copying many files at a time: each waits for the disk several times, but few are large. */
import { Semaphore } from '#base';

/** Number of files that are copied at a time. */
export const MAX_FILES_COPIED_AT_ONCE = 16;
/** Files from this size on are copied one at a time. */
const LARGE_FILE_BYTES = 1_048_576;

export class FileCopyLimiter {
  readonly #largeFiles = new Semaphore(1);

  /** Runs the copying of a file of this size; large files wait for each other. */
  runCopy<T>(sizeBytes: number, copy: () => Promise<T>): Promise<T> {
    return sizeBytes < LARGE_FILE_BYTES ? copy() : this.#largeFiles.runWhenPermitted(copy);
  }
}
