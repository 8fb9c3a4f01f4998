export type { CheckedPassword } from './commands/account/login.js';
export { type FileChange, tellRealm } from './files.js';
export { userKind } from './kind.js';
export { idEvents } from './reading/flag-event.js';
