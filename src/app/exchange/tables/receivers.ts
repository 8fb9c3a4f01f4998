/** Encodes the rows of zerver_usermessage as bytes: an export has dozens of them for each message. */
import { withDoubledLength } from '#base';
import { CopiedText, toWords, WORD_BYTES } from '../format/copied-text.js';
import { putDigits } from '../format/digits.js';

/** Upper bound of the bytes of a row, with those that copies write behind it: four numbers and the names. */
const MAX_ROW_BYTES = 192;
const FIRST_CAPACITY_BYTES = 65_536;
const FIRST_CAPACITY_USERS = 256;
/** Number of the groups of four digits. */
const DIGIT_GROUPS = 10_000;
const DIGITS_PER_GROUP = 4;
const BITS_PER_DIGIT = 8;

/** Texts of all groups of four digits, one behind the other. A buffer for each would take 8 ms of every start. */
const digitTexts = Buffer.from(
  Array.from({ length: DIGIT_GROUPS }, (_, i) => String(i).padStart(DIGITS_PER_GROUP, '0')).join(''),
);

/** All groups of four digits, as the bytes of their text. */
const digitGroups = Uint32Array.from({ length: DIGIT_GROUPS }, (_, i) => digitTexts.readUInt32LE(i * DIGITS_PER_GROUP));

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

/** Words of the part of a row between its id and the message. */
const USER_WORDS = 4;
/** Words of the part of a row between its user and its flags. */
const MESSAGE_WORDS = 6;
/** Words of the part of a row from its flags to the id of the next row. */
const FLAG_WORDS = 3;

const NEXT_ROW_START = ',\n    {"id":';
const firstRowStart = new CopiedText('    {"id":');
const nextRowStart = new CopiedText(NEXT_ROW_START);
const beforeMessage = new CopiedText(',"message":');
const beforeFlags = new CopiedText(',"flags_mask":');

/** Short ASCII texts with the same number of words of eight bytes each, in one array. */
class CopiedTexts {
  #words: Float64Array;
  #lengths: Uint8Array;

  constructor(
    private readonly wordsPerText: number,
    capacity: number,
  ) {
    this.#words = new Float64Array(capacity * wordsPerText);
    this.#lengths = new Uint8Array(capacity);
  }

  get words(): Float64Array {
    return this.#words;
  }

  /** Lengths of the texts; 0 for a missing one. */
  get lengths(): Uint8Array {
    return this.#lengths;
  }

  set(index: number, text: string): void {
    while (index >= this.#lengths.length) {
      this.#words = withDoubledLength(this.#words);
      this.#lengths = withDoubledLength(this.#lengths);
    }
    this.#lengths[index] = text.length;
    this.#words.set(toWords(text, this.wordsPerText), index * this.wordsPerText);
  }
}

/** Encodes the rows of one file after another. */
export class ReceiverRowEncoder {
  #bytes = new Uint8Array(FIRST_CAPACITY_BYTES);
  #view = new DataView(this.#bytes.buffer);
  /** Number of bytes since the last call of `takeBytes`: rows, and the start of the next one; 0 without a row. */
  #length = 0;
  #rowStart = firstRowStart;
  #rowId = new DigitCounter();
  readonly #userTexts = new CopiedTexts(USER_WORDS, FIRST_CAPACITY_USERS);
  readonly #flagTexts = new CopiedTexts(FLAG_WORDS, FIRST_CAPACITY_USERS);
  readonly #messageView = new DataView(new ArrayBuffer((MESSAGE_WORDS + 1) * WORD_BYTES));
  readonly #messageWords = new Float64Array(MESSAGE_WORDS);
  #messageLength = 0;

  /** Begins the rows of a file. */
  beginFile(): void {
    this.#length = 0;
    this.#rowStart = firstRowStart;
    this.#rowId = new DigitCounter();
  }

  /** Adds a user. @param position small number by which `addRow` names the user */
  addUser(position: number, user: number): void {
    this.#userTexts.set(position, `,"user_profile":${user}`);
  }

  /** Begins the rows of a message. */
  beginMessage(message: number): void {
    const view = this.#messageView;
    const length = beforeFlags.copyTo(view, putDigits(view, beforeMessage.copyTo(view, 0), message));
    this.#messageLength = length;
    for (let i = 0; i < MESSAGE_WORDS; i++) this.#messageWords[i] = view.getFloat64(i * WORD_BYTES, true);
  }

  /**
   * Adds a row of the message of the last `beginMessage`. Whole words are copied, and the next part of the row is
   * written over the end of the last one.
   * @param position that of `addUser`
   * @param flagMask sum of `EXPORTED_MESSAGE_FLAG_BITS`
   */
  addRow(position: number, flagMask: number): void {
    if (this.#length + MAX_ROW_BYTES > this.#bytes.length) this.#growBytes();
    if (flagMask >= this.#flagTexts.lengths.length || this.#flagTexts.lengths[flagMask] === 0)
      this.#flagTexts.set(flagMask, `${flagMask}}${NEXT_ROW_START}`);
    const view = this.#view;
    this.#rowId.countUp();
    let at = this.#rowId.copyTo(view, this.#length === 0 ? this.#rowStart.copyTo(view, 0) : this.#length);
    const users = this.#userTexts.words;
    const user = position * USER_WORDS;
    view.setFloat64(at, users[user]!, true);
    view.setFloat64(at + 8, users[user + 1]!, true);
    view.setFloat64(at + 16, users[user + 2]!, true);
    view.setFloat64(at + 24, users[user + 3]!, true);
    at += this.#userTexts.lengths[position]!;
    const message = this.#messageWords;
    const messageLength = this.#messageLength;
    view.setFloat64(at, message[0]!, true);
    view.setFloat64(at + 8, message[1]!, true);
    view.setFloat64(at + 16, message[2]!, true);
    view.setFloat64(at + 24, message[3]!, true);
    if (messageLength > 4 * WORD_BYTES) {
      view.setFloat64(at + 32, message[4]!, true);
      view.setFloat64(at + 40, message[5]!, true);
    }
    at += messageLength;
    const flags = this.#flagTexts.words;
    const flag = flagMask * FLAG_WORDS;
    view.setFloat64(at, flags[flag]!, true);
    view.setFloat64(at + 8, flags[flag + 1]!, true);
    view.setFloat64(at + 16, flags[flag + 2]!, true);
    this.#length = at + this.#flagTexts.lengths[flagMask]!;
    this.#rowStart = nextRowStart;
  }

  #growBytes(): void {
    this.#bytes = withDoubledLength(this.#bytes);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** Returns the rows since the last call, with the comma before them. Valid until the next call of any method. */
  takeBytes(): Uint8Array {
    const taken = this.#bytes.subarray(0, Math.max(0, this.#length - NEXT_ROW_START.length));
    this.#length = 0;
    return taken;
  }
}
