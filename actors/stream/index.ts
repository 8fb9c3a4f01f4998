export { directKind, streamKind } from './kind.js';
export { ownerOf } from './messages.js';
