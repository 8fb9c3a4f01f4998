/**
 * Words as the index has them: English stems without stop words (narrow.md § Full-text search). The functions have no
 * side effects.
 */
import { newStemmer } from 'snowball-stemmers';

/** Words that are never indexed or searched for, in the API's order. Clients show them (register.md, `stop_words`). */
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

/** Maximum length of a stem, UTF-16 units; longer ones are cut, to fit into an index key. */
const MAX_WORD_CHARACTERS_BEFORE_STEMMING = 64;
/**
 * Maximum length of a word, UTF-16 units. Longer words are cut before normalising, which can make a text 18 times as
 * long.
 */
const MAX_WORD_CHARACTERS_BEFORE_NORMALIZING = 256;
/** Maximum number of cached stems: the stemmer takes 6 µs per word, and texts repeat words. */
const MAX_CACHED_STEMS = 20_000;

const WORD_PATTERN = /[\p{L}\p{N}\p{M}]+/gu;
const englishStemmer = newStemmer('english');
const stopWordSet: ReadonlySet<string> = new Set(STOP_WORDS);
const cachedStemByWord = new Map<string, string>();

function truncateWithoutSplittingSurrogates(text: string, length: number): string {
  if (text.length <= length) return text;
  // Don't cut between the halves of a surrogate pair.
  const code = text.charCodeAt(length - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? length - 1 : length);
}

/** The stem of a word; '' for a stop word. */
export function stemOfWordOrEmpty(word: string): string {
  const known = cachedStemByWord.get(word);
  if (known !== undefined) return known;
  const plain = truncateWithoutSplittingSurrogates(
    truncateWithoutSplittingSurrogates(word, MAX_WORD_CHARACTERS_BEFORE_NORMALIZING).normalize('NFKC').toLowerCase(),
    MAX_WORD_CHARACTERS_BEFORE_STEMMING,
  );
  const stem = stopWordSet.has(plain) ? '' : englishStemmer.stem(plain);
  if (cachedStemByWord.size >= MAX_CACHED_STEMS) cachedStemByWord.clear();
  if (word.length <= MAX_WORD_CHARACTERS_BEFORE_STEMMING) cachedStemByWord.set(word, stem);
  return stem;
}

export interface StemmedWordOccurrence {
  /** Stem of the word; '' for a stop word. */
  readonly stem: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Passes the stem of each word of a plain text to the listener, '' for a stop word, until the listener returns false.
 * As `findStemmedWords`, without an object per word.
 * @returns false if the listener ended it
 */
export function forEachStem(text: string, listener: (stem: string) => boolean): boolean {
  const words = text.match(WORD_PATTERN);
  if (words) for (const word of words) if (!listener(stemOfWordOrEmpty(word))) return false;
  return true;
}

/** Words of a plain text, or of a part of it. */
export function* findStemmedWords(text: string, from = 0, to = text.length): Generator<StemmedWordOccurrence> {
  const part = from === 0 && to === text.length ? text : text.slice(from, to);
  for (const { 0: word, index } of part.matchAll(WORD_PATTERN)) {
    yield { stem: stemOfWordOrEmpty(word), from: from + index, to: from + index + word.length };
  }
}
