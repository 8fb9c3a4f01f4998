export { copyHashed, hashOf } from './copy-hashed.js';
export { syncFile, syncFolder } from './sync.js';
