/** Which alert words a text holds (markdown.md § Alert words). The text is the author's, not the rendered one. */

const BEFORE = new Set(' \n(".,\';[*`>');
const AFTER = new Set(' \n)"?:.,\';]!*`');

/**
 * The words found, in the spelling of `words`, each once.
 * @param words trimmed; blank ones match nothing
 */
export function matchAlertWords(text: string, words: Iterable<string>): string[] {
  const lower = text.toLowerCase();
  return [...new Set(words)].filter((word) => word !== '' && contains(lower, word.toLowerCase()));
}

function contains(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const before = text[at - 1];
    const after = text[at + word.length];
    if ((before === undefined || BEFORE.has(before)) && (after === undefined || AFTER.has(after))) return true;
  }
  return false;
}
