/** HTML of code: inline, indented and fenced (markdown.md § Fences). */
import { findCodeLanguageByFenceName, highlightOrEscapeCode } from './highlight.js';
import { escapeCodeForHtml, renderSortedHtmlAttributes } from './html.js';
import type { InlineMarkdownRule } from './inline.js';
import { makeClosingTagToken, makeOpeningTagToken, makeRawHtmlToken } from './tokens.js';

/** Inline code with its backticks, by positions in a text. */
interface InlineCodeRange {
  readonly start: number;
  readonly end: number;
  /** Number of backticks on each side. */
  readonly backticks: number;
}

/**
 * Finds inline code, which stands between two runs of backticks of the same length. If no later run has the length of
 * an opening run, fewer of its backticks open the code, and the others belong to the code.
 */
export function* findInlineCode(text: string): Generator<InlineCodeRange> {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: run, index }) => ({ at: index, length: run.length }));
  const byLength = new Map<number, number[]>();
  for (const { at, length } of runs) {
    const positions = byLength.get(length);
    if (positions) positions.push(at);
    else byLength.set(length, [at]);
  }
  let done = 0;
  for (const run of runs) {
    if (run.at < done) continue;
    const start = isBackslashEscaped(text, run.at) ? run.at + 1 : run.at;
    const found = findClosingBackticks(start, run.at + run.length - start, byLength);
    if (!found) continue;
    const { length, close } = found;
    done = close + length;
    yield { start, end: done, backticks: length };
  }
}

export const inlineCodeMarkdownRule: InlineMarkdownRule = (text, inline) => {
  if (!text.includes('`')) return text;
  let out = '';
  let done = 0;
  for (const { start, end, backticks } of findInlineCode(text)) {
    const code = inline.source(text.slice(start + backticks, end - backticks));
    const html = makeRawHtmlToken(escapeCodeForHtml(code));
    const tokens = [makeOpeningTagToken('code'), html, makeClosingTagToken('code')];
    out += text.slice(done, start) + inline.mark(text.slice(start, end), tokens);
    done = end;
  }
  return out + text.slice(done);
};

/** True if the character at this offset follows an odd number of backslashes, so that it is text. */
function isBackslashEscaped(text: string, at: number): boolean {
  let before = at;
  while (before > 0 && text[before - 1] === '\\') before--;
  return (at - before) % 2 === 1;
}

/**
 * Finds the run of backticks that closes inline code. The opening run begins at `first` and has `longest` backticks; if
 * no run of that length follows, fewer of its backticks open the code.
 */
function findClosingBackticks(
  first: number,
  longest: number,
  byLength: ReadonlyMap<number, number[]>,
): { length: number; close: number } | null {
  for (let length = longest; length > 0; length--) {
    const positions = byLength.get(length);
    // Earlier runs of backticks are not needed again, because openings only move forward.
    while (positions && (positions[0] ?? Number.POSITIVE_INFINITY) < first + length) positions.shift();
    const close = positions?.[0];
    if (close !== undefined && close > first + longest - 1) return { length, close };
  }
  return null;
}

/** HTML of a code block. @param language name in the fence, in lower case; '' = none */
export function renderCodeBlock(source: string, language: string): string {
  // Blank lines around the code don't belong to it.
  const code = source.replace(/^\n+/, '').trimEnd();
  if (language === '') {
    const marked = /^(?:#!|:::)([\w+#.-]+)[^\n]*\n/.exec(code)?.[1];
    return wrapInCodeBlock(escapeQuotesOutsideTags(highlightOrEscapeCode(code, marked?.toLowerCase() ?? '')), '');
  }
  const name = findCodeLanguageByFenceName(language)?.display ?? language;
  return wrapInCodeBlock(
    highlightOrEscapeCode(code, language),
    renderSortedHtmlAttributes([['data-code-language', name]]),
  );
}

const wrapInCodeBlock = (html: string, attrs: string): string =>
  `<div class="codehilite"${attrs}><pre><span></span><code>${html}\n</code></pre></div>`;

/** Escapes quotes outside of tags as entities: the form of code without a named language. */
function escapeQuotesOutsideTags(html: string): string {
  if (!/["']/.test(html)) return html;
  return html.replace(/<[^>]*>|["']/g, (found) => (found === '"' ? '&quot;' : found === "'" ? '&#39;' : found));
}
