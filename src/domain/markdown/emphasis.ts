/** Strong, emphasised and struck text. */
import { type InlineRule, patternRule } from './inline.js';
import { closing, opening } from './tokens.js';

/** Applied before all rules but code, so that three stars are not read as two and one. */
export const strongEmphasis: InlineRule = patternRule(
  '***',
  /\*{3}(?!\s)([^*\n]+)(?<!\s)\*{3}/g,
  ([, text = ''], inline) => [
    opening('strong'),
    opening('em'),
    ...inline.inner(text),
    closing('em'),
    closing('strong'),
  ],
);

const wrapped = (hint: string, tag: string, pattern: RegExp): InlineRule =>
  patternRule(hint, pattern, ([, text = ''], inline) => [opening(tag), ...inline.inner(text), closing(tag)]);

export const strong = wrapped('**', 'strong', /\*\*([^\n]+?)\*\*/g);
export const emphasis = wrapped('*', 'em', /\*(?!\s)([^*\n]+)(?<!\s)\*/g);
export const strike = wrapped('~~', 'del', /(?<!~)~~([^~\n]+)~~(?!~)/g);
