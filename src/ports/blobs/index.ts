/**
 * Blobs: uploaded files and pictures, by realm and path.
 *
 * blobs.ts is the contract; read it first. A resolved `put` is durable and complete or not there at all; every
 * operation may be repeated.
 *
 * - FolderBlobStorage (embedded) stores a file per blob, named by a hash of the path. Backups hold deletions with
 *   `holdDeletions`.
 * - GridFsBlobStorage (cluster) stores them in MongoDB's GridFS, beside the Store.
 *
 * An import stores blobs with a bulk writer, and flushes it before it makes the organization visible.
 *
 * A blob is stored before its record is committed, so a record never names a missing blob. Imported by the rules and
 * operations for files and pictures, by backups, and by the code that starts a server.
 */

export {
  type BlobBulkReader,
  type BlobBulkWriter,
  type BlobContent,
  BlobGoneError,
  type BlobStorage,
  BlobStorageUnavailableError,
  makeUnbufferedBulkWriter,
  type StoredBlobInfo,
} from './blobs.js';
export { type BlobDeletionHold, FolderBlobStorage } from './blobs-directory.js';
export { GridFsBlobStorage } from './blobs-gridfs.js';
