export { queueKind } from './kind.js';
export { VISITOR } from './snapshot/visitor.js';
