export * from './blobs.js';
export { DirectoryBlobs } from './blobs-directory.js';
export { GridFsBlobs } from './blobs-gridfs.js';

import './service.js';
