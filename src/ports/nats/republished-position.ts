/**
 * Positions of a message that JetStream republished, from its raw headers. The client library would build a map of all
 * five headers and check the spelling of each name, which costs more than all other work on a log entry that no event
 * queue of the process needs.
 */
import type { Msg } from 'nats';

export interface RepublishedPosition {
  /** Position of the entry; 0 if the headers have none. */
  readonly seq: number;
  /** Position of the previous entry on the same subject; 0: there is none. */
  readonly previousSeq: number;
}

/** The fields in which the library keeps a message as it was received; they are not part of its interface. */
interface ReceivedMessage {
  /** Headers and payload. */
  readonly _rdata?: Uint8Array;
  /** `hdr`: length of the headers in bytes; -1 without headers. */
  readonly _msg?: { readonly hdr?: number };
}

const SEQUENCE_HEADER = 'Nats-Sequence';
const PREVIOUS_SEQUENCE_HEADER = 'Nats-Last-Sequence';
/** Bytes with which the line of each header begins. */
const SEQUENCE_LINE_START = Uint8Array.from(Buffer.from(`${SEQUENCE_HEADER}: `));
const PREVIOUS_SEQUENCE_LINE_START = Uint8Array.from(Buffer.from(`${PREVIOUS_SEQUENCE_HEADER}: `));
/** Offset of the first byte in which the two differ. */
const DISTINCT_OFFSET = 5;
const LINE_FEED = 0x0a;
const ZERO = 0x30;
const NINE = 0x39;

/** Reads the positions of a live log entry. @returns undefined for a message without headers: a transient value */
export function readRepublishedPosition(message: Msg): RepublishedPosition | undefined {
  const { _rdata: received, _msg: parsed } = message as unknown as ReceivedMessage;
  const headerBytes = parsed?.hdr;
  if (received === undefined || headerBytes === undefined) return readFromDecodedHeaders(message);
  if (headerBytes <= 0) return undefined;
  // Native searches have a fixed cost that is higher than this loop over some 150 bytes.
  let seq = 0;
  let previousSeq = 0;
  for (let at = 0; at < headerBytes; at++) {
    if (received[at] !== LINE_FEED) continue;
    const distinct = received[at + 1 + DISTINCT_OFFSET];
    if (distinct === SEQUENCE_LINE_START[DISTINCT_OFFSET])
      seq = readNumberAfter(received, at + 1, headerBytes, SEQUENCE_LINE_START) ?? seq;
    else if (distinct === PREVIOUS_SEQUENCE_LINE_START[DISTINCT_OFFSET])
      previousSeq = readNumberAfter(received, at + 1, headerBytes, PREVIOUS_SEQUENCE_LINE_START) ?? previousSeq;
  }
  return { seq, previousSeq };
}

/** The same by the interface of the library, for a version that keeps messages in another way. */
function readFromDecodedHeaders({ headers }: Msg): RepublishedPosition | undefined {
  if (!headers) return undefined;
  const read = (name: string): number => Number(headers.get(name) || '0');
  return { seq: read(SEQUENCE_HEADER), previousSeq: read(PREVIOUS_SEQUENCE_HEADER) };
}

/** Number after the start of a line; undefined if the line at this place begins in another way. */
function readNumberAfter(bytes: Uint8Array, at: number, end: number, lineStart: Uint8Array): number | undefined {
  for (let i = 0; i < lineStart.length; i++) if (bytes[at + i] !== lineStart[i]) return undefined;
  let value = 0;
  for (let i = at + lineStart.length; i < end; i++) {
    const digit = bytes[i]!;
    if (digit < ZERO || digit > NINE) break;
    value = value * 10 + (digit - ZERO);
  }
  return value;
}
