/**
 * CRC-32 of a whole from the CRC-32 of its parts, without reading the bytes again (as crc32_combine of zlib does). The
 * checksum of 55 MB takes 20 ms, and answers to all clients consist of the same parts.
 *
 * A checksum is a polynomial over two values, the highest power in the lowest bit. To append a part is to multiply by
 * x to the number of its bits, and to add the checksum of the part.
 */

/** The polynomial of CRC-32. */
const POLYNOMIAL = 0xedb88320;
const X_TO_0 = 0x80000000;
const X_TO_1 = 0x40000000;

/** Product of two polynomials, modulo `POLYNOMIAL`. */
function multiply(a: number, b: number): number {
  let product = 0;
  let factor = b;
  for (let bit = 31; bit >= 0; bit--) {
    if ((a >>> bit) & 1) product ^= factor;
    factor = factor & 1 ? (factor >>> 1) ^ POLYNOMIAL : factor >>> 1;
  }
  return product >>> 0;
}

/** x to the power of 2^n, by n. */
const powersOfTwo: number[] = [X_TO_1];
for (let n = 1; n < 64; n++) powersOfTwo.push(multiply(powersOfTwo[n - 1]!, powersOfTwo[n - 1]!));

/** x to the number of bits of `bytes` bytes. */
function shiftOfByteLength(bytes: number): number {
  let shift = X_TO_0;
  for (let rest = bytes, n = 3; rest > 0; rest = Math.floor(rest / 2), n++)
    if (rest % 2 === 1) shift = multiply(powersOfTwo[n]!, shift);
  return shift;
}

/** Checksum of a part, and what it needs to be appended to others. */
export class PartChecksum {
  readonly #shift: number;

  constructor(
    private readonly crc: number,
    byteLength: number,
  ) {
    this.#shift = shiftOfByteLength(byteLength);
  }

  /** CRC-32 of the bytes before the part together with the part. @param crcBefore CRC-32 of the bytes before */
  appendTo(crcBefore: number): number {
    return (multiply(this.#shift, crcBefore) ^ this.crc) >>> 0;
  }
}
