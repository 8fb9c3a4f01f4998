export { strangerKind } from './kind.js';
