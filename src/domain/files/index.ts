/**
 * Uploaded files (realm.md § Uploads and attachments): names, paths and HTTP responses.
 *
 * - `names.ts`: an upload gets a path (`newPath`) with a safe name; the path leads to the owner, the blob and the
 *   address. Temporary addresses give access to a file for a minute, without credentials. Limits and lifetimes are
 *   here, too.
 * - `serving.ts`: a request for a file gets `fileHeaders`, and a range of its bytes (`rangeResponse`).
 *
 * Invariants: a path has 107 random bits and can't be guessed. Its owner's id is part of the token, so that any process
 * finds the actor with the file's record. A file is sent in a way that no browser runs it as a page of this server.
 *
 * Everything but `newPath` and the temporary addresses is pure. The bytes are kept by `#ports/blobs`, the records by
 * the user actor. Actors, frontend and the messages folder may import this folder.
 */
export {
  blobOfFile,
  type FileLimits,
  fileDisplayName,
  fileUri,
  newPath,
  parsePath,
  pathOfTemporary,
  safeName,
  temporaryUri,
  UNCLAIMED_MS,
  UNFINISHED_MS,
} from './names.js';
export { contentType, type FileResponse, fileHeaders, gzipTag, parseRange, rangeResponse } from './serving.js';
