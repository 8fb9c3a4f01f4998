export { READ_STREAM } from './commands/members.js';
export type { SendAgainArgs } from './commands/send.js';
export type { EditArgs } from './editing/args.js';
export { directKind, streamKind } from './kind.js';
export { ownerOf } from './messages.js';
