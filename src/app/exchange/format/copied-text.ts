/** Short ASCII texts that are copied often, in words of eight bytes: for few bytes, a call of `set` takes longer. */

const WORD_BYTES = 8;

/** An ASCII text. A copy may write up to seven zeros behind it. */
export class CopiedText {
  readonly length: number;
  /** The words as numbers. No ASCII text has the bits of NaN, which is the only number that may change when copied. */
  readonly #words: Float64Array;

  constructor(text: string) {
    const bytes = Buffer.alloc(Math.ceil(text.length / WORD_BYTES) * WORD_BYTES);
    this.length = bytes.write(text, 'latin1');
    this.#words = Float64Array.from({ length: bytes.length / WORD_BYTES }, (_, i) =>
      bytes.readDoubleLE(WORD_BYTES * i),
    );
  }

  /** @returns the position behind the text */
  copyTo(target: DataView, at: number): number {
    const words = this.#words;
    for (let i = 0; i < words.length; i++) target.setFloat64(at + WORD_BYTES * i, words[i]!, true);
    return at + this.length;
  }
}
