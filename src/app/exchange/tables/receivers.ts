/** Rows of zerver_usermessage as bytes: an export has dozens of them for each message. */
import { withDoubledLength } from '#base';

const ROW_START = Buffer.from('    {"id":');
const BEFORE_USER = Buffer.from(',"user_profile":');
const BEFORE_MESSAGE = ',"message":';
const BEFORE_FLAGS = ',"flags_mask":';
const BETWEEN_ROWS = Buffer.from(',\n');
const CLOSE_BRACE_BYTE = 0x7d;
const ZERO_BYTE = 0x30;
/** More than any row has: four numbers of at most 16 digits, and the names. */
const MAX_ROW_BYTES = 160;
const FIRST_CAPACITY_BYTES = 65_536;

/** Encodes the rows of one file. */
export class ReceiverRowEncoder {
  #bytes = new Uint8Array(FIRST_CAPACITY_BYTES);
  #length = 0;
  #rowCount = 0;
  /** The part of a row between its user and its flags. */
  #middle: Uint8Array = new Uint8Array();

  /** Begins the rows of a message. */
  beginMessage(message: number): void {
    this.#middle = Buffer.from(`${BEFORE_MESSAGE}${message}${BEFORE_FLAGS}`, 'latin1');
  }

  /** Adds a row of the message that was begun. @param flagMask sum of `EXPORTED_MESSAGE_FLAG_BITS` */
  addRow(user: number, flagMask: number): void {
    if (this.#length + MAX_ROW_BYTES > this.#bytes.length) this.#bytes = withDoubledLength(this.#bytes);
    const bytes = this.#bytes;
    let at = this.#length;
    if (this.#rowCount > 0) at = appendBytes(bytes, at, BETWEEN_ROWS);
    at = appendBytes(bytes, at, ROW_START);
    at = appendNumber(bytes, at, ++this.#rowCount);
    at = appendBytes(bytes, at, BEFORE_USER);
    at = appendNumber(bytes, at, user);
    at = appendBytes(bytes, at, this.#middle);
    at = appendNumber(bytes, at, flagMask);
    bytes[at++] = CLOSE_BRACE_BYTE;
    this.#length = at;
  }

  /** Returns the rows since the last call, with the comma before them. Valid until the next call of any method. */
  takeBytes(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return taken;
  }
}

function appendBytes(target: Uint8Array, at: number, bytes: Uint8Array): number {
  let to = at;
  // A loop is faster than `set` for so few bytes.
  for (let i = 0; i < bytes.length; i++) target[to++] = bytes[i]!;
  return to;
}

/** Appends the digits of a whole number of at least 0. */
function appendNumber(target: Uint8Array, at: number, number: number): number {
  let digits = 1;
  for (let limit = 10; number >= limit; limit *= 10) digits++;
  let rest = number;
  for (let i = at + digits - 1; i >= at; i--) {
    const next = Math.floor(rest / 10);
    target[i] = ZERO_BYTE + (rest - next * 10);
    rest = next;
  }
  return at + digits;
}
