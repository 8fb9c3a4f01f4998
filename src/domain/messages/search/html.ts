/** The text of rendered messages. Linear in the length of whatever it is given. */
import { type Word, wordsIn } from './words.js';

/** Longest entity: `&CounterClockwiseContourIntegral;`. */
const MAX_ENTITY = 34;
const ENTITY = /^&(?:#[0-9]+|#x[0-9a-f]+|[0-9a-z]+);/i;

/** Place after the tag that begins here; a `>` in an attribute's value doesn't end it. Without end: the text's end. */
function afterTag(html: string, from: number): number {
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

/** Words between tags; entities part words, as the tags do. */
export function* wordsInHtml(html: string): Generator<Word> {
  for (let at = 0; at < html.length; ) {
    if (html[at] === '<') {
      at = afterTag(html, at);
      continue;
    }
    const tag = html.indexOf('<', at);
    const end = tag < 0 ? html.length : tag;
    yield* wordsInRun(html, at, end);
    at = end;
  }
}

function* wordsInRun(html: string, from: number, end: number): Generator<Word> {
  const run = html.slice(from, end);
  let at = 0;
  while (at < run.length) {
    const found = run.indexOf('&', at);
    const entity = found < 0 ? run.length : found;
    if (entity > at) yield* wordsIn(html, from + at, from + entity);
    const match = ENTITY.exec(run.slice(entity, entity + MAX_ENTITY));
    at = entity + (match ? match[0].length : 1);
  }
}
