export { queueKind } from './kind.js';
export { queueMachine } from './machine.js';
export { VISITOR } from './snapshot/visitor.js';
