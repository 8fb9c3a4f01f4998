/** The LMDB environment of the embedded face: one directory, one process, shared by the Store and the event log. */
import { resolve } from 'node:path';
import { type Database, type Key, open, type RootDatabase } from 'lmdb';
import { pack, unpack } from './codec.js';
import { type DirectoryLock, lockDirectory } from './directory-lock.js';
import { FIRST_FORMAT, FORMAT, judgeFormat } from './format.js';
import { StoreUnavailable } from './store.js';

/** Values are packed by `codec.ts`: lmdb's own encoding would share structures between records and know no plain bytes. */
export type LmdbTable = Database<Buffer, Key>;

/** Half of lmdb's 1,978 bytes: a key has at most two texts, and its numbers and separators take little. */
const MAX_KEY_TEXT = 900;

export class LmdbEnvironment {
  readonly #root: RootDatabase<Buffer, Key>;
  readonly #lock: DirectoryLock;
  readonly directory: string;
  #closed = false;

  private constructor(directory: string, root: RootDatabase<Buffer, Key>, lock: DirectoryLock) {
    this.directory = directory;
    this.#root = root;
    this.#lock = lock;
  }

  /**
   * Rejects with DirectoryInUse when another living process has the directory open, with FormatMismatch when what is in
   * it is not for this program. What the version before wrote is from now on in our format.
   */
  static async open(directory: string, known = FORMAT): Promise<LmdbEnvironment> {
    const path = resolve(directory);
    const lock = await lockDirectory(path);
    let opened: RootDatabase<Buffer, Key> | undefined;
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
      opened = root;
      await settleFormat(path, root, known);
      return new LmdbEnvironment(path, root, lock);
    } catch (error) {
      await opened?.close();
      await lock.release();
      throw error;
    }
  }

  table(name: string): LmdbTable {
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

  /**
   * Writes everything, as it is at one moment, into `data.mdb` of that folder, which must not have one. Writing goes on
   * meanwhile; the space that it frees is used again only afterwards.
   */
  async copyTo(folder: string): Promise<void> {
    if (this.#closed) throw new StoreUnavailable('the embedded store is closed');
    await this.#root.backup(folder, true);
  }

  /** Waits for writes under way. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#root.close();
    await this.#lock.release();
  }
}

/** Open the embedded face's data directory. @param known format, for tests of other versions */
export const openLmdbEnvironment = (directory: string, known?: number): Promise<LmdbEnvironment> =>
  LmdbEnvironment.open(directory, known);

/** Nobody else has the directory: what the version before wrote is ours at once. */
async function settleFormat(path: string, root: RootDatabase<Buffer, Key>, known: number): Promise<void> {
  const fresh = [...root.getKeys({ limit: 1 })].length === 0;
  const meta = root.openDB<Buffer, Key>({ name: 'meta', encoding: 'binary' });
  const bytes = meta.get('format');
  const stored = bytes ? (unpack(bytes) as unknown) : fresh ? known : FIRST_FORMAT;
  const judged = judgeFormat(`data directory ${path}`, stored, known);
  if (!bytes || judged === 'before') await meta.put('format', pack(known));
}

/** Texts in keys are short by construction; one that isn't is a caller's bug, better met here than inside lmdb. */
export function keyText(text: string): string {
  if (fitsKey(text)) return text;
  throw new RangeError(`a text of ${Buffer.byteLength(text)} bytes can't be part of a key`);
}

/** Nothing is stored under a text that doesn't. */
export const fitsKey = (text: string): boolean =>
  text.length <= MAX_KEY_TEXT && (text.length * 3 <= MAX_KEY_TEXT || Buffer.byteLength(text) <= MAX_KEY_TEXT);
