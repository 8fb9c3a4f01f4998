/** Short ASCII texts that are copied often, in words of eight bytes: for few bytes, a call of `set` takes longer. */

/** Number of bytes of a word. */
export const WORD_BYTES = 8;

/** Returns an ASCII text as words, with zeros behind it. */
export function toWords(text: string, count = Math.ceil(text.length / WORD_BYTES)): Float64Array {
  const bytes = Buffer.alloc(count * WORD_BYTES);
  bytes.write(text, 'latin1');
  return Float64Array.from({ length: count }, (_, i) => bytes.readDoubleLE(WORD_BYTES * i));
}

/** An ASCII text. A copy may write up to seven zeros behind it. */
export class CopiedText {
  readonly length: number;
  /** The words as numbers. No ASCII text has the bits of NaN, which is the only number that may change when copied. */
  readonly #words: Float64Array;

  constructor(text: string) {
    this.length = text.length;
    this.#words = toWords(text);
  }

  /** @returns the position behind the text */
  copyTo(target: DataView, at: number): number {
    const words = this.#words;
    for (let i = 0; i < words.length; i++) target.setFloat64(at + WORD_BYTES * i, words[i]!, true);
    return at + this.length;
  }
}
