const NON_ASCII_PATTERN = /[\u0080-\uffff]/;

/** Text without case and accents, so that "zoe" finds "Zoë". */
export const foldCaseAndAccents = (text: string): string =>
  (NON_ASCII_PATTERN.test(text) ? text.normalize('NFD').replace(/\p{M}+/gu, '') : text).toLowerCase();

const splitIntoFoldedWords = (text: string): string[] =>
  foldCaseAndAccents(text)
    .split(/[\s_\-.,()/@]+/)
    .filter(Boolean);

interface Entry<T> {
  readonly item: T;
  /** Folded names, the one that is shown first. */
  readonly names: readonly string[];
  readonly words: readonly string[];
}

/** A match with a single letter may have thousands of items; the ranking looks at this many. */
const MAX_CANDIDATES = 600;

/**
 * Finds items by the beginnings of words of their names. Words are sorted once, so that a keystroke costs a binary
 * search and the matches, however many items there are.
 */
export class WordIndex<T> {
  readonly #words: readonly { readonly word: string; readonly entry: Entry<T> }[];
  readonly #entries = new Map<T, Entry<T>>();

  /** @param namesOf names of an item, the one that is shown first */
  constructor(items: Iterable<T>, namesOf: (item: T) => readonly string[]) {
    const words: { word: string; entry: Entry<T> }[] = [];
    for (const item of items) {
      const names = namesOf(item);
      const entry = { item, names: names.map(foldCaseAndAccents), words: names.flatMap(splitIntoFoldedWords) };
      this.#entries.set(item, entry);
      for (const word of new Set(entry.words)) words.push({ word, entry });
    }
    this.#words = words.sort((a, b) => (a.word < b.word ? -1 : a.word > b.word ? 1 : 0));
  }

  /**
   * The best matches, best first: names that are the query, names that begin with it, words that do; within each the
   * smaller `placeOf`, then the shorter name.
   *
   * @param placeOf place of an item among those that the reader is likely to mean; Infinity for the others
   * @param likely items that are tried in any case
   */
  find(query: string, count: number, placeOf: (item: T) => number = () => 0, likely: Iterable<T> = []): T[] {
    const folded = foldCaseAndAccents(query).trim();
    const wanted = splitIntoFoldedWords(query);
    const seen = new Set<Entry<T>>();
    for (const item of likely) {
      const entry = this.#entries.get(item);
      if (entry && matchesAllWords(entry, wanted)) seen.add(entry);
    }
    for (const entry of this.#candidates(wanted))
      if (seen.size < MAX_CANDIDATES && matchesAllWords(entry, wanted)) seen.add(entry);
    return [...seen]
      .map((entry) => ({ entry, quality: rankNameMatch(entry, folded), place: placeOf(entry.item) }))
      .sort((a, b) => a.quality - b.quality || comparePlaces(a.place, b.place) || compareEntries(a.entry, b.entry))
      .slice(0, count)
      .map(({ entry }) => entry.item);
  }

  *#candidates(wanted: readonly string[]): Generator<Entry<T>> {
    if (wanted.length === 0) {
      yield* this.#entries.values();
      return;
    }
    const longest = wanted.reduce((a, b) => (b.length > a.length ? b : a));
    for (let at = this.#findFirstWordIndex(longest); at < this.#words.length; at++) {
      const { word, entry } = this.#words[at]!;
      if (!word.startsWith(longest)) return;
      yield entry;
    }
  }

  /** Index of the first word that is not before the text. */
  #findFirstWordIndex(text: string): number {
    let [low, high] = [0, this.#words.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#words[middle]!.word < text) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const matchesAllWords = ({ words }: Entry<unknown>, wanted: readonly string[]): boolean =>
  wanted.every((one) => words.some((word) => word.startsWith(one)));

function rankNameMatch({ names }: Entry<unknown>, query: string): number {
  if (query === '') return 3;
  if (names.includes(query)) return 0;
  if (names[0]?.startsWith(query)) return 1;
  return names.some((name) => name.startsWith(query)) ? 2 : 3;
}

/** Infinity minus Infinity is no number, so places are compared instead of subtracted. */
const comparePlaces = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0);

const compareEntries = (a: Entry<unknown>, b: Entry<unknown>): number =>
  a.names[0]!.length - b.names[0]!.length || (a.names[0]! < b.names[0]! ? -1 : 1);
