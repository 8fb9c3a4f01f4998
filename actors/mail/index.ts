export { mailKind } from './kind.js';
