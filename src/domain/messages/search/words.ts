/** Words as they are indexed and searched for: English stems without stop words (narrow.md § Full-text search). Pure. */
import { newStemmer } from 'snowball-stemmers';

/** Words that are never searched for; clients show them (register.md, `stop_words`). In the order of the API. */
export const STOP_WORDS: readonly string[] = `
i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers
herself it its itself they them their theirs themselves what which who whom this that these those am is are
was were be been being have has had having do does did doing a an the and but if or because as until while of
at by for with about against between into through during before after above below to from up down in out on
off over under again further then once here there when where why how all any both each few more most other
some such no nor not only own same so than too very s t can will just don should now b c d e f g h j k l m n
o p q r u v w x y z
`
  .trim()
  .split(/\s+/);

/** Longer ones are cut: an index key has room for that many. UTF-16 units. */
const MAX_STEM = 64;
/** Normalising may make a text 18 times as long. */
const MAX_WORD = 256;
/** The stemmer takes 6 µs a word; what is said repeats itself. */
const MAX_CACHED = 20_000;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const stemmer = newStemmer('english');
const stopWords: ReadonlySet<string> = new Set(STOP_WORDS);
const stemCache = new Map<string, string>();

function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  // Not in the middle of a character.
  const code = text.charCodeAt(length - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? length - 1 : length);
}

/** '' for stop words. */
export function stemOf(word: string): string {
  const known = stemCache.get(word);
  if (known !== undefined) return known;
  const plain = cut(cut(word, MAX_WORD).normalize('NFKC').toLowerCase(), MAX_STEM);
  const stem = stopWords.has(plain) ? '' : stemmer.stem(plain);
  if (stemCache.size >= MAX_CACHED) stemCache.clear();
  if (word.length <= MAX_STEM) stemCache.set(word, stem);
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
