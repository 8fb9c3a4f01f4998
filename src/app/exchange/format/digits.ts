/** Writes numbers as JSON into bytes. */

const ZERO_BYTE = 0x30;
const MAX_FAST_NUMBER = 2 ** 31 - 1;

/** Writes a number as JSON.stringify does. @returns the position behind it */
export function putDigits(view: DataView, at: number, value: number): number {
  if (value > MAX_FAST_NUMBER || value !== value >>> 0) {
    const text = JSON.stringify(value);
    for (let i = 0; i < text.length; i++) view.setUint8(at + i, text.charCodeAt(i));
    return at + text.length;
  }
  let digits = 1;
  for (let power = 10; power <= value; power *= 10) digits++;
  let rest = value;
  for (let i = digits - 1; i >= 0; i--) {
    const next = (rest / 10) >>> 0;
    view.setUint8(at + i, ZERO_BYTE + rest - next * 10);
    rest = next;
  }
  return at + digits;
}
