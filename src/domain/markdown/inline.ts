/**
 * Engine of the inline constructs. Each rule in turn, by priority, searches the whole text. A construct that it finds
 * is replaced by a mark: a number between two control characters. Later constructs can enclose a mark, but not read it.
 */
import type { MarkdownContext } from './context.js';
import { INLINE_PLACEHOLDER_CLOSE, INLINE_PLACEHOLDER_OPEN } from './normalize.js';
import { makeTextToken, makeVoidElementToken, type Token } from './tokens.js';

/** Limit of the cost of all linkifier searches in one text. */
export interface SearchBudget {
  /** Adds the cost of a search. @returns false if the budget is exceeded */
  countSearch(instructions: number, characters: number): boolean;
}

export interface InlineMarkdownRuleTools {
  readonly context: MarkdownContext;
  /** True inside a block quote, where mentions are silent. */
  readonly quoted: boolean;
  /** Shared by all paragraphs of a text. */
  readonly linkifierBudget: SearchBudget;
  /** Registers `tokens` as the rendering of `source`. @returns the mark that replaces it */
  mark(source: string, tokens: readonly Token[]): string;
  /** Restores the author's text: every mark is replaced by its source. */
  source(text: string): string;
  /** Parses a text into tokens with only the rules after the current one. */
  inner(text: string): Token[];
}

/** Searches for one construct. @returns the text with marks in place of its occurrences */
export type InlineMarkdownRule = (text: string, inline: InlineMarkdownRuleTools) => string;

const INLINE_PLACEHOLDER_PATTERN = new RegExp(`${INLINE_PLACEHOLDER_OPEN}(\\d+)${INLINE_PLACEHOLDER_CLOSE}`, 'g');

/**
 * Makes the rule of a construct that a pattern describes.
 * @param hint part of every match: a quick test that rules most texts out
 * @param render returns null if the match is not this construct; its text then stays
 */
export function makePatternMarkdownRule(
  hint: string,
  pattern: RegExp,
  render: (found: RegExpExecArray, inline: InlineMarkdownRuleTools) => readonly Token[] | null,
): InlineMarkdownRule {
  return (text, inline) => {
    if (!text.includes(hint)) return text;
    let out = '';
    let done = 0;
    for (const found of text.matchAll(pattern)) {
      const tokens = render(found, inline);
      if (!tokens) continue;
      out += text.slice(done, found.index) + inline.mark(found[0], tokens);
      done = found.index + found[0].length;
    }
    return done === 0 ? text : out + text.slice(done);
  };
}

/** Tokens of a text with its inline constructs. @param rules rules of the inline constructs, by priority */
export function parseInlineMarkdownToTokens(
  text: string,
  rules: readonly InlineMarkdownRule[],
  context: MarkdownContext,
  quoted: boolean,
  linkifierBudget: SearchBudget,
): Token[] {
  const marks: { readonly source: string; readonly tokens: readonly Token[] }[] = [];
  let current = 0;

  const source = (marked: string): string =>
    marked.includes(INLINE_PLACEHOLDER_OPEN)
      ? marked.replace(INLINE_PLACEHOLDER_PATTERN, (_, number) => marks[Number(number)]?.source ?? '')
      : marked;

  const tokensFrom = (content: string, first: number): Token[] => {
    const outer = current;
    let marked = content;
    for (current = first; current < rules.length; current++) marked = rules[current]?.(marked, inline) ?? marked;
    current = outer;
    return show(marked);
  };

  const show = (marked: string): Token[] => {
    const out: Token[] = [];
    let done = 0;
    if (!marked.includes(INLINE_PLACEHOLDER_OPEN)) {
      appendTextAndBreakTokens(marked, out);
      return out;
    }
    for (const found of marked.matchAll(INLINE_PLACEHOLDER_PATTERN)) {
      appendTextAndBreakTokens(marked.slice(done, found.index), out);
      for (const token of marks[Number(found[1])]?.tokens ?? []) out.push(token);
      done = found.index + found[0].length;
    }
    appendTextAndBreakTokens(marked.slice(done), out);
    return out;
  };

  const inline: InlineMarkdownRuleTools = {
    context,
    quoted,
    linkifierBudget,
    source,
    mark: (marked, tokens) =>
      `${INLINE_PLACEHOLDER_OPEN}${marks.push({ source: source(marked), tokens }) - 1}${INLINE_PLACEHOLDER_CLOSE}`,
    inner: (content) => tokensFrom(content, current + 1),
  };
  return tokensFrom(text, 0);
}

function appendTextAndBreakTokens(text: string, out: Token[]): void {
  if (text === '') return;
  if (!text.includes('\n')) {
    out.push(makeTextToken(text));
    return;
  }
  for (const [index, line] of text.split('\n').entries()) {
    if (index > 0) out.push(makeVoidElementToken('br'), makeTextToken('\n'));
    if (line !== '') out.push(makeTextToken(line));
  }
}
