import { createHash, randomUUID } from 'node:crypto';
import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { Semaphore } from '#base';
import { fsyncFile, fsyncFolder } from '#base/disk';
import type { RealmId } from '#model';
import {
  type BlobBulkReader,
  type BlobBulkWriter,
  type BlobContent,
  BlobGoneError,
  type BlobStorage,
  BlobStorageUnavailableError,
  type StoredBlobInfo,
} from './blobs.js';

/** Header before the bytes of a blob, in the same file, so that a crash can't separate the two. */
interface StoredBlobHeader {
  readonly path: string;
  readonly type: string;
}

const HEADER_LENGTH_FIELD_BYTES = 4;
const MAX_BLOB_HEADER_BYTES = 64 * 1024;
/** Bytes at the start of a file that are read at once. */
const USUAL_BLOB_HEADER_BYTES = 512;

/** Bytes of blobs after which a bulk writer flushes them: some 50 ms of a disk. */
const MAX_UNFLUSHED_BULK_BYTES = 8 * 1024 ** 2;
/** Size up to which a bulk reader or writer blocks the thread for a blob, bytes: some 0.05 ms. */
const MAX_BLOCKING_BYTES = 65_536;
/** Number of files that a bulk writer flushes at a time: libuv has four threads. */
const MAX_PARALLEL_FLUSHES = 4;

interface WrittenBlobFile {
  readonly file: string;
  readonly sizeBytes: number;
  /** True if a folder was made for the file. */
  readonly hasNewFolder: boolean;
}

/** A stored file in a list for a backup. */
interface BlobBackupFile {
  /** Path of the file at the time of listing. */
  readonly currentPath: string;
  /** Path of the file in a restored blob folder, relative to it. */
  readonly restoredRelativePath: string;
}

/** Delays deletions: while a hold exists, deleted files are only set aside. */
export interface BlobDeletionHold {
  /**
   * Lists all files that existed at any time since the hold began, some perhaps twice. A file that is deleted before
   * the caller reads it is listed again.
   */
  listFiles(): AsyncIterable<BlobBackupFile>;
  release(): Promise<void>;
}

/** Error codes of a full disk, an exhausted quota, and a limit on the size of files. */
const FULL_DISK_ERROR_CODES: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Turns the error of a full disk into one after which a later try may succeed; returns other errors unchanged. */
const translateFullDiskError = (error: unknown): unknown =>
  FULL_DISK_ERROR_CODES.has((error as NodeJS.ErrnoException).code)
    ? new BlobStorageUnavailableError('the disk of the blobs is full', { cause: error })
    : error;

const isFileMissingError = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/**
 * Blobs in a folder per realm. A file's name is the hash of the blob's path, so user-given names never reach the file
 * system.
 */
export class FolderBlobStorage implements BlobStorage {
  readonly #unfinishedWritesFolder: string;
  readonly #heldDeletionsFolder: string;
  #deletionHoldCount = 0;

  private constructor(private readonly folder: string) {
    this.#unfinishedWritesFolder = join(folder, 'unfinished');
    this.#heldDeletionsFolder = join(folder, 'removed');
  }

  /** Opens the blobs in a folder: creates the folder, and removes unfinished files left by a crash. */
  static async open(folder: string): Promise<FolderBlobStorage> {
    const blobs = new FolderBlobStorage(folder);
    await rm(blobs.#unfinishedWritesFolder, { recursive: true, force: true });
    await rm(blobs.#heldDeletionsFolder, { recursive: true, force: true });
    await mkdir(blobs.#unfinishedWritesFolder, { recursive: true, mode: 0o700 });
    return blobs;
  }

  /** Opens the blobs in a folder that another process of this server has opened with `open`, and goes on using. */
  static async openShared(folder: string): Promise<FolderBlobStorage> {
    return new FolderBlobStorage(folder);
  }

  async put(realm: RealmId, path: string, content: BlobContent, type: string): Promise<void> {
    const { file, hasNewFolder } = await this.#writeFile(realm, path, content, type, true);
    // A file name is durable once its folder is synced, and a new folder once its parent folders are.
    await fsyncFolder(dirname(file));
    if (hasNewFolder) for (const folder of parentFoldersOf(file, this.folder)) await fsyncFolder(folder);
  }

  makeBulkWriter(): BlobBulkWriter {
    return new FolderBlobBulkWriter(this.folder, (realm, path, content, type) =>
      content instanceof Uint8Array && content.length <= MAX_BLOCKING_BYTES
        ? this.#writeSmallFile(realm, path, content, type)
        : this.#writeFile(realm, path, content, type, false),
    );
  }

  makeBulkReader(): BlobBulkReader {
    const buffer = Buffer.allocUnsafe(MAX_BLOCKING_BYTES);
    return { find: async (realm, path) => this.#findSmallFile(realm, path, buffer) ?? this.find(realm, path) };
  }

  /** Finds a blob that fits into the buffer, and reads it. Blocks the thread. */
  #findSmallFile(realm: RealmId, path: string, buffer: Buffer): StoredBlobInfo | undefined {
    const file = this.#pathOfBlobFile(realm, path);
    let opened: number;
    try {
      opened = openSync(file, 'r');
    } catch (error) {
      if (isFileMissingError(error)) return undefined;
      throw error;
    }
    try {
      const { size: fileSize } = fstatSync(opened);
      if (fileSize > buffer.length || readSync(opened, buffer, 0, fileSize, 0) < fileSize) return undefined;
      const { head, offset } = decodeBlobHeader(buffer.subarray(0, fileSize), file, path);
      const bytes = Uint8Array.prototype.slice.call(buffer, offset, fileSize);
      return {
        mediaType: head.type,
        sizeBytes: bytes.length,
        read: async (start = 0, end = bytes.length) => bytes.subarray(start, end),
      };
    } finally {
      closeSync(opened);
    }
  }

  /** Writes a file as `#writeFile` does, without a flush. Blocks the thread. */
  async #writeSmallFile(realm: RealmId, path: string, content: Uint8Array, type: string): Promise<WrittenBlobFile> {
    const bytes = Buffer.concat([encodeBlobHeader(path, type), content]);
    const unfinished = join(this.#unfinishedWritesFolder, randomUUID());
    const file = this.#pathOfBlobFile(realm, path);
    try {
      const opened = openSync(unfinished, 'wx', 0o600);
      try {
        for (let at = 0; at < bytes.length; ) at += writeSync(opened, bytes, at);
      } finally {
        closeSync(opened);
      }
      const hasNewFolder = mkdirSync(dirname(file), { recursive: true, mode: 0o700 }) !== undefined;
      renameSync(unfinished, file);
      return { file, sizeBytes: bytes.length, hasNewFolder };
    } catch (error) {
      rmSync(unfinished, { force: true });
      throw translateFullDiskError(error);
    }
  }

  async #writeFile(
    realm: RealmId,
    path: string,
    content: BlobContent,
    type: string,
    isSynced: boolean,
  ): Promise<WrittenBlobFile> {
    const header = encodeBlobHeader(path, type);
    const unfinished = join(this.#unfinishedWritesFolder, randomUUID());
    const file = this.#pathOfBlobFile(realm, path);
    try {
      let sizeBytes = header.length;
      const handle = await open(unfinished, 'wx', 0o600);
      try {
        await writeWholePiece(handle, header);
        for await (const piece of content instanceof Uint8Array ? [content] : content) {
          await writeWholePiece(handle, piece);
          sizeBytes += piece.length;
        }
        if (isSynced) await handle.sync();
      } finally {
        await handle.close();
      }
      const hasNewFolder = (await mkdir(dirname(file), { recursive: true, mode: 0o700 })) !== undefined;
      await rename(unfinished, file);
      return { file, sizeBytes, hasNewFolder };
    } catch (error) {
      await rm(unfinished, { force: true });
      throw translateFullDiskError(error);
    }
  }

  async find(realm: RealmId, path: string): Promise<StoredBlobInfo | undefined> {
    const file = this.#pathOfBlobFile(realm, path);
    const opened = await openFileToRead(file);
    if (!opened) return undefined;
    try {
      const { size: fileSize } = await opened.stat();
      // Most headers come with the first read.
      const start = await readExactly(opened, Math.min(fileSize, USUAL_BLOB_HEADER_BYTES), 0);
      const length = lengthOfBlobHeader(start, file);
      const whole = length <= start.length ? start : await readExactly(opened, length, 0);
      const { head, offset } = decodeBlobHeader(whole, file, path);
      const size = fileSize - offset;
      return {
        mediaType: head.type,
        sizeBytes: size,
        read: (start = 0, end = size) => readFilePart(file, offset + start, end - start),
      };
    } finally {
      await opened.close();
    }
  }

  delete(realm: RealmId, path: string): Promise<void> {
    return this.#deleteFile(this.#pathOfBlobFile(realm, path));
  }

  async #deleteFile(file: string): Promise<void> {
    try {
      // The folder exists while a process of the server holds deletions; its existence tells the other processes.
      await rename(file, join(this.#heldDeletionsFolder, relative(this.folder, file).replaceAll(sep, '.')));
    } catch (error) {
      if (!isFileMissingError(error)) throw error;
      await rm(file, { force: true });
    }
  }

  async deleteAllOfRealm(realm: RealmId): Promise<void> {
    const folder = join(this.folder, String(realm));
    // The snapshot of a backup under way may name the files, so each is moved to where the backup finds it.
    for (const part of await listFolderIfPresent(folder))
      for (const hash of await listFolderIfPresent(join(folder, part)))
        await this.#deleteFile(join(folder, part, hash));
    await rm(folder, { recursive: true, force: true });
    await fsyncFolder(this.folder);
  }

  /**
   * Moves deleted files to a separate folder until `release`, so that a backup finds every file that its snapshot of
   * the Store names.
   */
  async holdDeletions(): Promise<BlobDeletionHold> {
    this.#deletionHoldCount++;
    try {
      await mkdir(this.#heldDeletionsFolder, { recursive: true, mode: 0o700 });
    } catch (error) {
      this.#deletionHoldCount--;
      throw error;
    }
    return {
      listFiles: () => this.#listLiveAndHeldFiles(),
      release: async () => {
        if (--this.#deletionHoldCount > 0) return;
        await rm(this.#heldDeletionsFolder, { recursive: true, force: true });
      },
    };
  }

  /**
   * Lists all files. Deleted files that are still held come last, so that a file deleted during the listing is still
   * found.
   */
  async *#listLiveAndHeldFiles(): AsyncIterable<BlobBackupFile> {
    for (const realm of await readdir(this.folder)) {
      if (!/^\d+$/.test(realm)) continue;
      for (const part of await listFolderIfPresent(join(this.folder, realm))) {
        for (const hash of await listFolderIfPresent(join(this.folder, realm, part))) {
          const name = join(realm, part, hash);
          yield { currentPath: join(this.folder, name), restoredRelativePath: name };
        }
      }
    }
    for (const name of await readdir(this.#heldDeletionsFolder)) {
      yield { currentPath: join(this.#heldDeletionsFolder, name), restoredRelativePath: name.replaceAll('.', sep) };
    }
  }

  async close(): Promise<void> {}

  #pathOfBlobFile(realm: RealmId, path: string): string {
    const hash = createHash('sha256').update(path).digest('hex');
    return join(this.folder, String(realm), hash.slice(0, 2), hash);
  }
}

/** The folders above a blob's folder, up to `root`. */
const parentFoldersOf = (file: string, root: string): readonly string[] => [dirname(dirname(file)), root];

/**
 * Each flush of a new file to disk makes a journal commit of the file system, for which the flushes of other processes
 * wait. Flushes of a group share commits, and the names of a folder are flushed once.
 */
class FolderBlobBulkWriter implements BlobBulkWriter {
  #unflushedFiles = new Set<string>();
  #unflushedBytes = 0;
  readonly #flushTurns = new Semaphore(1);

  constructor(
    private readonly folder: string,
    private readonly writeFile: (...blob: Parameters<BlobStorage['put']>) => Promise<WrittenBlobFile>,
  ) {}

  async put(realm: RealmId, path: string, content: BlobContent, type: string): Promise<void> {
    const { file, sizeBytes } = await this.writeFile(realm, path, content, type);
    this.#unflushedFiles.add(file);
    this.#unflushedBytes += sizeBytes;
    if (this.#unflushedBytes > MAX_UNFLUSHED_BULK_BYTES) await this.flush();
  }

  /** Waits for a flush under way, which may have blobs of calls of `put` that have resolved. */
  flush(): Promise<void> {
    return this.#flushTurns.runWhenPermitted(() => this.#flushUnflushedFiles());
  }

  async #flushUnflushedFiles(): Promise<void> {
    const files = [...this.#unflushedFiles];
    this.#unflushedFiles = new Set();
    this.#unflushedBytes = 0;
    const slots = new Semaphore(MAX_PARALLEL_FLUSHES);
    await Promise.all(files.map((file) => slots.runWhenPermitted(() => fsyncFile(file))));
    const folders = new Set(files.map((file) => dirname(file)));
    const above = new Set(files.flatMap((file) => parentFoldersOf(file, this.folder)));
    for (const folder of [...folders, ...above]) await fsyncFolder(folder);
  }
}

async function listFolderIfPresent(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isFileMissingError(error)) return [];
    throw error;
  }
}

function encodeBlobHeader(path: string, type: string): Buffer {
  const head = Buffer.from(JSON.stringify({ path, type } satisfies StoredBlobHeader));
  if (head.length > MAX_BLOB_HEADER_BYTES) throw new Error('the path of a blob is too long');
  const length = Buffer.alloc(HEADER_LENGTH_FIELD_BYTES);
  length.writeUInt32BE(head.length);
  return Buffer.concat([length, head]);
}

/** Returns the length of a header with its length field, bytes. @param start at least the length field */
function lengthOfBlobHeader(start: Buffer, file: string): number {
  const length = start.length < HEADER_LENGTH_FIELD_BYTES ? 0 : start.readUInt32BE(0);
  if (length === 0 || length > MAX_BLOB_HEADER_BYTES) throw new Error(`${file} is damaged`);
  return HEADER_LENGTH_FIELD_BYTES + length;
}

/** Decodes the header at the start of a file. @param path path of the blob, which the header must have */
function decodeBlobHeader(
  start: Buffer,
  file: string,
  path: string,
): { readonly head: StoredBlobHeader; readonly offset: number } {
  const offset = lengthOfBlobHeader(start, file);
  if (offset > start.length) throw new Error(`${file} is damaged`);
  const head = JSON.parse(start.toString('utf8', HEADER_LENGTH_FIELD_BYTES, offset)) as StoredBlobHeader;
  if (head.path !== path) throw new Error(`${file} is damaged`);
  return { head, offset };
}

async function openFileToRead(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file, 'r');
  } catch (error) {
    if (isFileMissingError(error)) return undefined;
    throw error;
  }
}

async function writeWholePiece(handle: FileHandle, piece: Uint8Array): Promise<void> {
  for (let at = 0; at < piece.byteLength; ) at += (await handle.write(piece, at)).bytesWritten;
}

async function readFilePart(file: string, position: number, length: number): Promise<Uint8Array> {
  const opened = await openFileToRead(file);
  if (!opened) throw new BlobGoneError(file);
  try {
    return await readExactly(opened, length, position);
  } finally {
    await opened.close();
  }
}

async function readExactly(handle: FileHandle, length: number, position: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  for (let at = 0; at < length; ) {
    const { bytesRead } = await handle.read(buffer, at, length - at, position + at);
    if (bytesRead === 0) throw new Error('a blob became shorter while it was read');
    at += bytesRead;
  }
  return buffer;
}
