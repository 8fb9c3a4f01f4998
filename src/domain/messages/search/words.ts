/** Words as they are indexed and searched for: English stems without stop words (narrow.md § Full-text search). Pure. */
import { newStemmer } from 'snowball-stemmers';
import { STOP_WORDS } from './stop-words.js';

/** Longer ones are cut: an index key has room for that many. UTF-16 units. */
const LONGEST_STEM = 64;
/** Normalising may make a text 18 times as long. */
const LONGEST_WORD = 256;
/** The stemmer takes 6 µs a word; what is said repeats itself. */
const MOST_REMEMBERED = 20_000;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const stemmer = newStemmer('english');
const stopWords: ReadonlySet<string> = new Set(STOP_WORDS);
const remembered = new Map<string, string>();

function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  // Not in the middle of a character.
  const code = text.charCodeAt(length - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? length - 1 : length);
}

/** '' for stop words. */
export function stemOf(word: string): string {
  const known = remembered.get(word);
  if (known !== undefined) return known;
  const plain = cut(cut(word, LONGEST_WORD).normalize('NFKC').toLowerCase(), LONGEST_STEM);
  const stem = stopWords.has(plain) ? '' : stemmer.stem(plain);
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  if (word.length <= LONGEST_STEM) remembered.set(word, stem);
  return stem;
}

export interface Word {
  /** '' for a stop word. */
  readonly stem: string;
  readonly from: number;
  readonly to: number;
}

/** Words of a plain text, or of a part of it. */
export function* wordsIn(text: string, from = 0, to = text.length): Generator<Word> {
  const part = from === 0 && to === text.length ? text : text.slice(from, to);
  for (const { 0: word, index } of part.matchAll(WORD)) {
    yield { stem: stemOf(word), from: from + index, to: from + index + word.length };
  }
}
