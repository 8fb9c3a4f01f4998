export { type FileLimits, UNCLAIMED_MS, UNFINISHED_MS } from './limits.js';
export { blobOfFile, displayName, type FilePath, fileUri, newPath, parsePath, safeName } from './names.js';
export {
  type ByteRange,
  type CachePolicy,
  type ConditionalRequest,
  contentType,
  type FileResponse,
  fileHeaders,
  gzipTag,
  parseRange,
  type RangeResponse,
  rangeResponse,
} from './serving.js';
export { pathOfTemporary, temporaryUri } from './temporary.js';
