/**
 * The LMDB environment of the embedded server: one directory and one process, shared by the Store and the event log.
 */
import { resolve } from 'node:path';
import { type Database, type Key, open, type RootDatabase } from 'lmdb';
import { type Clock, REAL_CLOCK } from '#base/clock';
import { packJsonToBuffer, unpackJson } from './codec.js';
import { type DataDirectoryLock, lockDataDirectory } from './directory-lock.js';
import {
  CURRENT_STORAGE_FORMAT,
  checkReadableStorageFormat,
  FIRST_STORAGE_FORMAT,
  StorageFormatMismatchError,
} from './format.js';
import { StoreUnavailableError } from './store.js';

/**
 * A table whose values are encoded by `codec.ts`: lmdb's own encoding shares structures between records and has no
 * plain bytes.
 */
export type LmdbTable = Database<Buffer, Key>;

/**
 * Maximum size of a text in a key, bytes: half of lmdb's limit of 1,978 bytes, because a key has at most two texts, and
 * its numbers and separators are short.
 */
const MAX_LMDB_KEY_TEXT_BYTES = 900;

/**
 * Time after a failed commit in which writes are refused without a try, ms. lmdb prints some lines for each failed
 * commit, and on a full disk every actor would cause one with each try.
 */
const WRITE_REFUSAL_AFTER_FAILURE_MS = 2_000;

/** Key in the table `meta`: the data were begun by a program that tags messages with reactions. */
const REACTION_TAGS_KEY = 'reaction-tags';

/**
 * Use of a data directory:
 * - own: exclusive, raising the stored format to that of this program;
 * - inspection: exclusive, leaving the stored format as it is;
 * - beside: in parallel to the server that has the directory open.
 */
type LmdbDirectoryUse = 'own' | 'inspection' | 'beside';

export class LmdbEnvironment {
  readonly #rootDatabase: RootDatabase<Buffer, Key>;
  readonly #directoryLock: DataDirectoryLock | undefined;
  #closed = false;
  /** Monotonic time until which writes are refused, ms. */
  #refusesWritesUntil = Number.NEGATIVE_INFINITY;

  /**
   * @param format storage format of the data
   * @param tagsReactions see `Store.tagsReactions`
   */
  private constructor(
    readonly directory: string,
    root: RootDatabase<Buffer, Key>,
    lock: DataDirectoryLock | undefined,
    readonly format: number,
    readonly tagsReactions: boolean,
    private readonly clock: Clock,
  ) {
    this.#rootDatabase = root;
    this.#directoryLock = lock;
  }

  /**
   * Opens the directory for a use.
   * @throws DataDirectoryInUseError if another living process has the directory open
   * @throws StorageFormatMismatchError if this program can't read the stored format
   */
  static async open(
    directory: string,
    use: LmdbDirectoryUse,
    known = CURRENT_STORAGE_FORMAT,
    clock = REAL_CLOCK,
  ): Promise<LmdbEnvironment> {
    const path = resolve(directory);
    const shared = use === 'beside';
    const lock = shared ? undefined : await lockDataDirectory(path);
    let opened: RootDatabase<Buffer, Key> | undefined;
    try {
      const root = open<Buffer, Key>({
        path,
        // Without this option lmdb takes a directory with a dot in its name for a file.
        noSubdir: false,
        // Overlapping sync would make a commit visible before it is flushed, and lmdb resolves as soon as it is
        // visible.
        overlappingSync: false,
        // For the batch of an event turn lmdb makes a promise that no caller gets: after a failed commit, its rejection
        // would end the process.
        eventTurnBatching: false,
        // Without the flush of the file's head, which follows the flush of a transaction's pages, the lock is released
        // sooner. A failure of the system may then undo the last transaction, until another process commits one.
        noMetaSync: shared,
        // By default lmdb locks the file while a large batch is still being collected.
        ...(shared ? { batchStartThreshold: Number.MAX_SAFE_INTEGER } : {}),
        encoding: 'binary',
        maxDbs: 32,
      });
      opened = root;
      const { format, tagsReactions } = await checkStorageFormatForUse(path, root, known, use);
      return new LmdbEnvironment(path, root, lock, format, tagsReactions, clock);
    } catch (error) {
      await opened?.close();
      await lock?.release();
      throw error;
    }
  }

  openTable(name: string): LmdbTable {
    return this.#rootDatabase.openDB<Buffer, Key>({ name, encoding: 'binary' });
  }

  /**
   * Runs `action` in a write transaction, in the order of the calls. Waiting calls share one transaction and one flush.
   * Resolves after the flush to disk. `action` must check its conditions before its first write, because an exception
   * does not undo writes.
   * @throws StoreUnavailableError if the environment is closed, or the write or one shortly before it failed
   */
  async runWriteTransaction<T>(action: () => T): Promise<T> {
    this.#refuseWriteAfterFailure();
    return this.#waitForWrite(() => this.#rootDatabase.transaction(action));
  }

  /**
   * Runs `action` as `runWriteTransaction` does, also shortly after a failed write: a transaction in which nothing is
   * written succeeds on a full disk.
   * @throws StoreUnavailableError if the environment is closed or the write failed
   */
  runMostlyReadingTransaction<T>(action: () => T): Promise<T> {
    return this.#waitForWrite(() => this.#rootDatabase.transaction(action));
  }

  /**
   * Writes in one transaction all that `enqueue` puts into tables, unless the table has the key. The writes are made by
   * LMDB's own thread, so that nothing of this program runs while the file is locked for other processes. Resolves as
   * `runWriteTransaction`, with false if the table has the key.
   * @throws StoreUnavailableError if the environment is closed, or the write or one shortly before it failed
   */
  async writeUnlessKeyExists(table: LmdbTable, key: Key, enqueue: () => void): Promise<boolean> {
    this.#refuseWriteAfterFailure();
    return this.#waitForWrite(() => table.ifNoExists(key, enqueue));
  }

  #refuseWriteAfterFailure(): void {
    if (this.clock.monotonic() < this.#refusesWritesUntil)
      throw new StoreUnavailableError('the embedded store failed to write a moment ago');
  }

  async #waitForWrite<T>(write: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new StoreUnavailableError('the embedded store is closed');
    try {
      return await write();
    } catch (cause) {
      const reason = (cause as { commitError?: Promise<unknown> }).commitError;
      // lmdb's `commitError` promise rejects with the cause in words. Without a handler, the rejection would end the
      // process.
      if (reason) this.#refusesWritesUntil = this.clock.monotonic() + WRITE_REFUSAL_AFTER_FAILURE_MS;
      const detail = reason ? await reason.then(String, String) : String(cause);
      throw new StoreUnavailableError(`the embedded store failed to write: ${detail}`, { cause });
    }
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /**
   * Writes a snapshot of all tables to `data.mdb` in `folder`, which must not have that file yet. Writes continue
   * during the copy, but space that they free is reused only after the copy.
   */
  async copySnapshotTo(folder: string): Promise<void> {
    if (this.#closed) throw new StoreUnavailableError('the embedded store is closed');
    await this.#rootDatabase.backup(folder, true);
  }

  /** Waits for writes in flight, then closes the environment and releases the lock. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#rootDatabase.close();
    await this.#directoryLock?.release();
  }
}

/**
 * Opens the data directory of the embedded server.
 * @param known storage format of the program (tests pass other versions)
 */
export const openLmdbEnvironment = (directory: string, known?: number, clock?: Clock): Promise<LmdbEnvironment> =>
  LmdbEnvironment.open(directory, 'own', known, clock);

/**
 * Opens a data directory and leaves its format as it is, for a backup or a check: an older program may use the data
 * afterwards.
 */
export const openLmdbEnvironmentForInspection = (directory: string): Promise<LmdbEnvironment> =>
  LmdbEnvironment.open(directory, 'inspection');

/**
 * Opens the data directory in parallel to the process that has locked it: lmdb lets several processes read and write,
 * one transaction at a time. Only an importer, whose records the other process doesn't read, and an exporter, which
 * only reads, may use this function: actors and caches of the other process don't notice the writes. A write survives
 * an end of this process at once, and a failure of the system after the next commit of the other process.
 */
export const openSharedLmdbEnvironment = (directory: string): Promise<LmdbEnvironment> =>
  LmdbEnvironment.open(directory, 'beside');

/**
 * Checks the stored format. The use `own` raises the previous format at once: the directory lock excludes any older
 * process. Beside a server, the previous format means that the server is an older one.
 * @returns `tagsReactions`: true if all messages with reactions are tagged, because the data were begun with these tags
 */
async function checkStorageFormatForUse(
  path: string,
  root: RootDatabase<Buffer, Key>,
  known: number,
  use: LmdbDirectoryUse,
): Promise<{ readonly format: number; readonly tagsReactions: boolean }> {
  const fresh = [...root.getKeys({ limit: 1 })].length === 0;
  const meta = root.openDB<Buffer, Key>({ name: 'meta', encoding: 'binary' });
  const bytes = meta.get('format');
  const stored = bytes ? (unpackJson(bytes) as unknown) : fresh ? known : FIRST_STORAGE_FORMAT;
  const isPrevious = checkReadableStorageFormat(`data directory ${path}`, stored, known) === 'before';
  if (use === 'beside' && isPrevious)
    throw new StorageFormatMismatchError(
      `data directory ${path} is in format ${stored}: start its server with this program first`,
    );
  if (use !== 'inspection') {
    if (fresh) await meta.put(REACTION_TAGS_KEY, packJsonToBuffer(true));
    if (!bytes || isPrevious) await meta.put('format', packJsonToBuffer(known));
  }
  const format = use === 'inspection' && isPrevious ? known - 1 : known;
  return { format, tagsReactions: meta.get(REACTION_TAGS_KEY) !== undefined };
}

/**
 * Checks that a text fits into a key. Key texts are short by construction, so a long one is a bug of the caller, and
 * this error is clearer than lmdb's.
 * @throws RangeError
 */
export function checkLmdbKeyText(text: string): string {
  if (doesTextFitLmdbKey(text)) return text;
  throw new RangeError(`a text of ${Buffer.byteLength(text)} bytes can't be part of a key`);
}

/** True if a text can be part of a key. No record is stored under a longer text. */
export const doesTextFitLmdbKey = (text: string): boolean =>
  text.length <= MAX_LMDB_KEY_TEXT_BYTES &&
  (text.length * 3 <= MAX_LMDB_KEY_TEXT_BYTES || Buffer.byteLength(text) <= MAX_LMDB_KEY_TEXT_BYTES);
