/** Rules for strong, emphasised and struck text. */
import { type InlineRule, patternRule } from './inline.js';
import { closingToken, openingToken } from './tokens.js';

/**
 * Rule for text that is both strong and emphasised. It comes before all rules but code, so that three stars are not
 * read as two and one.
 */
export const strongEmphasisRule: InlineRule = patternRule(
  '***',
  /\*{3}(?!\s)([^*\n]+)(?<!\s)\*{3}/g,
  ([, text = ''], inline) => [
    openingToken('strong'),
    openingToken('em'),
    ...inline.inner(text),
    closingToken('em'),
    closingToken('strong'),
  ],
);

const wrapped = (hint: string, tag: string, pattern: RegExp): InlineRule =>
  patternRule(hint, pattern, ([, text = ''], inline) => [openingToken(tag), ...inline.inner(text), closingToken(tag)]);

export const strongRule = wrapped('**', 'strong', /\*\*([^\n]+?)\*\*/g);
export const emphasisRule = wrapped('*', 'em', /\*(?!\s)([^*\n]+)(?<!\s)\*/g);
export const strikeRule = wrapped('~~', 'del', /(?<!~)~~([^~\n]+)~~(?!~)/g);
