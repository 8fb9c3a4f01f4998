/**
 * Disk: files that are private (readable by their owner only), durable (flushed with the folder that names them), and
 * copied with a hash for backups. Importers: stores, logs and blobs on disk, backup, the secret file.
 */
export { copyFileAndHash, hashFile } from './copy-hashed.js';
export { makePrivateFolder, removeOthersPermissions, setPrivateUmask, writePrivateFile } from './private.js';
export { fsyncFile, fsyncFolder } from './sync.js';
