export { type Limits, UNCLAIMED_MS, UNFINISHED_MS } from './limits.js';
export { blobOfFile, type FilePath, fileUri, newPath, parsePath, safeName, shownName } from './names.js';
export {
  type Asked,
  type ByteRange,
  type Caching,
  codedTag,
  contentType,
  fileHeaders,
  type Part,
  parseRange,
  partOf,
  type Served,
} from './serving.js';
export { openTemporary, temporaryUri } from './temporary.js';
