export { highlightHtml, highlightText, type Match, matchOf } from './highlight.js';
export { isFound, MOST_TERMS, MOST_WORDS, parseSearch, type Search, stemsOf } from './query.js';
export { STOP_WORDS } from './stop-words.js';
export { stemOf } from './words.js';
