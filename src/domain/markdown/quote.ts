/** Block quotes of `>` lines. Two quotes are never merged into one. Quote fences: see dialect.ts. */
import { appendChildBlock, type MarkdownBlock, type MarkdownBlockParserPort, makeMarkdownBlock } from './tree.js';

const QUOTE_LINE_PATTERN = /^ {0,3}>/;
const EMPTY_QUOTE_LINE_PATTERN = /^ {0,3}>\s*$/;

/**
 * Finds the start of a block quote. @returns offset of the first quoted line; -1 if there is none. Lone `>` at the end
 * of a block are text.
 */
export function findMarkdownQuoteStart(text: string): number {
  if (!text.includes('>')) return -1;
  const lines = text.split('\n');
  let last = lines.length - 1;
  while (last >= 0 && EMPTY_QUOTE_LINE_PATTERN.test(lines[last] ?? '')) last--;
  let at = 0;
  for (let index = 0; index <= last; index++) {
    const line = lines[index] ?? '';
    if (QUOTE_LINE_PATTERN.test(line)) return at;
    at += line.length + 1;
  }
  return -1;
}

export function parseMarkdownQuoteInto(parser: MarkdownBlockParserPort, parent: MarkdownBlock, text: string): void {
  const start = findMarkdownQuoteStart(text);
  // Leaves out the line break before the quote.
  if (start > 0) parser.parseBlockTexts(parent, [text.slice(0, start - 1)]);
  const inner = text
    .slice(start)
    .split('\n')
    .map((line) => (line.trim() === '>' ? '' : line.replace(/^ {0,3}> ?/, '')))
    .join('\n');
  const quote = appendChildBlock(parent, makeMarkdownBlock('blockquote'));
  parser.parseInMode('quote', () => parser.parseChunk(quote, inner));
}
