/** Encodes the rows of zerver_usermessage as bytes: an export has dozens of them for each message. */
import { withDoubledLength } from '#base';

/** Upper bound of the bytes of a row: four numbers of at most 16 digits, and the names. */
const MAX_ROW_BYTES = 160;
const FIRST_CAPACITY_BYTES = 65_536;
const ZERO_BYTE = 0x30;
const NINE_BYTE = 0x39;

/** A text that is copied four bytes at a time. The copy may write up to three bytes behind the text. */
class CopiedText {
  readonly length: number;
  readonly #words: Uint32Array;

  constructor(text: string) {
    const bytes = Buffer.alloc(Math.ceil(text.length / 4) * 4);
    this.length = bytes.write(text, 'latin1');
    this.#words = Uint32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readUInt32LE(4 * i));
  }

  /** @returns the position behind the text */
  copyTo(target: DataView, at: number): number {
    const words = this.#words;
    for (let i = 0; i < words.length; i++) target.setUint32(at + 4 * i, words[i]!, true);
    return at + this.length;
  }
}

/** A counter that keeps the decimal digits of its number. */
class DigitCounter {
  /** Digits in ASCII, the most significant first. */
  #digits = Uint8Array.of(ZERO_BYTE);

  countUp(): void {
    const digits = this.#digits;
    let i = digits.length - 1;
    for (; i >= 0 && digits[i] === NINE_BYTE; i--) digits[i] = ZERO_BYTE;
    if (i >= 0) digits[i]!++;
    else this.#digits = Uint8Array.of(ZERO_BYTE + 1, ...digits);
  }

  /** @returns the position behind the digits */
  copyTo(target: DataView, at: number): number {
    const digits = this.#digits;
    for (let i = 0; i < digits.length; i++) target.setUint8(at + i, digits[i]!);
    return at + digits.length;
  }
}

const FIRST_ROW_START = new CopiedText('    {"id":');
const NEXT_ROW_START = new CopiedText(',\n    {"id":');

/** Encodes the rows of one file. */
export class ReceiverRowEncoder {
  #bytes = new Uint8Array(FIRST_CAPACITY_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;
  #rowStart = FIRST_ROW_START;
  readonly #rowId = new DigitCounter();
  /** The part of a row between its id and the message, by user. */
  readonly #userTexts: (CopiedText | undefined)[] = [];
  /** The part of a row between its user and its flags. */
  #messageText = FIRST_ROW_START;
  /** The end of a row, by its flags. */
  readonly #flagTexts: (CopiedText | undefined)[] = [];

  /** Begins the rows of a message. */
  beginMessage(message: number): void {
    this.#messageText = new CopiedText(`,"message":${message},"flags_mask":`);
  }

  /** Adds a row of the message of the last `beginMessage`. @param flagMask sum of `EXPORTED_MESSAGE_FLAG_BITS` */
  addRow(user: number, flagMask: number): void {
    if (this.#length + MAX_ROW_BYTES > this.#bytes.length) this.#growBytes();
    const view = this.#view;
    this.#rowId.countUp();
    const userText = this.#userTexts[user] ?? this.#addUserText(user);
    const flagText = this.#flagTexts[flagMask] ?? this.#addFlagText(flagMask);
    let at = this.#rowStart.copyTo(view, this.#length);
    at = this.#rowId.copyTo(view, at);
    at = userText.copyTo(view, at);
    at = this.#messageText.copyTo(view, at);
    this.#length = flagText.copyTo(view, at);
    this.#rowStart = NEXT_ROW_START;
  }

  #addUserText(user: number): CopiedText {
    const text = new CopiedText(`,"user_profile":${user}`);
    this.#userTexts[user] = text;
    return text;
  }

  #addFlagText(flagMask: number): CopiedText {
    const text = new CopiedText(`${flagMask}}`);
    this.#flagTexts[flagMask] = text;
    return text;
  }

  #growBytes(): void {
    this.#bytes = withDoubledLength(this.#bytes);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** Returns the rows since the last call, with the comma before them. Valid until the next call of any method. */
  takeBytes(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return taken;
  }
}
