/** TeX, typeset on the server. */
import katex from 'katex';
import { escapeText } from './html.js';
import { type InlineRule, patternRule } from './inline.js';
import { leaf, rawToken } from './tokens.js';

/** Characters of one formula; longer ones are shown as source. Typesetting makes some 100 characters of each. */
const MAX_FORMULA = 4_000;
/** Macro expansions in one formula: definitions can double at each step. */
const MAX_EXPANSIONS = 500;
/** Sizes that a formula may ask for, in ems. */
const MAX_SIZE = 20;
/** Open braces at a time; the typesetter recurses. */
const MAX_DEPTH = 100;

/** @returns undefined for what is no TeX */
export function typeset(source: string, display: boolean): string | undefined {
  if (source.length > MAX_FORMULA || braceDepth(source) > MAX_DEPTH) return undefined;
  const { warn } = console;
  // A warning for each character that its fonts lack: a way for everybody to flood the log.
  console.warn = () => undefined;
  try {
    return katex.renderToString(source, {
      displayMode: display,
      throwOnError: true,
      strict: 'ignore',
      trust: false,
      maxExpand: MAX_EXPANSIONS,
      maxSize: MAX_SIZE,
    });
  } catch {
    // Mostly a parse error; very deep nesting ends in a RangeError. Either way the reader gets the source.
    return undefined;
  } finally {
    console.warn = warn;
  }
}

function braceDepth(source: string): number {
  let open = 0;
  let most = 0;
  for (const char of source) {
    if (char === '{') most = Math.max(most, ++open);
    else if (char === '}') open--;
  }
  return most;
}

/** One line, not next to further `$` or to letters, as the peer's word boundaries have it. */
const INLINE = /(?<![\p{L}\p{N}_$])\$\$([^\n_$](?:\\\$|[^$\n])*)\$\$(?![\p{L}\p{N}_$])/gu;

export const inlineMath: InlineRule = patternRule('$$', INLINE, ([, body = ''], inline) => {
  const source = inline.source(body);
  const html = typeset(source, false);
  if (html !== undefined) return [rawToken(html)];
  return leaf('span', { class: 'tex-error' }, `$$${source}$$`);
});

/** A fenced block: one paragraph, each part between blank lines typeset for itself. */
export function mathBlock(text: string): string {
  const parts = text
    .split(/\n{2,}/)
    .filter((part) => part.trim() !== '')
    .map((part) => typeset(part, true) ?? `<span class="tex-error">${escapeText(part)}</span>`);
  return `<p>${parts.join('<br>\n')}</p>`;
}
