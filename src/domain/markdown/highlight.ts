/** Syntax highlighting: grammars of highlight.js, with the class names that clients have styles for. */
import { createRequire } from 'node:module';
import type { LanguageFn } from 'highlight.js';
import hljs from 'highlight.js/lib/core';
import { escapeCodeForHtml } from './html.js';
import { findCodeLanguageByFenceName } from './languages.js';

export { findCodeLanguageByFenceName } from './languages.js';

/** Maximum length of highlighted code, characters. Longer code is plain, as not all grammars take linear time. */
const MAX_HIGHLIGHTED_CODE_CHARACTERS = 5_000;
/** Maximum length of a line of highlighted code, characters: some grammars are slow on long lines. */
const MAX_HIGHLIGHTED_LINE_CHARACTERS = 1_000;

/** Class by scope of the grammar, without the prefix `hljs-`. Other scopes get no element. */
const PYGMENTS_CLASS_BY_HIGHLIGHT_SCOPE: Readonly<Record<string, string>> = {
  addition: 'gi',
  attr: 'na',
  attribute: 'na',
  built_in: 'nb',
  bullet: 'l',
  char: 'se',
  'char escape_': 'se',
  code: 's',
  comment: 'c1',
  deletion: 'gd',
  doctag: 'cs',
  emphasis: 'ge',
  formula: 'm',
  keyword: 'k',
  link: 's',
  literal: 'kc',
  meta: 'cp',
  'meta prompt_': 'gp',
  name: 'nt',
  number: 'mi',
  operator: 'o',
  params: 'n',
  property: 'n',
  punctuation: 'p',
  quote: 'c1',
  regexp: 'sr',
  section: 'gh',
  'selector-attr': 'na',
  'selector-class': 'nc',
  'selector-id': 'nn',
  'selector-pseudo': 'nd',
  'selector-tag': 'nt',
  string: 's2',
  strong: 'gs',
  subst: 'si',
  symbol: 'ss',
  'template-tag': 'cp',
  'template-variable': 'nv',
  title: 'nf',
  'title class_': 'nc',
  'title class_ inherited__': 'nc',
  'title function_': 'nf',
  'title function_ invoke__': 'nf',
  type: 'kt',
  variable: 'n',
  'variable constant_': 'no',
  'variable language_': 'bp',
};

/**
 * HTML of highlighted code. Quotes are not escaped.
 * @param language name in the fence, in lower case; code of an unknown language is only escaped
 */
export function highlightOrEscapeCode(code: string, language: string): string {
  const grammar = findCodeLanguageByFenceName(language)?.grammar ?? '';
  if (grammar === '' || code.length > MAX_HIGHLIGHTED_CODE_CHARACTERS || hasTooLongLine(code))
    return escapeCodeForHtml(code);
  ensureGrammarsRegistered(grammar);
  const { value } = hljs.highlight(code, { language: grammar, ignoreIllegals: true });
  return toPygmentsHtml(value);
}

/** Grammars that a grammar uses for parts of its code, by grammar. */
const EMBEDDED_GRAMMARS_BY_GRAMMAR: Readonly<Record<string, readonly string[]>> = {
  django: ['xml'],
  dockerfile: ['bash'],
  haml: ['ruby'],
  markdown: ['xml'],
  php: ['xml'],
  'python-repl': ['python'],
  shell: ['bash'],
  xml: ['css', 'javascript'],
};

const require = createRequire(import.meta.url);

/** Loads a highlighting grammar when it is first needed: most are never used, and all together take long. */
function ensureGrammarsRegistered(grammar: string): void {
  if (hljs.getLanguage(grammar)) return;
  hljs.registerLanguage(grammar, require(`highlight.js/lib/languages/${grammar}`) as LanguageFn);
  for (const part of EMBEDDED_GRAMMARS_BY_GRAMMAR[grammar] ?? []) ensureGrammarsRegistered(part);
}

function hasTooLongLine(code: string): boolean {
  return code.split('\n').some((line) => line.length > MAX_HIGHLIGHTED_LINE_CHARACTERS);
}

const HIGHLIGHT_JS_MARKUP_PATTERN = /<span class="([^"]*)">|<\/span>|&quot;|&#x27;/g;

function toPygmentsHtml(html: string): string {
  // Stack of the open elements. An entry is true if the tag of its element was emitted.
  const open: boolean[] = [];
  return html.replace(HIGHLIGHT_JS_MARKUP_PATTERN, (piece, scope: string | undefined) => {
    if (piece === '&quot;') return '"';
    if (piece === '&#x27;') return "'";
    if (scope === undefined) return open.pop() ? piece : '';
    const name = PYGMENTS_CLASS_BY_HIGHLIGHT_SCOPE[scope.replace(/^hljs-/, '')];
    open.push(name !== undefined);
    return name === undefined ? '' : `<span class="${name}">`;
  });
}
