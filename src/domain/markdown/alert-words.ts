/** Search for alert words in a text (markdown.md § Alert words). The text is the author's, not the rendered one. */

const ALLOWED_BEFORE_ALERT_WORD = new Set(' \n(".,\';[*`>');
const ALLOWED_AFTER_ALERT_WORD = new Set(' \n)"?:.,\';]!*`');

/**
 * Finds many words at once. The time depends on the text and on the longest word, not on the number of words. Case is
 * ignored: words are passed and returned in lower case.
 */
export class AlertWordMatcher {
  readonly #lowerCaseWords: ReadonlySet<string>;
  readonly #longestWordLength: number;

  /** Makes the search for these words. @param words alert words, trimmed and in lower case; empty ones match nothing */
  constructor(words: Iterable<string>) {
    this.#lowerCaseWords = new Set(words);
    this.#longestWordLength = Math.max(0, ...distinctWordLengths(this.#lowerCaseWords));
  }

  /** The alert words that occur in the text. */
  findOccurringWords(text: string): Set<string> {
    const found = new Set<string>();
    if (this.#longestWordLength === 0) return found;
    const lower = text.toLowerCase();
    const ends: number[] = [];
    for (let i = 1; i <= lower.length; i++)
      if (i === lower.length || ALLOWED_AFTER_ALERT_WORD.has(lower[i]!)) ends.push(i);
    let first = 0;
    for (let at = 0; at < lower.length; at++) {
      if (at > 0 && !ALLOWED_BEFORE_ALERT_WORD.has(lower[at - 1]!)) continue;
      while (first < ends.length && ends[first]! <= at) first++;
      for (let i = first; i < ends.length && ends[i]! - at <= this.#longestWordLength; i++) {
        const word = lower.slice(at, ends[i]);
        if (this.#lowerCaseWords.has(word)) found.add(word);
      }
    }
    return found;
  }
}

/**
 * The distinct lengths of the words. Even very many words have few lengths, so that these can be spread into arguments.
 */
function distinctWordLengths(words: Iterable<string>): Set<number> {
  const all = new Set<number>();
  for (const word of words) all.add(word.length);
  return all;
}

/**
 * The alert words that occur in the text, in the spelling of `words`, each once.
 * @param words trimmed; empty ones match nothing
 */
export function listOccurringAlertWords(text: string, words: Iterable<string>): string[] {
  const distinct = [...new Set(words)];
  const found = new AlertWordMatcher(distinct.map((word) => word.toLowerCase())).findOccurringWords(text);
  return distinct.filter((word) => found.has(word.toLowerCase()));
}
