export { queueKind } from './kind.js';
export { queueMachine } from './machine.js';
