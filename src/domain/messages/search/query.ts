/**
 * Parses the operand of `search` and tests messages for it (narrow.md § Full-text search). The functions have no side
 * effects.
 */
import type { StoredMessage } from '../stored/message.js';
import { contentOfMessage, htmlOfMessage, topicOfMessage } from '../stored/packed-view.js';
import { forEachStemInHtml } from './html.js';
import { findStemmedWords, forEachStem } from './words.js';

/**
 * Maximum number of stems indexed per message: more than texts of people have; the limit bounds the cost of a hostile
 * text.
 */
const MAX_INDEXED_STEMS_PER_MESSAGE = 1_000;

/**
 * Maximum number of words and phrases of one search: more than people type. Each one is a condition tested on messages.
 */
export const MAX_STEMS_AND_PHRASES_PER_SEARCH = 100;

export interface ParsedSearchQuery {
  /** Stems of words that must all occur in the message; [] = no message matches. */
  readonly stems: readonly string[];
  /** Phrases in lower case; all must occur literally. */
  readonly phrases: readonly string[];
}

const PHRASE_OR_WORD_PATTERN = /"[^"]+"|\S+/g;

/**
 * Parses the operand of `search`. Stops at the first term above `MAX_STEMS_AND_PHRASES_PER_SEARCH`, so that the caller
 * can refuse it.
 */
export function parseSearchQuery(text: string): ParsedSearchQuery {
  const stems = new Set<string>();
  for (const { stem } of findStemmedWords(text)) {
    if (stem !== '') stems.add(stem);
    if (stems.size > MAX_STEMS_AND_PHRASES_PER_SEARCH) break;
  }
  const phrases = new Set<string>();
  for (const [term] of text.matchAll(PHRASE_OR_WORD_PATTERN)) {
    if (term.length > 2 && term.startsWith('"') && term.endsWith('"')) phrases.add(term.slice(1, -1).toLowerCase());
    if (phrases.size > MAX_STEMS_AND_PHRASES_PER_SEARCH) break;
  }
  return { stems: [...stems], phrases: [...phrases] };
}

/** Stems of a message's topic and text without repeats, in order; at most `MAX_INDEXED_STEMS_PER_MESSAGE`. */
export function indexedWordStemsOfMessage(body: Pick<StoredMessage['body'], 'topic' | 'html'>): Set<string> {
  const stems = new Set<string>();
  const addStem = (stem: string): boolean => {
    if (stem !== '') stems.add(stem);
    return stems.size < MAX_INDEXED_STEMS_PER_MESSAGE;
  };
  if (forEachStem(body.topic, addStem)) forEachStemInHtml(body.html, addStem);
  return stems;
}

export const isMessageMatchingSearch = (search: ParsedSearchQuery, message: StoredMessage): boolean =>
  search.stems.length > 0 && hasPhrasesAndStems(search, message);

/** True if the message has all phrases and stems of the search; also true for a search without any. */
export function hasPhrasesAndStems({ stems, phrases }: ParsedSearchQuery, message: StoredMessage): boolean {
  if (phrases.length > 0) {
    const content = contentOfMessage(message).toLowerCase();
    const topic = topicOfMessage(message).toLowerCase();
    if (!phrases.every((phrase) => content.includes(phrase) || topic.includes(phrase))) return false;
  }
  if (stems.length === 0) return true;
  const own = indexedWordStemsOfMessage({ topic: topicOfMessage(message), html: htmlOfMessage(message) });
  return stems.every((stem) => own.has(stem));
}
