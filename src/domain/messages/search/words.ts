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
const MAX_STEM_CHARACTERS = 64;
/**
 * Maximum length of a word, UTF-16 units. Longer words are cut before normalising, which can make a text 18 times as
 * long.
 */
const MAX_STEMMED_WORD_CHARACTERS = 256;
/** Maximum number of cached stems: the stemmer takes 6 µs per word, and texts repeat words. */
const MAX_CACHED_STEMS = 20_000;

const WORD_PATTERN = /[\p{L}\p{N}\p{M}]+/gu;
const stemmer = newStemmer('english');
const stopWords: ReadonlySet<string> = new Set(STOP_WORDS);
const stemCache = new Map<string, string>();

function truncateWord(text: string, length: number): string {
  if (text.length <= length) return text;
  // Don't cut between the halves of a surrogate pair.
  const code = text.charCodeAt(length - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? length - 1 : length);
}

/** The stem of a word; '' for a stop word. */
export function stemOfWord(word: string): string {
  const known = stemCache.get(word);
  if (known !== undefined) return known;
  const plain = truncateWord(
    truncateWord(word, MAX_STEMMED_WORD_CHARACTERS).normalize('NFKC').toLowerCase(),
    MAX_STEM_CHARACTERS,
  );
  const stem = stopWords.has(plain) ? '' : stemmer.stem(plain);
  if (stemCache.size >= MAX_CACHED_STEMS) stemCache.clear();
  if (word.length <= MAX_STEM_CHARACTERS) stemCache.set(word, stem);
  return stem;
}

export interface StemmedWordOccurrence {
  /** Stem of the word; '' for a stop word. */
  readonly stem: string;
  readonly from: number;
  readonly to: number;
}

/** Words of a plain text, or of a part of it. */
export function* findStemmedWords(text: string, from = 0, to = text.length): Generator<StemmedWordOccurrence> {
  const part = from === 0 && to === text.length ? text : text.slice(from, to);
  for (const { 0: word, index } of part.matchAll(WORD_PATTERN)) {
    yield { stem: stemOfWord(word), from: from + index, to: from + index + word.length };
  }
}
