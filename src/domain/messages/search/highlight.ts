/**
 * `match_content` and `match_subject`: text and topic with the found words marked, never inside a tag. The functions
 * have no side effects.
 */
import { escapeHtml } from '#base';
import { findStemmedWordsInHtml } from './html.js';
import type { ParsedSearchQuery } from './query.js';
import { findStemmedWords, type StemmedWordOccurrence } from './words.js';

const HIGHLIGHT_OPENING_TAG = '<span class="highlight">';
const HIGHLIGHT_CLOSING_TAG = '</span>';

function wrapMatchingWordsInHighlight(
  text: string,
  words: Iterable<StemmedWordOccurrence>,
  stems: ReadonlySet<string>,
  show: (part: string) => string,
) {
  let shown = '';
  let at = 0;
  for (const { stem, from, to } of words) {
    if (!stems.has(stem)) continue;
    shown += `${show(text.slice(at, from))}${HIGHLIGHT_OPENING_TAG}${show(text.slice(from, to))}${HIGHLIGHT_CLOSING_TAG}`;
    at = to;
  }
  return shown + show(text.slice(at));
}

/** The words that are not in MathML: a browser ends a formula at an HTML tag within it. */
function* findStemmedWordsOutsideMathMl(html: string): Iterable<StemmedWordOccurrence> {
  let start = html.indexOf('<math');
  let end = html.indexOf('</math>', start);
  for (const word of findStemmedWordsInHtml(html)) {
    while (start !== -1 && end !== -1 && end < word.from) {
      start = html.indexOf('<math', end);
      end = html.indexOf('</math>', start);
    }
    if (start === -1 || word.from < start) yield word;
  }
}

export const highlightSearchWordsInHtml = (html: string, stems: ReadonlySet<string>): string =>
  stems.size === 0
    ? html
    : wrapMatchingWordsInHighlight(html, findStemmedWordsOutsideMathMl(html), stems, (part) => part);

/** Marks the found words in a plain text, which is escaped. */
export const escapeAndHighlightSearchWords = (text: string, stems: ReadonlySet<string>): string =>
  stems.size === 0 ? escapeHtml(text) : wrapMatchingWordsInHighlight(text, findStemmedWords(text), stems, escapeHtml);

export interface SearchMatchFields {
  readonly match_content: string;
  readonly match_subject: string;
}

/**
 * Makes the fields `match_content` and `match_subject` of a message found by a search.
 * @param searches the searches of the narrow; [] = nothing is marked
 */
export function formatSearchMatchForApi(
  body: { readonly html: string; readonly topic: string },
  searches: readonly ParsedSearchQuery[],
) {
  const stems = new Set(searches.flatMap((search) => search.stems));
  return {
    match_content: highlightSearchWordsInHtml(body.html, stems),
    match_subject: escapeAndHighlightSearchWords(body.topic, stems),
  };
}
