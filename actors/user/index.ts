export { userKind } from './kind.js';
