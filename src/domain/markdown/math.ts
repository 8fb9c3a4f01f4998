/** TeX formulas, typeset by KaTeX on the server. */
import katex from 'katex';
import {
  FORMULA_COMMAND_START,
  makeFormulaMacroCommands,
  maxBraceDepth,
  mayDefineFormulaMacro,
} from './formula-macros.js';
import { escapeHtmlKeepingEntities } from './html.js';
import { type InlineMarkdownRule, makePatternMarkdownRule } from './inline.js';
import { makeRawHtmlToken, makeTextElementTokens } from './tokens.js';

/**
 * Maximum length of a TeX formula, characters; longer formulas are shown as source. Each character of a formula becomes
 * some 100 characters of HTML.
 */
const MAX_FORMULA_CHARACTERS = 4_000;
/** Maximum length of a formula with its own macros expanded, as a multiple of its length. */
const MAX_EXPANDED_FORMULA_FACTOR = 4;
/** Maximum number of expansions of macros in a formula: a macro may use itself without end. */
const MAX_MACRO_EXPANSIONS = 500;
/** Largest size that a formula may set for its parts, in ems. */
const MAX_FORMULA_PART_SIZE_EM = 20;
/** Maximum nesting of braces in a formula: KaTeX is recursive. */
const MAX_BRACE_DEPTH = 100;

const REFUSED_NAMES = '[egx]def|(?:future)?let|global|long|expandafter|noexpand|(?:err)?message|show';
/**
 * Matches commands that a formula must not have: those that take macros apart or define them globally, since what they
 * produce is not bounded; those that write to the server's output; KaTeX's internal macros; and a \verb whose end
 * hides the beginning of a command.
 */
const REFUSED_COMMAND_PATTERN = new RegExp(
  String.raw`${FORMULA_COMMAND_START}(?:[a-zA-Z]+@|verb\*?\\|(?:${REFUSED_NAMES})(?![a-zA-Z]))`,
);

/** Matches the beginning of a math fence. */
const MATH_FENCE_PATTERN = /(?:`{3}|~{3}) *\{?\.?math/i;
/**
 * Maximum length of formulas that are typeset without a time limit, characters. KaTeX takes up to 0.3 ms for one, such
 * as those of `@>>>` in a diagram and letters with two accents.
 */
const MAX_QUICK_FORMULA_CHARACTERS = 200;

/**
 * True if formulas in a text may take long to typeset.
 *
 * @param defaultCodeLanguage language of fenced blocks that name none
 */
export function mayTakeLongToTypeset(text: string, defaultCodeLanguage = ''): boolean {
  const hasMathFence = MATH_FENCE_PATTERN.test(text) || (defaultCodeLanguage === 'math' && /`{3}|~{3}/.test(text));
  const length = hasMathFence ? text.length : text.lastIndexOf('$$') - text.indexOf('$$');
  return length > MAX_QUICK_FORMULA_CHARACTERS || (length > 0 && mayDefineFormulaMacro(text));
}

/** HTML of a TeX formula. @returns undefined if it is not valid TeX or exceeds a limit */
function typesetFormulaOrUndefined(source: string, display: boolean): string | undefined {
  if (source.length > MAX_FORMULA_CHARACTERS) return undefined;
  if (REFUSED_COMMAND_PATTERN.test(source) || maxBraceDepth(source) > MAX_BRACE_DEPTH) return undefined;
  const maxLength = Math.min(MAX_FORMULA_CHARACTERS, MAX_EXPANDED_FORMULA_FACTOR * source.length);
  const { warn } = console;
  // KaTeX warns of each character that its fonts lack. A user could flood the log with such warnings.
  console.warn = () => undefined;
  try {
    return katex.renderToString(source, {
      displayMode: display,
      throwOnError: true,
      strict: 'ignore',
      trust: false,
      macros: makeFormulaMacroCommands({ maxAddedCharacters: maxLength - source.length, maxDepth: MAX_BRACE_DEPTH }),
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
