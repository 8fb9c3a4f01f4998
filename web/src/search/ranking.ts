/** Fuzzy ranking of names by what was typed, without the DOM. */

export interface FuzzyMatch {
  /** Higher is better; the scores of one query are comparable. */
  readonly score: number;
  /** Positions of the matched characters, ascending. */
  readonly matchedPositions: readonly number[];
}

/** Scores by the kind of match. A better kind wins over any bonus of a worse one. */
const SCORE_BY_MATCH_KIND = {
  whole: 1000,
  start: 800,
  wordStart: 600,
  initials: 500,
  inside: 350,
  scattered: 100,
} as const;
/** Shorter names come first among equals. */
const MAX_LENGTH_PENALTY = 60;
const MAX_BOOST_SCORE = 90;

const isWordChar = (char: string | undefined): boolean => char !== undefined && /[\p{L}\p{N}]/u.test(char);

/** Lower case without accents, one character for each character of the text, so that positions are the same. */
const foldToPlainChars = (text: string): string[] =>
  [...text].map((char) => {
    const plain = char.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
    return [...plain][0] ?? char;
  });

const listPositions = (from: number, length: number): number[] => Array.from({ length }, (_, index) => from + index);

const isWordStart = (text: readonly string[], at: number): boolean => at === 0 || !isWordChar(text[at - 1]);

/** Indexes at which the text contains the word. */
function* findOccurrenceIndexes(word: readonly string[], text: readonly string[]): Generator<number> {
  for (let at = 0; at + word.length <= text.length; at++) {
    if (word.every((char, index) => text[at + index] === char)) yield at;
  }
}

/** Positions of initials: "rtc" in "release the candidate". */
function findInitialsPositions(word: readonly string[], text: readonly string[]): number[] | undefined {
  if (word.length < 2) return undefined;
  const at: number[] = [];
  for (let index = 0; index < text.length && at.length < word.length; index++) {
    if (isWordChar(text[index]) && isWordStart(text, index) && text[index] === word[at.length]) at.push(index);
  }
  return at.length === word.length ? at : undefined;
}

/** Positions of the characters in their order with gaps, which lower the score. */
function findScatteredPositions(word: readonly string[], text: readonly string[]): number[] | undefined {
  if (word.length < 2) return undefined;
  const at: number[] = [];
  for (let index = 0; index < text.length && at.length < word.length; index++) {
    if (text[index] === word[at.length]) at.push(index);
  }
  return at.length === word.length ? at : undefined;
}

function matchFoldedPhrase(word: readonly string[], text: readonly string[]): FuzzyMatch | undefined {
  const loss = Math.min(text.length - word.length, MAX_LENGTH_PENALTY) / 2;
  const places = [...findOccurrenceIndexes(word, text)];
  const [first] = places;
  if (first === 0) {
    const kind = text.length === word.length ? SCORE_BY_MATCH_KIND.whole : SCORE_BY_MATCH_KIND.start;
    return { score: kind - loss, matchedPositions: listPositions(0, word.length) };
  }
  const atWord = places.find((at) => isWordStart(text, at));
  if (atWord !== undefined)
    return { score: SCORE_BY_MATCH_KIND.wordStart - loss, matchedPositions: listPositions(atWord, word.length) };
  const initials = findInitialsPositions(word, text);
  if (initials) return { score: SCORE_BY_MATCH_KIND.initials - loss, matchedPositions: initials };
  if (first !== undefined)
    return { score: SCORE_BY_MATCH_KIND.inside - loss, matchedPositions: listPositions(first, word.length) };
  const scattered = findScatteredPositions(word, text);
  if (!scattered) return undefined;
  const gaps = scattered.at(-1)! - scattered[0]! + 1 - word.length;
  // A match with wide gaps is accidental.
  return gaps > word.length * 3
    ? undefined
    : { score: SCORE_BY_MATCH_KIND.scattered - loss - gaps, matchedPositions: scattered };
}

/** @returns the match; undefined if a word of the query is not in the text. An empty query matches every text. */
export function matchFuzzy(query: string, text: string): FuzzyMatch | undefined {
  const folded = foldToPlainChars(text);
  const words = query.trim().split(/\s+/).filter(Boolean).map(foldToPlainChars);
  if (words.length === 0) return { score: 0, matchedPositions: [] };
  const whole = matchFoldedPhrase(foldToPlainChars(query.trim()), folded);
  if (whole || words.length === 1) return whole;
  const found = words.map((word) => matchFoldedPhrase(word, folded));
  let sum = 0;
  const at = new Set<number>();
  for (const match of found) {
    if (!match) return undefined;
    sum += match.score;
    for (const index of match.matchedPositions) at.add(index);
  }
  return { score: sum / words.length - 1, matchedPositions: [...at].sort((a, b) => a - b) };
}

/** An item with its match. */
export interface RankedItem<T> {
  readonly item: T;
  readonly score: number;
  readonly matchedPositions: readonly number[];
}

interface RankOptions<T> {
  readonly getText: (item: T) => string;
  /** From 0 to 1: how likely the item is meant, whatever was typed (unread, recent). */
  readonly getBoost?: (item: T) => number;
  readonly limit: number;
}

/** @returns the best items, best first; equal ones in the given order */
export function rankByQuery<T>(
  items: Iterable<T>,
  query: string,
  { getText, getBoost = () => 0, limit }: RankOptions<T>,
): readonly RankedItem<T>[] {
  const found: RankedItem<T>[] = [];
  for (const item of items) {
    const match = matchFuzzy(query, getText(item));
    if (match)
      found.push({
        item,
        score: match.score + getBoost(item) * MAX_BOOST_SCORE,
        matchedPositions: match.matchedPositions,
      });
  }
  return found.sort((a, b) => b.score - a.score).slice(0, limit);
}
