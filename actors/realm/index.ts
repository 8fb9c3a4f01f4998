export { realmKind } from './kind.js';
