export { type BackupSource, backUp } from './backup.js';
export type { BackupSummary, Manifest } from './manifest.js';
export { refuseUnfinished, restore } from './restore.js';
export { skipMessageIds } from './skip-message-ids.js';
