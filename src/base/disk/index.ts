export { copyHashed, hashOf } from './copy-hashed.js';
export { closeToOthers, makePrivately, writePrivate } from './private.js';
export { syncFile, syncFolder } from './sync.js';
