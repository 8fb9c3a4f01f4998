/**
 * Uploaded files (realm.md § Uploads and attachments): names, paths and HTTP responses.
 *
 * - `names.ts`: an upload gets a path (`makeFilePath`) with a safe name; the path leads to the owner, the blob and the
 *   address. Temporary addresses give access to a file for a minute, without credentials. Limits and lifetimes are
 *   here, too.
 * - `data-exports.ts`: paths of the archives of data exports.
 * - `serving.ts`: a request for a file gets `makeFileResponseHeaders`, and a range of its bytes (`planRangeResponse`).
 *
 * Invariants: a path has 107 random bits and can't be guessed. Its owner's id is part of the token, so that any process
 * finds the actor with the file's record. A file is sent in a way that no browser runs it as a page of this server.
 *
 * Everything but `makeFilePath`, `makeDataExportPath` and the temporary addresses is pure. The bytes are kept by
 * `#ports/blobs`, the records by the user actor, and those of data exports by the realm actor. Actors, frontend and the
 * messages folder may import this folder.
 */
export {
  blobNameOfDataExport,
  dataExportPathOfAttempt,
  dataExportUriOfPath,
  fileNameOfDataExport,
  makeDataExportPath,
} from './data-exports.js';
export {
  blobNameOfFile,
  type FileUploadLimits,
  fileUriOfPath,
  makeFilePath,
  makeFilePathFromBytes,
  makeTemporaryFileUri,
  parseFilePath,
  requireTemporaryUriFilePath,
  toFileDisplayName,
  toSafeFileName,
  UNFINISHED_UPLOAD_LIFETIME_MS,
  UNLINKED_FILE_LIFETIME_MS,
} from './names.js';
export {
  contentTypeOfUploadedFile,
  type FileResponseProperties,
  makeFileResponseHeaders,
  parseSatisfiableByteRange,
  planRangeResponse,
  unquotedEtagOfGzip,
} from './serving.js';
