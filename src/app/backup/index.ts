/**
 * Backup and restore of the embedded face's data directory.
 *
 * backup.ts copies the database as a snapshot and then the files, while the server runs; manifest.ts writes the list of
 * files with their hashes, and last the manifest that makes the folder a backup. restore.ts checks and copies a backup
 * into an empty directory, gives the event log a new incarnation, and skips message ids that clients may have seen
 * (skip-message-ids.ts, also used after restoring a MongoDB). A restore that did not end is refused at the next start.
 *
 * Imported by the command line and by the start of a server only.
 */
export { writeDataDirBackup } from './backup.js';
export type { BackupSummary } from './manifest.js';
export { requireNoUnfinishedRestore, restoreBackupToDataDir } from './restore.js';
export { skipMessageIdsInAllRealms } from './skip-message-ids.js';
