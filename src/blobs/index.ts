export * from './blobs.js';
export { type BlobFile, type DeletionHold, DirectoryBlobs } from './blobs-directory.js';
export { GridFsBlobs } from './blobs-gridfs.js';

import './service.js';
