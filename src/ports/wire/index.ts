/**
 * Messages between processes: `frame.ts` encodes messages with large byte arrays, for NATS and for links; `link.ts` is
 * a link between two processes of one machine, over a socket pair.
 *
 * Invariants: values that are sent are never changed by either side. A link keeps the order of its messages. A frame
 * carries a byte array that several of its messages share once.
 *
 * Imported by `ports/bus` and `ports/log`, and by the code that starts a server.
 */
export { decodeFrameHead, encodeFrameWithoutBlobs, type FrameHead, FrameWriter } from './frame.js';
export { type LinkMessage, ProcessLink } from './link.js';
