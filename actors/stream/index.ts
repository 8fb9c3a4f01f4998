export { directKind, streamKind } from './kind.js';
