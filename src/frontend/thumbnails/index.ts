/**
 * Folder thumbnails makes thumbnails of uploaded pictures on request, and caches them in memory: readers of a
 * conversation ask for the same pictures at about the same time, and a thumbnail that is not stored need not be
 * deleted, exported or moved. Its operation (`frontend/api`) checks the caller's access to the file before each answer.
 *
 * Invariants: two pictures are in work at a time, and a request that would have to wait behind too many others gets the
 * picture itself. Importers: `frontend/http`, `frontend/api`, `app`.
 */
export { DEFAULT_THUMBNAIL_LIMITS, Thumbnails } from './thumbnails.js';
