/**
 * Inline constructs. They are found in order of priority over the whole text, not from left to right: what is recognised
 * gives way to a mark (its number between two control characters), which later constructs can enclose but not read.
 */
import type { MarkdownContext } from './context.js';
import { MARK_CLOSE, MARK_OPEN } from './normalize.js';
import { single, type Token, textToken } from './tokens.js';

export interface InlineState {
  readonly context: MarkdownContext;
  /** In a block quote: mentions are silent. */
  readonly quoted: boolean;
  /** Puts a mark in place of `source`, which `tokens` will show. */
  mark(source: string, tokens: readonly Token[]): string;
  /** The author's text, with every mark replaced by what it stands for. */
  source(text: string): string;
  /** Tokens of text in which only constructs of lower priority than the present one are looked for. */
  inner(text: string): Token[];
}

/** Looks for one construct. @returns the text with marks in place of what was recognised */
export type InlineRule = (text: string, inline: InlineState) => string;

const MARK = new RegExp(`${MARK_OPEN}(\\d+)${MARK_CLOSE}`, 'g');

/**
 * A rule for a construct that a pattern describes.
 * @param hint text without which the pattern can't match: most texts are done with this test
 * @param render null = not this construct after all, the text stays and the search goes on behind it
 */
export function patternRule(
  hint: string,
  pattern: RegExp,
  render: (found: RegExpExecArray, inline: InlineState) => readonly Token[] | null,
): InlineRule {
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

/** Tokens of one piece of text. @param rules by priority */
export function inlineTokens(
  text: string,
  rules: readonly InlineRule[],
  context: MarkdownContext,
  quoted: boolean,
): Token[] {
  const marks: { readonly source: string; readonly tokens: readonly Token[] }[] = [];
  let present = 0;

  const source = (marked: string): string =>
    marked.includes(MARK_OPEN) ? marked.replace(MARK, (_, number) => marks[Number(number)]?.source ?? '') : marked;

  const from = (content: string, first: number): Token[] => {
    const outer = present;
    let marked = content;
    for (present = first; present < rules.length; present++) marked = rules[present]?.(marked, inline) ?? marked;
    present = outer;
    return show(marked);
  };

  const show = (marked: string): Token[] => {
    const out: Token[] = [];
    let done = 0;
    for (const found of marked.matchAll(MARK)) {
      showText(marked.slice(done, found.index), out);
      for (const token of marks[Number(found[1])]?.tokens ?? []) out.push(token);
      done = found.index + found[0].length;
    }
    showText(marked.slice(done), out);
    return out;
  };

  const inline: InlineState = {
    context,
    quoted,
    source,
    mark: (marked, tokens) => `${MARK_OPEN}${marks.push({ source: source(marked), tokens }) - 1}${MARK_CLOSE}`,
    inner: (content) => from(content, present + 1),
  };
  return from(text, 0);
}

function showText(text: string, out: Token[]): void {
  if (text === '') return;
  for (const [index, line] of text.split('\n').entries()) {
    if (index > 0) out.push(single('br'), textToken('\n'));
    if (line !== '') out.push(textToken(line));
  }
}
