/** Names and codes of Unicode emoji. */
import { EMOJI_DATA } from './emoji-data.js';

const codes = new Map<string, string>();
const names = new Map<string, string>();
const all = new Map<string, readonly string[]>();
for (const row of EMOJI_DATA.trim().split(/;\s*/)) {
  const [code = '', ...given] = row.split(' ');
  if (given[0] !== undefined) names.set(code, given[0]);
  all.set(code, given);
  for (const name of given) if (!codes.has(name)) codes.set(name, code);
}

/** Code → names; the first is the one that is emitted. */
export const EMOJI_CODE_NAMES: ReadonlyMap<string, readonly string[]> = all;

/** Lower-case hexadecimal code points, joined by `-`; undefined for unknown names. */
export const emojiCode = (name: string): string | undefined => codes.get(name);

/** The name that is emitted for a code. */
export const emojiName = (code: string): string | undefined => names.get(code);

/** Blocks in which single characters are looked up; digits, arrows and the copyright sign stay text. */
const BLOCKS: readonly (readonly [first: number, last: number])[] = [
  [0x1f100, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1f9ff],
  [0x2000, 0x206f],
  [0x2300, 0x27bf],
  [0x2900, 0x297f],
  [0x2b00, 0x2bff],
  [0x3000, 0x303f],
  [0x3200, 0x32ff],
];

/** Skin tones belong to the character before them; the others the peer's table lacks (recorded answers). */
const STAYS_TEXT = new Set(['1f3fb', '1f3fc', '1f3fd', '1f3fe', '1f3ff', '2603', '1f464']);

const characters = [...names.keys()].filter((code) => {
  if (code.includes('-') || STAYS_TEXT.has(code)) return false;
  const point = Number.parseInt(code, 16);
  return BLOCKS.some(([first, last]) => point >= first && point <= last);
});

/** Matches each single character that stands for an emoji. */
export const EMOJI_CHARACTER = new RegExp(`[${characters.map((code) => `\\u{${code}}`).join('')}]`, 'gu');
