/**
 * Blobs: uploaded files and pictures, by realm and path.
 *
 * Contract (test/contract/blobs.ts runs it against every implementation):
 * - A resolved `put` is durable and visible to every later `find`. A crash or a rejection leaves all of the blob or
 *   nothing, never a part. A second `put` replaces the first.
 * - `put` takes a blob as one piece or in pieces. If the pieces end with an error, `put` rejects and stores nothing.
 * - A path is any text: implementations must not let it name anything outside their own storage.
 * - `delete` of a missing blob resolves. Every operation may be repeated.
 * - `BlobStorageUnavailableError` means that the storage can't be reached now, or has no room. Any other rejection is a
 *   bug or a failure of the disk.
 */
import type { RealmId } from '#model';

export class BlobStorageUnavailableError extends Error {
  override name = 'BlobStorageUnavailableError';
}

/** Error of reading a blob that was deleted between `find` and `read`. */
export class BlobGoneError extends Error {
  override name = 'BlobGoneError';
}

export interface StoredBlobInfo {
  /** Media type that was given to `put`. */
  readonly mediaType: string;
  /** Size of the blob, bytes. */
  readonly sizeBytes: number;
  /**
   * Reads the bytes from `start` to before `end`; default: all bytes.
   * @throws BlobGoneError
   */
  read(start?: number, end?: number): Promise<Uint8Array>;
}

/** The bytes of a blob: one piece, or pieces that are read as they are written, for blobs too large for memory. */
export type BlobContent = Uint8Array | AsyncIterable<Uint8Array>;

/** Stores many blobs, as an import does. They are durable together, which disturbs other users of the disk less. */
export interface BlobBulkWriter {
  /** As `BlobStorage.put`, but the blob is durable after the next `flush`. A failure of the system may damage it. */
  put(realm: RealmId, path: string, content: BlobContent, type: string): Promise<void>;
  /** Resolves when the blobs of all resolved calls of `put` are durable. */
  flush(): Promise<void>;
}

/**
 * Finds many blobs, as an export does. It may block the thread while it reads a small blob: each asynchronous call of
 * the file system wakes another thread, which takes ten times as long as the call itself.
 */
export type BlobBulkReader = Pick<BlobStorage, 'find'>;

/** Makes the bulk writer of a storage that makes each blob durable at once. */
export const makeUnbufferedBulkWriter = (storage: Pick<BlobStorage, 'put'>): BlobBulkWriter => ({
  put: (...blob) => storage.put(...blob),
  flush: async () => {},
});

export interface BlobStorage {
  put(realm: RealmId, path: string, content: BlobContent, type: string): Promise<void>;
  find(realm: RealmId, path: string): Promise<StoredBlobInfo | undefined>;
  delete(realm: RealmId, path: string): Promise<void>;
  /** Deletes all blobs of a realm that no process reads or changes. */
  deleteAllOfRealm(realm: RealmId): Promise<void>;
  makeBulkWriter(): BlobBulkWriter;
  makeBulkReader(): BlobBulkReader;
  close(): Promise<void>;
}
