const NON_ASCII_PATTERN = /[\u0080-\uffff]/;

/** Text without case and accents, so that "zoe" finds "Zoë". */
export const foldCaseAndAccents = (text: string): string =>
  (NON_ASCII_PATTERN.test(text) ? text.normalize('NFD').replace(/\p{M}+/gu, '') : text).toLowerCase();

const splitIntoFoldedWords = (text: string): string[] =>
  foldCaseAndAccents(text)
    .split(/[\s_\-.,()/@]+/)
    .filter(Boolean);

interface WordIndexEntry<T> {
  readonly item: T;
  /** Folded names; the first one is shown. */
  readonly names: readonly string[];
  readonly words: readonly string[];
}

/** A single letter may match thousands of items. This many are ranked. */
const MAX_RANKED_MATCHES = 600;

/**
 * Finds items by the beginnings of words of their names. Words are sorted once, so that a keystroke costs a binary
 * search and the matches, however many items there are. A word of many names, such as that of a mail host, is sorted
 * as one.
 */
export class WordPrefixIndex<T> {
  readonly #sortedWords: readonly string[];
  readonly #entriesByWord = new Map<string, WordIndexEntry<T>[]>();
  readonly #entryByItem = new Map<T, WordIndexEntry<T>>();

  /** @param namesOf names of an item, the one that is shown first */
  constructor(items: Iterable<T>, namesOf: (item: T) => readonly string[]) {
    for (const item of items) {
      const names = namesOf(item);
      const entry = { item, names: names.map(foldCaseAndAccents), words: names.flatMap(splitIntoFoldedWords) };
      this.#entryByItem.set(item, entry);
      for (const word of new Set(entry.words)) {
        const entries = this.#entriesByWord.get(word);
        if (entries) entries.push(entry);
        else this.#entriesByWord.set(word, [entry]);
      }
    }
    this.#sortedWords = [...this.#entriesByWord.keys()].sort();
  }

  /**
   * The best matches, best first: names that are the query, names that begin with it, words that do; within each the
   * smaller `placeOf`, then the shorter name.
   *
   * @param placeOf place of an item among those that the reader is likely to mean; Infinity for the others
   * @param likely items that are tried in any case
   */
  findBestMatches(query: string, count: number, placeOf: (item: T) => number = () => 0, likely: Iterable<T> = []): T[] {
    const folded = foldCaseAndAccents(query).trim();
    const wanted = splitIntoFoldedWords(query);
    const seen = new Set<WordIndexEntry<T>>();
    for (const item of likely) {
      const entry = this.#entryByItem.get(item);
      if (entry && matchesAllWords(entry, wanted)) seen.add(entry);
    }
    for (const entry of this.#generateCandidates(wanted))
      if (seen.size < MAX_RANKED_MATCHES && matchesAllWords(entry, wanted)) seen.add(entry);
    return [...seen]
      .map((entry) => ({ entry, quality: computeNameMatchRank(entry, folded), place: placeOf(entry.item) }))
      .sort(
        (a, b) =>
          a.quality - b.quality || comparePlaces(a.place, b.place) || compareByFirstNameLength(a.entry, b.entry),
      )
      .slice(0, count)
      .map(({ entry }) => entry.item);
  }

  *#generateCandidates(wanted: readonly string[]): Generator<WordIndexEntry<T>> {
    if (wanted.length === 0) {
      yield* this.#entryByItem.values();
      return;
    }
    const longest = wanted.reduce((a, b) => (b.length > a.length ? b : a));
    for (let at = this.#findFirstWordIndex(longest); at < this.#sortedWords.length; at++) {
      const word = this.#sortedWords[at]!;
      if (!word.startsWith(longest)) return;
      yield* this.#entriesByWord.get(word)!;
    }
  }

  /** Index of the first word that is not before the text. */
  #findFirstWordIndex(text: string): number {
    let [low, high] = [0, this.#sortedWords.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#sortedWords[middle]! < text) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const matchesAllWords = ({ words }: WordIndexEntry<unknown>, wanted: readonly string[]): boolean =>
  wanted.every((one) => words.some((word) => word.startsWith(one)));

function computeNameMatchRank({ names }: WordIndexEntry<unknown>, query: string): number {
  if (query === '') return 3;
  if (names.includes(query)) return 0;
  if (names[0]?.startsWith(query)) return 1;
  return names.some((name) => name.startsWith(query)) ? 2 : 3;
}

/** Places are compared, not subtracted: Infinity minus Infinity is NaN. */
const comparePlaces = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0);

const compareByFirstNameLength = (a: WordIndexEntry<unknown>, b: WordIndexEntry<unknown>): number =>
  a.names[0]!.length - b.names[0]!.length || (a.names[0]! < b.names[0]! ? -1 : 1);
