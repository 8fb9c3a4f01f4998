/** Names and codes of Unicode emoji. A code is the code points in lower-case hexadecimal, joined by `-`. */
import { UNICODE_EMOJI_TABLE_TEXT } from './emoji-data.js';

interface EmojiTable {
  /** Code of each name that clients know. */
  readonly codes: ReadonlyMap<string, string>;
  /** Code of each alias. Aliases are understood but never emitted. */
  readonly aliases: ReadonlyMap<string, string>;
  /** The emitted name of a code; undefined for codes that have aliases only. */
  readonly names: ReadonlyMap<string, string | undefined>;
  /** Codes that contain variation selectors, by the same code without the selectors. */
  readonly unqualified: ReadonlyMap<string, string>;
}

/** Rows of the emoji table: code, names, aliases. */
function* emojiTableRows(): Generator<readonly [code: string, names: readonly string[], aliases: readonly string[]]> {
  for (const row of UNICODE_EMOJI_TABLE_TEXT.trim().split(/;\s*/)) {
    const [code = '', ...words] = row.split(' ');
    const isAlias = (word: string): boolean => word.startsWith('/');
    yield [code, words.filter((word) => !isAlias(word)), words.filter(isAlias).map((word) => word.slice(1))];
  }
}

const VARIATION_SELECTOR_SUFFIX = '-fe0f';
const withoutVariationSelector = (code: string): string => code.replaceAll(VARIATION_SELECTOR_SUFFIX, '');

function parseEmojiTable(): EmojiTable {
  const codes = new Map<string, string>();
  const aliases = new Map<string, string>();
  const names = new Map<string, string | undefined>();
  const unqualified = new Map<string, string>();
  for (const [code, known, further] of emojiTableRows()) {
    names.set(code, known[0]);
    for (const name of known) codes.set(name, code);
    for (const name of further) if (!aliases.has(name)) aliases.set(name, code);
    if (code.includes(VARIATION_SELECTOR_SUFFIX)) unqualified.set(withoutVariationSelector(code), code);
  }
  return { codes, aliases, names, unqualified };
}

let cachedTable: EmojiTable | undefined;

/** The table is built by the first look-up (some 10 ms) instead of at the start of the process. */
function emojiTable(): EmojiTable {
  cachedTable ??= parseEmojiTable();
  return cachedTable;
}

/** Names of all Unicode emoji by code, in the form of the API. The first name is the emitted one. */
export function emojiNamesByCode(): Record<string, readonly string[]> {
  return Object.fromEntries(
    [...emojiTableRows()].flatMap(([code, names]) => (names.length === 0 ? [] : [[code, names]])),
  );
}

/** The code of an emoji's name or alias; undefined if the name is unknown. */
export const emojiCodeOfName = (name: string): string | undefined =>
  emojiTable().codes.get(name) ?? emojiTable().aliases.get(name);

/** True for an emoji name that clients know. False for aliases. */
export const isCanonicalEmojiName = (name: string): boolean => emojiTable().codes.has(name);

/**
 * The canonical spelling of an emoji code; undefined for an unknown code. Some clients send variation selectors
 * (`fe0f`) where others have none, and older stored reactions lack the selectors that the table has now.
 */
export function canonicalEmojiCode(code: string): string | undefined {
  const { names, unqualified } = emojiTable();
  if (names.has(code)) return code;
  const bare = withoutVariationSelector(code);
  return unqualified.get(bare) ?? (names.has(bare) ? bare : undefined);
}

/** The emitted name of a canonical emoji code; undefined also for codes that have aliases only. */
export const emojiNameOfCode = (code: string): string | undefined => emojiTable().names.get(code);

/** Unicode blocks of letters, digits, arrows and signs such as ©. Their characters are never emoji. */
const TYPOGRAPHIC_CODE_POINTS: readonly (readonly [first: number, last: number])[] = [
  [0x0000, 0x1fff],
  [0x2100, 0x21ff],
];

const isTypographicCodePoint = (point: number): boolean =>
  TYPOGRAPHIC_CODE_POINTS.some(([first, last]) => point >= first && point <= last);

/**
 * Characters of emoji sequences: the joiner, regional indicators and skin tones. The search for emoji characters ends
 * at the first of them, as recorded answers of the API's original server show; the rest of the text stays as written.
 */
const EMOJI_SEQUENCE_CHARACTERS = '\\u{200d}\\u{1f1e6}-\\u{1f1ff}\\u{1f3fb}-\\u{1f3ff}';

let cachedEmojiPattern: RegExp | undefined;

/** Matches the characters that are an emoji by themselves, and EMOJI_SEQUENCE_CHARACTERS as the group `part`. */
export function makeEmojiCharacterPattern(): RegExp {
  if (!cachedEmojiPattern) {
    const characters = [...emojiTable().names].flatMap(([code, name]) => {
      if (name === undefined || code.includes('-') || isTypographicCodePoint(Number.parseInt(code, 16))) return [];
      return `\\u{${code}}`;
    });
    cachedEmojiPattern = new RegExp(`(?<part>[${EMOJI_SEQUENCE_CHARACTERS}])|[${characters.join('')}]`, 'gu');
  }
  return cachedEmojiPattern;
}
