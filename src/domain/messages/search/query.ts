/** What a `search` operand asks for, and which messages have it. Pure. */
import type { StoredMessage } from '../stored/message.js';
import { wordsInHtml } from './html.js';
import { wordsIn } from './words.js';

/** Different words of one message that are indexed: all of any text that people write; what a hostile one may cost. */
export const MAX_STEMS = 1_000;

/** Different words and phrases that one request may look for: more than people type, and each is a condition on messages. */
export const MAX_TERMS = 100;

export interface SearchQuery {
  /** All of these must occur; none = nothing matches. */
  readonly stems: readonly string[];
  /** Lower-cased; each must occur, to the letter. */
  readonly phrases: readonly string[];
}

const TERM = /"[^"]+"|\S+/g;

/** Reads no further than where there are more of either than a request may look for. */
export function parseSearch(text: string): SearchQuery {
  const stems = new Set<string>();
  for (const { stem } of wordsIn(text)) {
    if (stem !== '') stems.add(stem);
    if (stems.size > MAX_TERMS) break;
  }
  const phrases = new Set<string>();
  for (const [term] of text.matchAll(TERM)) {
    if (term.length > 2 && term.startsWith('"') && term.endsWith('"')) phrases.add(term.slice(1, -1).toLowerCase());
    if (phrases.size > MAX_TERMS) break;
  }
  return { stems: [...stems], phrases: [...phrases] };
}

/** Different stems of topic and text, in the order in which they come. */
export function stemsOf({ body }: StoredMessage): Set<string> {
  const stems = new Set<string>();
  for (const words of [wordsIn(body.topic), wordsInHtml(body.html)]) {
    for (const { stem } of words) {
      if (stem !== '') stems.add(stem);
      if (stems.size === MAX_STEMS) return stems;
    }
  }
  return stems;
}

export function matchesSearch({ stems, phrases }: SearchQuery, message: StoredMessage): boolean {
  if (stems.length === 0) return false;
  if (phrases.length > 0) {
    const content = message.body.content.toLowerCase();
    const topic = message.body.topic.toLowerCase();
    if (!phrases.every((phrase) => content.includes(phrase) || topic.includes(phrase))) return false;
  }
  const own = stemsOf(message);
  return stems.every((stem) => own.has(stem));
}
