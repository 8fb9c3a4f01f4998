/** Which alert words a text holds (markdown.md § Alert words). The text is the author's, not the rendered one. */

const BEFORE = new Set(' \n(".,\';[*`>');
const AFTER = new Set(' \n)"?:.,\';]!*`');

/**
 * Finds many words at once: the time depends on the text and on the longest word, not on how many there are. Case does
 * not count: words are given and found in lower case.
 */
export class AlertWords {
  readonly #words: ReadonlySet<string>;
  readonly #longest: number;

  /** @param words trimmed, in lower case; blank ones match nothing */
  constructor(words: Iterable<string>) {
    this.#words = new Set(words);
    this.#longest = Math.max(0, ...lengths(this.#words));
  }

  /** Those of the words that the text holds. */
  find(text: string): Set<string> {
    const found = new Set<string>();
    if (this.#longest === 0) return found;
    const lower = text.toLowerCase();
    const ends: number[] = [];
    for (let i = 1; i <= lower.length; i++) if (i === lower.length || AFTER.has(lower[i]!)) ends.push(i);
    let first = 0;
    for (let at = 0; at < lower.length; at++) {
      if (at > 0 && !BEFORE.has(lower[at - 1]!)) continue;
      while (first < ends.length && ends[first]! <= at) first++;
      for (let i = first; i < ends.length && ends[i]! - at <= this.#longest; i++) {
        const word = lower.slice(at, ends[i]);
        if (this.#words.has(word)) found.add(word);
      }
    }
    return found;
  }
}

/** Each once: there are few, however many words there are. */
function lengths(words: Iterable<string>): Set<number> {
  const all = new Set<number>();
  for (const word of words) all.add(word.length);
  return all;
}

/**
 * The words found, in the spelling of `words`, each once.
 * @param words trimmed; blank ones match nothing
 */
export function matchAlertWords(text: string, words: Iterable<string>): string[] {
  const distinct = [...new Set(words)];
  const found = new AlertWords(distinct.map((word) => word.toLowerCase())).find(text);
  return distinct.filter((word) => found.has(word.toLowerCase()));
}
