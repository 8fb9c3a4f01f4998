/** TeX formulas, typeset by KaTeX on the server. */
import katex from 'katex';
import { escapeHtmlKeepingEntities } from './html.js';
import { type InlineMarkdownRule, makePatternMarkdownRule } from './inline.js';
import { makeRawHtmlToken, makeTextElementTokens } from './tokens.js';

/**
 * Maximum length of a TeX formula, characters; longer formulas are shown as source. Each character of a formula becomes
 * some 100 characters of HTML.
 */
const MAX_FORMULA_CHARACTERS = 4_000;
/** Maximum number of macro expansions in a formula: definitions can double the text at each step. */
const MAX_MACRO_EXPANSIONS = 500;
/** Largest size that a formula may set for its parts, in ems. */
const MAX_FORMULA_PART_SIZE_EM = 20;
/** Maximum nesting of braces in a formula: KaTeX is recursive. */
const MAX_BRACE_DEPTH = 100;

/** HTML of a TeX formula. @returns undefined if it is not valid TeX or exceeds a limit */
function typesetFormulaOrUndefined(source: string, display: boolean): string | undefined {
  if (source.length > MAX_FORMULA_CHARACTERS || maxBraceDepth(source) > MAX_BRACE_DEPTH) return undefined;
  const { warn } = console;
  // KaTeX warns of each character that its fonts lack. A user could flood the log with such warnings.
  console.warn = () => undefined;
  try {
    return katex.renderToString(source, {
      displayMode: display,
      throwOnError: true,
      strict: 'ignore',
      trust: false,
      maxExpand: MAX_MACRO_EXPANSIONS,
      maxSize: MAX_FORMULA_PART_SIZE_EM,
    });
  } catch {
    // The formula can't be parsed, or is nested so deep that KaTeX threw a RangeError. Readers get its source instead.
    return undefined;
  } finally {
    console.warn = warn;
  }
}

function maxBraceDepth(source: string): number {
  let open = 0;
  let most = 0;
  for (const char of source) {
    if (char === '{') most = Math.max(most, ++open);
    else if (char === '}') open--;
  }
  return most;
}

/** Matches inline math on one line. No letter and no further `$` may be next to it, as on the API's original server. */
const INLINE_FORMULA_PATTERN = /(?<![\p{L}\p{N}_$])\$\$([^\n_$](?:\\\$|[^$\n])*)\$\$(?![\p{L}\p{N}_$])/gu;

export const inlineMathMarkdownRule: InlineMarkdownRule = makePatternMarkdownRule(
  '$$',
  INLINE_FORMULA_PATTERN,
  ([, body = ''], inline) => {
    const source = inline.source(body);
    const html = typesetFormulaOrUndefined(source, false);
    if (html !== undefined) return [makeRawHtmlToken(html)];
    return makeTextElementTokens('span', { class: 'tex-error' }, `$$${source}$$`);
  },
);

/** HTML of a math fence: one paragraph. Parts between blank lines are typeset separately. */
export function renderMathFence(text: string): string {
  const parts = text
    .split(/\n{2,}/)
    .filter((part) => part.trim() !== '')
    .map(
      (part) =>
        typesetFormulaOrUndefined(part, true) ?? `<span class="tex-error">${escapeHtmlKeepingEntities(part)}</span>`,
    );
  return `<p>${parts.join('<br>\n')}</p>`;
}
