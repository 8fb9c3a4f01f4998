/**
 * Words in rendered messages. The scan takes time linear in the length of any text. The functions have no side effects.
 */
import { findStemmedWords, forEachStem, type StemmedWordOccurrence } from './words.js';

/** Length of the longest HTML entity, `&CounterClockwiseContourIntegral;`. */
const MAX_ENTITY_CHARACTERS = 34;
/** Length up to which all words of a run between tags are found at once; the listener may want only the first. */
const MAX_RUN_CHARACTERS_MATCHED_AT_ONCE = 4_096;
const HTML_ENTITY_PATTERN = /^&(?:#[0-9]+|#x[0-9a-f]+|[0-9a-z]+);/i;

/** Position after the tag that starts at `from`; the end of the text if the tag is open. Skips `>` inside quotes. */
function findOffsetAfterTag(html: string, from: number): number {
  let quote = '';
  for (let i = from + 1; i < html.length; i++) {
    const char = html[i] as string;
    if (quote !== '') {
      if (char === quote) quote = '';
    } else if (char === '>') return i + 1;
    else if (char === '"' || char === "'") quote = char;
  }
  return html.length;
}

/** Position of the next text, behind any tags that begin at `from`. */
function findOffsetAfterTags(html: string, from: number): number {
  let at = from;
  while (html[at] === '<') at = findOffsetAfterTag(html, at);
  return at;
}

function findNextTagOrEnd(html: string, from: number): number {
  const tag = html.indexOf('<', from);
  return tag < 0 ? html.length : tag;
}

/**
 * Passes the stem of each word of rendered text to the listener, until the listener returns false. As
 * `findStemmedWordsInHtml`, without an object per word.
 */
export function forEachStemInHtml(html: string, listener: (stem: string) => boolean): void {
  for (let at = findOffsetAfterTags(html, 0), end: number; at < html.length; at = findOffsetAfterTags(html, end)) {
    end = findNextTagOrEnd(html, at);
    const run = html.slice(at, end);
    if (run.length <= MAX_RUN_CHARACTERS_MATCHED_AT_ONCE && !run.includes('&')) {
      if (!forEachStem(run, listener)) return;
    } else for (const { stem } of findStemmedWordsBetweenTags(html, at, end)) if (!listener(stem)) return;
  }
}

/** Words of rendered text. Tags and entities separate words. */
export function* findStemmedWordsInHtml(html: string): Generator<StemmedWordOccurrence> {
  for (let at = findOffsetAfterTags(html, 0), end: number; at < html.length; at = findOffsetAfterTags(html, end)) {
    end = findNextTagOrEnd(html, at);
    yield* findStemmedWordsBetweenTags(html, at, end);
  }
}

function* findStemmedWordsBetweenTags(html: string, from: number, end: number): Generator<StemmedWordOccurrence> {
  const run = html.slice(from, end);
  let at = 0;
  while (at < run.length) {
    const found = run.indexOf('&', at);
    const entity = found < 0 ? run.length : found;
    if (entity > at) yield* findStemmedWords(html, from + at, from + entity);
    const match = HTML_ENTITY_PATTERN.exec(run.slice(entity, entity + MAX_ENTITY_CHARACTERS));
    at = entity + (match ? match[0].length : 1);
  }
}
