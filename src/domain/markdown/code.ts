/** Code: inline, indented and fenced (markdown.md § Fences). */
import { highlight, languageNamed } from './highlight.js';
import { attributes, escapeCode } from './html.js';
import type { InlineRule } from './inline.js';
import { closing, opening, rawToken } from './tokens.js';

/**
 * Runs of backticks delimit code; the closing run has the length of the opening one. A run whose length has no partner
 * is tried shorter: its first backticks are then part of the code.
 */
export const inlineCode: InlineRule = (text, inline) => {
  if (!text.includes('`')) return text;
  const runs = [...text.matchAll(/`+/g)].map(({ 0: run, index }) => ({ at: index, length: run.length }));
  const byLength = new Map<number, number[]>();
  for (const { at, length } of runs) {
    const places = byLength.get(length);
    if (places) places.push(at);
    else byLength.set(length, [at]);
  }
  let out = '';
  let done = 0;
  for (const run of runs) {
    if (run.at < done) continue;
    const first = isEscaped(text, run.at) ? run.at + 1 : run.at;
    const found = findCloser(first, run.at + run.length - first, byLength);
    if (!found) continue;
    const { length, close } = found;
    const code = inline.source(text.slice(first + length, close));
    const html = rawToken(escapeCode(code));
    const source = text.slice(first, close + length);
    out += text.slice(done, first) + inline.mark(source, [opening('code'), html, closing('code')]);
    done = close + length;
  }
  return out + text.slice(done);
};

/** An odd number of backslashes before it. */
function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (before > 0 && text[before - 1] === '\\') before--;
  return (at - before) % 2 === 1;
}

/** Nearest run behind `first` that closes the longest possible opening of up to `longest` backticks. */
function findCloser(
  first: number,
  longest: number,
  byLength: ReadonlyMap<number, number[]>,
): { length: number; close: number } | null {
  for (let length = longest; length > 0; length--) {
    const places = byLength.get(length);
    // Places are used up from the front: openings only move forward.
    while (places && (places[0] ?? Number.POSITIVE_INFINITY) < first + length) places.shift();
    const close = places?.[0];
    if (close !== undefined && close > first + longest - 1) return { length, close };
  }
  return null;
}

/** @param language as named in the fence, lower case; '' = none */
export function codeBlock(source: string, language: string): string {
  // Blank lines around the code are no part of it.
  const code = source.replace(/^\n+/, '').trimEnd();
  if (language === '') {
    const marked = /^(?:#!|:::)([\w+#.-]+)[^\n]*\n/.exec(code)?.[1];
    return wrap(escapeQuotes(highlight(code, marked?.toLowerCase() ?? '')), '');
  }
  const name = languageNamed(language)?.display ?? language;
  return wrap(highlight(code, language), attributes([['data-code-language', name]]));
}

const wrap = (html: string, attrs: string): string =>
  `<div class="codehilite"${attrs}><pre><span></span><code>${html}\n</code></pre></div>`;

/** Without a named language, quotes outside of tags are entities. */
function escapeQuotes(html: string): string {
  if (!/["']/.test(html)) return html;
  return html.replace(/<[^>]*>|["']/g, (found) => (found === '"' ? '&quot;' : found === "'" ? '&#39;' : found));
}
