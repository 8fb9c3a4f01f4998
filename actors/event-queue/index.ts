export { queueKind } from './kind.js';
