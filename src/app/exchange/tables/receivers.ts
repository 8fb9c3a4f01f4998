/** Encodes the rows of zerver_usermessage as bytes: an export has dozens of them for each message. */
import { withDoubledLength } from '#base';
import { CopiedText } from '../format/copied-text.js';

/** Upper bound of the bytes of a row, with those that copies write behind it: four numbers and the names. */
const MAX_ROW_BYTES = 192;
const FIRST_CAPACITY_BYTES = 65_536;
/** Number of the groups of four digits. */
const DIGIT_GROUPS = 10_000;
const DIGITS_PER_GROUP = 4;
const BITS_PER_DIGIT = 8;

/** All groups of four digits, as the bytes of their text. */
const digitGroups = Uint32Array.from({ length: DIGIT_GROUPS }, (_, i) =>
  Buffer.from(String(i).padStart(DIGITS_PER_GROUP, '0')).readUInt32LE(),
);

/** A number that counts up, and is copied as decimal digits. */
class DigitCounter {
  #group = 0;
  #groupsBefore = 0;
  #textBefore = new CopiedText('');
  /** Number of zeros before the digits, while the number has less than four. */
  #leadingZeros = DIGITS_PER_GROUP - 1;

  countUp(): void {
    const group = ++this.#group;
    if (group === DIGIT_GROUPS) {
      this.#group = 0;
      this.#textBefore = new CopiedText(String(++this.#groupsBefore));
      this.#leadingZeros = 0;
    } else if (this.#leadingZeros > 0) this.#leadingZeros = DIGITS_PER_GROUP - String(group).length;
  }

  /** @returns the position behind the digits */
  copyTo(target: DataView, at: number): number {
    const zeros = this.#leadingZeros;
    const to = this.#groupsBefore === 0 ? at : this.#textBefore.copyTo(target, at);
    target.setUint32(to, digitGroups[this.#group]! >>> (zeros * BITS_PER_DIGIT), true);
    return to + DIGITS_PER_GROUP - zeros;
  }
}

const firstRowStart = new CopiedText('    {"id":');
const nextRowStart = new CopiedText(',\n    {"id":');

/** Encodes the rows of one file. */
export class ReceiverRowEncoder {
  #bytes = new Uint8Array(FIRST_CAPACITY_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;
  #rowStart = firstRowStart;
  readonly #rowId = new DigitCounter();
  /** The part of a row between its id and the message, by user. */
  readonly #userTexts: (CopiedText | undefined)[] = [];
  /** The part of a row between its user and its flags. */
  #messageText = firstRowStart;
  /** The end of a row, by its flags. */
  readonly #rowEnds: (CopiedText | undefined)[] = [];

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
    let at = this.#rowStart.copyTo(view, this.#length);
    at = this.#rowId.copyTo(view, at);
    at = userText.copyTo(view, at);
    at = this.#messageText.copyTo(view, at);
    this.#length = (this.#rowEnds[flagMask] ?? this.#addRowEnd(flagMask)).copyTo(view, at);
    this.#rowStart = nextRowStart;
  }

  #addUserText(user: number): CopiedText {
    const text = new CopiedText(`,"user_profile":${user}`);
    this.#userTexts[user] = text;
    return text;
  }

  #addRowEnd(flagMask: number): CopiedText {
    const text = new CopiedText(`${flagMask}}`);
    this.#rowEnds[flagMask] = text;
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
