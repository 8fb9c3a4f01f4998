import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { fsyncFolder } from '#base/disk';
import type { RealmId } from '#model';
import { BlobGoneError, type BlobStorage, type StoredBlobInfo } from './blobs.js';

/** Header before the bytes of a blob, in the same file, so that a crash can't separate the two. */
interface BlobHeader {
  readonly path: string;
  readonly type: string;
}

const LENGTH_BYTES = 4;
const MAX_HEADER_BYTES = 64 * 1024;

/** A stored file in a list for a backup. */
interface BlobFile {
  /** Path of the file at the time of listing. */
  readonly file: string;
  /** Path of the file in a restored blob folder, relative to it. */
  readonly name: string;
}

/** Delays deletions: while a hold exists, deleted files are only set aside. */
export interface BlobDeletionHold {
  /**
   * Lists all files that existed at any time since the hold began, some perhaps twice. A file that is deleted before
   * the caller reads it is listed again.
   */
  files(): AsyncIterable<BlobFile>;
  release(): Promise<void>;
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/**
 * Blobs in a folder per realm. A file's name is the hash of the blob's path, so user-given names never reach the file
 * system.
 */
export class FolderBlobStorage implements BlobStorage {
  readonly #temporary: string;
  readonly #removed: string;
  #holds = 0;

  private constructor(private readonly folder: string) {
    this.#temporary = join(folder, 'unfinished');
    this.#removed = join(folder, 'removed');
  }

  /** Opens the blobs in a folder: creates the folder, and removes unfinished files left by a crash. */
  static async open(folder: string): Promise<FolderBlobStorage> {
    const blobs = new FolderBlobStorage(folder);
    await rm(blobs.#temporary, { recursive: true, force: true });
    await rm(blobs.#removed, { recursive: true, force: true });
    await mkdir(blobs.#temporary, { recursive: true, mode: 0o700 });
    return blobs;
  }

  async put(realm: RealmId, path: string, bytes: Uint8Array, type: string): Promise<void> {
    const head = Buffer.from(JSON.stringify({ path, type } satisfies BlobHeader));
    if (head.length > MAX_HEADER_BYTES) throw new Error('the path of a blob is too long');
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(head.length);
    const unfinished = join(this.#temporary, randomUUID());
    const file = this.#file(realm, path);
    try {
      const handle = await open(unfinished, 'wx', 0o600);
      try {
        await handle.writev([length, head, bytes]);
        await handle.sync();
      } finally {
        await handle.close();
      }
      const made = await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await rename(unfinished, file);
      // A file name is durable once its folder is synced, and a new folder once its parent folders are.
      await fsyncFolder(dirname(file));
      if (made !== undefined) {
        await fsyncFolder(dirname(dirname(file)));
        await fsyncFolder(this.folder);
      }
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  }

  async find(realm: RealmId, path: string): Promise<StoredBlobInfo | undefined> {
    const file = this.#file(realm, path);
    const opened = await openToRead(file);
    if (!opened) return undefined;
    try {
      const length = await exactly(opened, LENGTH_BYTES, 0);
      const headLength = length.readUInt32BE(0);
      if (headLength > MAX_HEADER_BYTES) throw new Error(`${file} is damaged`);
      const head = JSON.parse((await exactly(opened, headLength, LENGTH_BYTES)).toString('utf8')) as BlobHeader;
      if (head.path !== path) throw new Error(`${file} is damaged`);
      const offset = LENGTH_BYTES + headLength;
      const size = (await opened.stat()).size - offset;
      return { type: head.type, size, read: (start = 0, end = size) => readPart(file, offset + start, end - start) };
    } finally {
      await opened.close();
    }
  }

  async delete(realm: RealmId, path: string): Promise<void> {
    const file = this.#file(realm, path);
    if (this.#holds === 0) return rm(file, { force: true });
    try {
      await rename(file, join(this.#removed, relative(this.folder, file).replaceAll(sep, '.')));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  /**
   * Moves deleted files to a separate folder until `release`, so that a backup finds every file that its snapshot of
   * the Store names.
   */
  async holdDeletions(): Promise<BlobDeletionHold> {
    this.#holds++;
    try {
      await mkdir(this.#removed, { recursive: true, mode: 0o700 });
    } catch (error) {
      this.#holds--;
      throw error;
    }
    return {
      files: () => this.#files(),
      release: async () => {
        if (--this.#holds > 0) return;
        for (const name of await readdir(this.#removed)) await rm(join(this.#removed, name), { force: true });
      },
    };
  }

  /**
   * Lists all files. Deleted files that are still held come last, so that a file deleted during the listing is still
   * found.
   */
  async *#files(): AsyncIterable<BlobFile> {
    for (const realm of await readdir(this.folder)) {
      if (!/^\d+$/.test(realm)) continue;
      for (const part of await readdir(join(this.folder, realm))) {
        for (const hash of await readdir(join(this.folder, realm, part))) {
          const name = join(realm, part, hash);
          yield { file: join(this.folder, name), name };
        }
      }
    }
    for (const name of await readdir(this.#removed)) {
      yield { file: join(this.#removed, name), name: name.replaceAll('.', sep) };
    }
  }

  async close(): Promise<void> {}

  #file(realm: RealmId, path: string): string {
    const hash = createHash('sha256').update(path).digest('hex');
    return join(this.folder, String(realm), hash.slice(0, 2), hash);
  }
}

async function openToRead(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file, 'r');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function readPart(file: string, position: number, length: number): Promise<Uint8Array> {
  const opened = await openToRead(file);
  if (!opened) throw new BlobGoneError(file);
  try {
    return await exactly(opened, length, position);
  } finally {
    await opened.close();
  }
}

async function exactly(handle: FileHandle, length: number, position: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  for (let at = 0; at < length; ) {
    const { bytesRead } = await handle.read(buffer, at, length - at, position + at);
    if (bytesRead === 0) throw new Error('a blob became shorter while it was read');
    at += bytesRead;
  }
  return buffer;
}
