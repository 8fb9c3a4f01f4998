/** Names and codes of Unicode emoji. A code is lower-case hexadecimal code points, joined by `-`. */
import { EMOJI_DATA } from './emoji-data.js';

interface EmojiTable {
  /** Names that clients know. */
  readonly codes: ReadonlyMap<string, string>;
  /** Further names, which are understood and never emitted. */
  readonly aliases: ReadonlyMap<string, string>;
  /** The name that is emitted for a code; codes without one have aliases only. */
  readonly names: ReadonlyMap<string, string | undefined>;
  /** The few codes that have variation selectors, by the same code without them. */
  readonly unqualified: ReadonlyMap<string, string>;
}

/** Rows of the table: code, names, aliases. */
function* rows(): Generator<readonly [code: string, names: readonly string[], aliases: readonly string[]]> {
  for (const row of EMOJI_DATA.trim().split(/;\s*/)) {
    const [code = '', ...words] = row.split(' ');
    const isAlias = (word: string): boolean => word.startsWith('/');
    yield [code, words.filter((word) => !isAlias(word)), words.filter(isAlias).map((word) => word.slice(1))];
  }
}

const VARIATION = '-fe0f';
const withoutVariation = (code: string): string => code.replaceAll(VARIATION, '');

function makeTable(): EmojiTable {
  const codes = new Map<string, string>();
  const aliases = new Map<string, string>();
  const names = new Map<string, string | undefined>();
  const unqualified = new Map<string, string>();
  for (const [code, given, further] of rows()) {
    names.set(code, given[0]);
    for (const name of given) codes.set(name, code);
    for (const name of further) if (!aliases.has(name)) aliases.set(name, code);
    if (code.includes(VARIATION)) unqualified.set(withoutVariation(code), code);
  }
  return { codes, aliases, names, unqualified };
}

let cachedTable: EmojiTable | undefined;

/** Made when the first emoji is looked up (some 10 ms), so that starting a process doesn't pay for it. */
function table(): EmojiTable {
  cachedTable ??= makeTable();
  return cachedTable;
}

/** Code → names as clients are told; the first is the one that is emitted. */
export function emojiCodeNames(): Record<string, readonly string[]> {
  return Object.fromEntries([...rows()].flatMap(([code, names]) => (names.length === 0 ? [] : [[code, names]])));
}

/** Undefined for unknown names. */
export const emojiCode = (name: string): string | undefined => table().codes.get(name) ?? table().aliases.get(name);

/** Clients know this name; aliases are no such names. */
export const isEmojiName = (name: string): boolean => table().codes.has(name);

/**
 * The code in its one spelling. Some clients send variation selectors (`fe0f`) where others have none, and reactions
 * stored before the table had them lack them. Undefined for unknown codes.
 */
export function canonicalEmojiCode(code: string): string | undefined {
  const { names, unqualified } = table();
  if (names.has(code)) return code;
  const bare = withoutVariation(code);
  return unqualified.get(bare) ?? (names.has(bare) ? bare : undefined);
}

/** The name that is emitted for a code in its one spelling; undefined also for codes that have aliases only. */
export const emojiName = (code: string): string | undefined => table().names.get(code);

/** Blocks of letters, digits, arrows and signs as ©, which texts use as such: their characters stay text. */
const TYPOGRAPHIC: readonly (readonly [first: number, last: number])[] = [
  [0x0000, 0x1fff],
  [0x2100, 0x21ff],
];

const isTypographic = (point: number): boolean => TYPOGRAPHIC.some(([first, last]) => point >= first && point <= last);

/**
 * Characters that only join or change the one before them: the joiner, regional indicators and skin tones. The search
 * ends at the first of them, as the recorded answers show: what follows in the text stays as it was written.
 */
const SEQUENCE_PARTS = '\\u{200d}\\u{1f1e6}-\\u{1f1ff}\\u{1f3fb}-\\u{1f3ff}';

let pattern: RegExp | undefined;

/** Matches each single character that stands for an emoji, and the parts of sequences (group `part`). */
export function emojiCharacters(): RegExp {
  if (!pattern) {
    const characters = [...table().names].flatMap(([code, name]) => {
      if (name === undefined || code.includes('-') || isTypographic(Number.parseInt(code, 16))) return [];
      return `\\u{${code}}`;
    });
    pattern = new RegExp(`(?<part>[${SEQUENCE_PARTS}])|[${characters.join('')}]`, 'gu');
  }
  return pattern;
}
