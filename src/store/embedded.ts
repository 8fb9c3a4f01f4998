/** The LMDB environment of the embedded face: one directory, one process, shared by the Store and the event log. */
import { resolve } from 'node:path';
import { type Database, type Key, open, type RootDatabase } from 'lmdb';
import { type DirectoryLock, lockDirectory } from './directory-lock.js';
import { StoreUnavailable } from './store.js';

/** Values are packed by `codec.ts`: lmdb's own encoding would share structures between records and know no plain bytes. */
export type Table = Database<Buffer, Key>;

/** Half of lmdb's 1,978 bytes: a key has at most two texts, and its numbers and separators take little. */
const LONGEST_TEXT = 900;

export class Embedded {
  readonly #root: RootDatabase<Buffer, Key>;
  readonly #lock: DirectoryLock;
  readonly directory: string;
  #closed = false;

  private constructor(directory: string, root: RootDatabase<Buffer, Key>, lock: DirectoryLock) {
    this.directory = directory;
    this.#root = root;
    this.#lock = lock;
  }

  /** Rejects with DirectoryInUse when another living process has the directory open. */
  static async open(directory: string): Promise<Embedded> {
    const path = resolve(directory);
    const lock = await lockDirectory(path);
    try {
      const root = open<Buffer, Key>({
        path,
        // A directory whose name has a dot would be taken for a file.
        noSubdir: false,
        // With it on, a commit is visible before it is flushed, and lmdb promises to resolve no later than visible.
        overlappingSync: false,
        encoding: 'binary',
        maxDbs: 32,
      });
      return new Embedded(path, root, lock);
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  table(name: string): Table {
    return this.#root.openDB<Buffer, Key>({ name, encoding: 'binary' });
  }

  /**
   * Runs `action` in a write transaction, in the order of the calls; all calls that wait share one transaction and one
   * flush. Resolves when it was flushed to disk. `action` must check before its first write: a throw undoes nothing.
   */
  async transaction<T>(action: () => T): Promise<T> {
    if (this.#closed) throw new StoreUnavailable('the embedded store is closed');
    try {
      return await this.#root.transaction(action);
    } catch (cause) {
      const reason = (cause as { commitError?: Promise<unknown> }).commitError;
      // Rejects with the cause in words; unobserved it would end the process.
      const detail = reason ? await reason.then(String, String) : String(cause);
      throw new StoreUnavailable(`the embedded store failed to write: ${detail}`, { cause });
    }
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Waits for writes under way. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#root.close();
    await this.#lock.release();
  }
}

/** Open the embedded face's data directory. */
export const openEmbedded = (directory: string): Promise<Embedded> => Embedded.open(directory);

/** Texts in keys are short by construction; one that isn't is a caller's bug, better met here than inside lmdb. */
export function keyText(text: string): string {
  if (fitsKey(text)) return text;
  throw new RangeError(`a text of ${Buffer.byteLength(text)} bytes can't be part of a key`);
}

/** Nothing is stored under a text that doesn't. */
export const fitsKey = (text: string): boolean =>
  text.length <= LONGEST_TEXT && (text.length * 3 <= LONGEST_TEXT || Buffer.byteLength(text) <= LONGEST_TEXT);
