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
/** A header after the line break that ends the header before it. */
const SEQUENCE_LINE_START = Buffer.from(`\r\n${SEQUENCE_HEADER}: `);
const PREVIOUS_SEQUENCE_LINE_START = Buffer.from(`\r\n${PREVIOUS_SEQUENCE_HEADER}: `);
const ZERO = 0x30;
const NINE = 0x39;

/** Reads the positions of a live log entry. @returns undefined for a message without headers: a transient value */
export function readRepublishedPosition(message: Msg): RepublishedPosition | undefined {
  const { _rdata: received, _msg: parsed } = message as unknown as ReceivedMessage;
  const headerBytes = parsed?.hdr;
  if (received === undefined || headerBytes === undefined) return readFromDecodedHeaders(message);
  if (headerBytes <= 0) return undefined;
  const headers = Buffer.from(received.buffer, received.byteOffset, headerBytes);
  return {
    seq: readNumberAfter(headers, SEQUENCE_LINE_START),
    previousSeq: readNumberAfter(headers, PREVIOUS_SEQUENCE_LINE_START),
  };
}

/** The same by the interface of the library, for a version that keeps messages in another way. */
function readFromDecodedHeaders({ headers }: Msg): RepublishedPosition | undefined {
  if (!headers) return undefined;
  const read = (name: string): number => Number(headers.get(name) || '0');
  return { seq: read(SEQUENCE_HEADER), previousSeq: read(PREVIOUS_SEQUENCE_HEADER) };
}

function readNumberAfter(headers: Buffer, lineStart: Buffer): number {
  const found = headers.indexOf(lineStart);
  if (found < 0) return 0;
  let value = 0;
  for (let i = found + lineStart.length; i < headers.length; i++) {
    const digit = headers[i]!;
    if (digit < ZERO || digit > NINE) break;
    value = value * 10 + (digit - ZERO);
  }
  return value;
}
