export { presenceKind } from './kind.js';
