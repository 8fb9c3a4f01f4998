export * from './blobs.js';
export { DirectoryBlobs, type Keeping, type StoredFile } from './blobs-directory.js';
export { GridFsBlobs } from './blobs-gridfs.js';
