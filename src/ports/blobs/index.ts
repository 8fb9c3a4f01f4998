/**
 * Blobs: uploaded files and pictures, by realm and path.
 *
 * blobs.ts is the contract; read it first. A resolved `put` is durable and complete or not there at all; every
 * operation may be repeated.
 *
 * - DirectoryBlobs (embedded) stores a file per blob, named by a hash of the path. Backups hold deletions with
 *   `holdDeletions`.
 * - GridFsBlobs (cluster) stores them in MongoDB's GridFS, beside the Store.
 *
 * A blob is stored before its record is committed, so a record never names a missing blob. Imported by the rules and
 * operations for files and pictures, by backups, and by the code that starts a server.
 */

export { BlobGone, type Blobs, BlobsUnavailable, type StoredBlob } from './blobs.js';
export { type DeletionHold, DirectoryBlobs } from './blobs-directory.js';
export { GridFsBlobs } from './blobs-gridfs.js';
