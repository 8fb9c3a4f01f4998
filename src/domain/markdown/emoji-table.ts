/** Names and codes of Unicode emoji. A code is the code points in lower-case hexadecimal, joined by `-`. */
import { UNICODE_EMOJI_TABLE_TEXT } from './emoji-data.js';

interface UnicodeEmojiTable {
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
function* iterateEmojiTableRows(): Generator<
  readonly [code: string, names: readonly string[], aliases: readonly string[]]
> {
  for (const row of UNICODE_EMOJI_TABLE_TEXT.trim().split(/;\s*/)) {
    const [code = '', ...words] = row.split(' ');
    const isAlias = (word: string): boolean => word.startsWith('/');
    yield [code, words.filter((word) => !isAlias(word)), words.filter(isAlias).map((word) => word.slice(1))];
  }
}

const VARIATION_SELECTOR_CODE_PART = '-fe0f';
const removeVariationSelectors = (code: string): string => code.replaceAll(VARIATION_SELECTOR_CODE_PART, '');

function parseEmojiTable(): UnicodeEmojiTable {
  const codes = new Map<string, string>();
  const aliases = new Map<string, string>();
  const names = new Map<string, string | undefined>();
  const unqualified = new Map<string, string>();
  for (const [code, known, further] of iterateEmojiTableRows()) {
    names.set(code, known[0]);
    for (const name of known) codes.set(name, code);
    for (const name of further) if (!aliases.has(name)) aliases.set(name, code);
    if (code.includes(VARIATION_SELECTOR_CODE_PART)) unqualified.set(removeVariationSelectors(code), code);
  }
  return { codes, aliases, names, unqualified };
}

let cachedEmojiTable: UnicodeEmojiTable | undefined;

/** The table is built by the first look-up (some 10 ms) instead of at the start of the process. */
function getOrParseEmojiTable(): UnicodeEmojiTable {
  cachedEmojiTable ??= parseEmojiTable();
  return cachedEmojiTable;
}

/** Names of all Unicode emoji by code, in the form of the API. The first name is the emitted one. */
export function canonicalEmojiNamesByCode(): Record<string, readonly string[]> {
  return Object.fromEntries(
    [...iterateEmojiTableRows()].flatMap(([code, names]) => (names.length === 0 ? [] : [[code, names]])),
  );
}

/** The code of an emoji's name or alias; undefined if the name is unknown. */
export const emojiCodeOfNameOrAlias = (name: string): string | undefined =>
  getOrParseEmojiTable().codes.get(name) ?? getOrParseEmojiTable().aliases.get(name);

/** True for an emoji name that clients know. False for aliases. */
export const isCanonicalEmojiName = (name: string): boolean => getOrParseEmojiTable().codes.has(name);

/**
 * The canonical spelling of an emoji code; undefined for an unknown code. Some clients send variation selectors
 * (`fe0f`) where others have none, and older stored reactions lack the selectors that the table has now.
 */
export function findCanonicalEmojiCode(code: string): string | undefined {
  const { names, unqualified } = getOrParseEmojiTable();
  if (names.has(code)) return code;
  const bare = removeVariationSelectors(code);
  return unqualified.get(bare) ?? (names.has(bare) ? bare : undefined);
}

/** The emitted name of a canonical emoji code; undefined also for codes that have aliases only. */
export const emittedNameOfEmojiCode = (code: string): string | undefined => getOrParseEmojiTable().names.get(code);

/** Unicode blocks of letters, digits, arrows and signs such as ©. Their characters are never emoji. */
const NON_EMOJI_CODE_POINT_RANGES: readonly (readonly [first: number, last: number])[] = [
  [0x0000, 0x1fff],
  [0x2100, 0x21ff],
];

const isNeverEmojiCodePoint = (point: number): boolean =>
  NON_EMOJI_CODE_POINT_RANGES.some(([first, last]) => point >= first && point <= last);

/**
 * Characters of emoji sequences: the joiner, regional indicators and skin tones. The search for emoji characters ends
 * at the first of them, as recorded answers of the API's original server show; the rest of the text stays as written.
 */
const EMOJI_SEQUENCE_CHARACTER_CLASS = '\\u{200d}\\u{1f1e6}-\\u{1f1ff}\\u{1f3fb}-\\u{1f3ff}';

let cachedEmojiCharacterPattern: RegExp | undefined;

/** Matches the characters that are an emoji by themselves, and EMOJI_SEQUENCE_CHARACTER_CLASS as the group `part`. */
export function getEmojiCharacterPattern(): RegExp {
  if (!cachedEmojiCharacterPattern) {
    const characters = [...getOrParseEmojiTable().names].flatMap(([code, name]) => {
      if (name === undefined || code.includes('-') || isNeverEmojiCodePoint(Number.parseInt(code, 16))) return [];
      return `\\u{${code}}`;
    });
    cachedEmojiCharacterPattern = new RegExp(
      `(?<part>[${EMOJI_SEQUENCE_CHARACTER_CLASS}])|[${characters.join('')}]`,
      'gu',
    );
  }
  return cachedEmojiCharacterPattern;
}
