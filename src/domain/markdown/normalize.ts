/** First step of rendering: cleans the text and its lines before any construct is parsed (markdown.md § Pipeline). */
import { FENCE_OPENING_PATTERN } from './fence.js';

/**
 * Characters around the number of a placeholder for a parsed inline construct (inline.ts). They are removed from the
 * author's text.
 */
export const INLINE_PLACEHOLDER_OPEN = '\u0002';
export const INLINE_PLACEHOLDER_CLOSE = '\u0003';

/** Columns between tab stops, and the indentation that makes code. */
export const MARKDOWN_TAB_COLUMNS = 4;

/** Matches the characters of texts that normalization can change. A line of nothing but blanks is one of them. */
const CHANGED_BY_NORMALIZATION_PATTERN = new RegExp(
  `[\r\n\t\0${INLINE_PLACEHOLDER_OPEN}${INLINE_PLACEHOLDER_CLOSE}]|^ +$`,
);

export function normalizeMarkdownText(text: string): string {
  if (!CHANGED_BY_NORMALIZATION_PATTERN.test(text) && text.isWellFormed()) return text;
  const lines = text
    .replace(/\r\n?/g, '\n')
    .replaceAll('\0', '')
    .replaceAll(INLINE_PLACEHOLDER_OPEN, '')
    .replaceAll(INLINE_PLACEHOLDER_CLOSE, '')
    // Lone surrogates can't be encoded, neither in addresses nor as UTF-8.
    .toWellFormed()
    .split('\n');
  return insertBlankLinesBeforeLists(lines)
    .map((line) => expandTabsToBlanks(line))
    .map((line) => (/^ +$/.test(line) ? '' : line))
    .join('\n');
}

/** Replaces tabs by blanks up to the next tab stop. A column is a code point. */
function expandTabsToBlanks(line: string): string {
  if (!line.includes('\t')) return line;
  let out = '';
  let column = 0;
  for (const char of line) {
    const width = char === '\t' ? MARKDOWN_TAB_COLUMNS - (column % MARKDOWN_TAB_COLUMNS) : 1;
    out += char === '\t' ? ' '.repeat(width) : char;
    column += width;
  }
  return out;
}

const LIST_ITEM_START_PATTERN = /^ *([*+-]|\d\.) +/;

/**
 * Inserts a blank line before a list that directly follows other text or an item of the other kind, except in fenced
 * code. So the list may begin there, and has loose items, as on the API's original server.
 */
function insertBlankLinesBeforeLists(lines: readonly string[]): string[] {
  const out: string[] = [];
  const open: { fence: string; code: boolean }[] = [];
  for (const [at, line] of lines.entries()) {
    out.push(line);
    if (at === lines.length - 1) break;
    const opened = FENCE_OPENING_PATTERN.exec(line);
    if (opened) {
      const { fence = '', language = '' } = opened.groups ?? {};
      if (language === '' && open.at(-1)?.fence === fence) open.pop();
      else open.push({ fence, code: language !== 'quote' && language !== 'quoted' });
    }
    if (line === '' || open.some(({ code }) => code)) continue;
    const next = LIST_ITEM_START_PATTERN.exec(lines[at + 1] ?? '')?.[1];
    if (next === undefined) continue;
    const present = LIST_ITEM_START_PATTERN.exec(line)?.[1];
    if (present === undefined || (present.length === 1) !== (next.length === 1)) out.push('');
  }
  return out;
}
