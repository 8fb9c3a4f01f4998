/** Rules for strong, emphasised and struck text. */
import { type InlineMarkdownRule, makePatternMarkdownRule } from './inline.js';
import { makeClosingTagToken, makeOpeningTagToken } from './tokens.js';

/**
 * Rule for text that is both strong and emphasised. It comes before all rules but code, so that three stars are not
 * read as two and one.
 */
export const strongEmphasisMarkdownRule: InlineMarkdownRule = makePatternMarkdownRule(
  '***',
  /\*{3}(?!\s)([^*\n]+)(?<!\s)\*{3}/g,
  ([, text = ''], inline) => [
    makeOpeningTagToken('strong'),
    makeOpeningTagToken('em'),
    ...inline.inner(text),
    makeClosingTagToken('em'),
    makeClosingTagToken('strong'),
  ],
);

const makeWrappingMarkdownRule = (hint: string, tag: string, pattern: RegExp): InlineMarkdownRule =>
  makePatternMarkdownRule(hint, pattern, ([, text = ''], inline) => [
    makeOpeningTagToken(tag),
    ...inline.inner(text),
    makeClosingTagToken(tag),
  ]);

export const strongMarkdownRule = makeWrappingMarkdownRule('**', 'strong', /\*\*([^\n]+?)\*\*/g);
export const emphasisMarkdownRule = makeWrappingMarkdownRule('*', 'em', /\*(?!\s)([^*\n]+)(?<!\s)\*/g);
export const strikeMarkdownRule = makeWrappingMarkdownRule('~~', 'del', /(?<!~)~~([^~\n]+)~~(?!~)/g);
