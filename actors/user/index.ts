export { tellRealm } from './files.js';
export { userKind } from './kind.js';
export { idEvents } from './reading/flag-event.js';
