/** Long texts of the kinds that are most expensive for parsers, searches and Markdown. */
import type { Random } from '../cluster/scheduler.js';

export interface LongText {
  readonly title: string;
  /** Builds a text of at most `length` characters. */
  make(length: number): string;
}

const repeated = (title: string, piece: string): LongText => ({
  title,
  make: (length) => piece.repeat(Math.max(1, Math.floor(length / piece.length))),
});

const counted = (title: string, piece: (i: number) => string): LongText => ({
  title,
  make: (length) => {
    const pieces: string[] = [];
    let left = length;
    for (let i = 0; ; i++) {
      const next = piece(i);
      left -= next.length;
      if (left < 0) return pieces.join('');
      pieces.push(next);
    }
  },
});

/** Texts for any text parameter. */
export const PLAIN_TEXTS: readonly LongText[] = [
  repeated('one character', 'x'),
  counted('words', (i) => `zq${i} `),
  repeated('wide characters', '\u{1f600}'),
  repeated('plus signs', '+'),
  repeated('blanks', ' '),
  repeated('escapes', '\u00e4%'),
  repeated('quotes and backslashes', '\\"'),
  counted('addresses', (i) => `a${i}@example.com,`),
  repeated('lines', '\n'),
  repeated('zero bytes', '\0'),
];

/** Texts for rendered parameters: beginnings of constructs, repeated or nested. */
export const MARKDOWN_TEXTS: readonly LongText[] = [
  repeated('quotes in quotes', '> '),
  repeated('brackets', '['),
  repeated('links in links', '[a]('),
  repeated('closed brackets', '[a]'),
  repeated('images', '![a](https://a.b/c.png)'),
  repeated('stars', '*'),
  repeated('emphasis', '**a *b '),
  repeated('emphasis that ends', '*a **b** c* '),
  repeated('strikes', '~~a ~'),
  counted('backticks', (i) => `${'`'.repeat((i % 200) + 1)}a`),
  counted('fences', (i) => `${'`'.repeat(3 + (i % 50))}\n`),
  repeated('fences in quotes', '```quote\n'),
  repeated('spoilers', '```spoiler a\n'),
  repeated('code of a language', '```python\nx = (((((\n'),
  repeated('code of all languages', '```\nclass <a href=x> {{ "{% /* \n'),
  counted('lists in lists', (i) => `${' '.repeat((i % 60) * 2)}* a\n`),
  repeated('numbers', '1. a\n'),
  repeated('table rows', '|a|b|\n|-|-|\n'),
  counted('a wide table', (i) => (i === 0 ? `${'|a'.repeat(1_500)}|\n${'|-'.repeat(1_500)}|\n` : '|x')),
  repeated('mentions', '@**subject 1** '),
  repeated('beginnings of mentions', '@**'),
  repeated('silent mentions', '@_**a|1** '),
  repeated('streams', '#**stream 1>topic** '),
  repeated('beginnings of streams', '#**a>'),
  repeated('mathematics', '$$\\frac{a}{'),
  repeated('mathematics that ends', '$$x^2$$ '),
  repeated('a block of mathematics', '```math\n\\sqrt{\\sqrt{'),
  repeated('emoji', ':smile: '),
  repeated('colons', ':a'),
  repeated('addresses with brackets', 'http://a.b/(('),
  repeated('bare addresses', 'https://example.com/a '),
  repeated('one address', 'https://a.b/?a=b&'),
  repeated('domains', 'a.com.'),
  repeated('mail addresses', 'a@b.c '),
  repeated('autolinks', '<http://a'),
  repeated('entities', '&amp;&#x41;&'),
  repeated('markup', '<b><!-- '),
  repeated('times', '<time:2020-01-01T00:00:00Z> '),
  repeated('linkifiers', '#xxxxxxxxx1 '),
  repeated('beginnings of linkifiers', '#xxxxxxxxxxxxxxxxxxxx'),
  repeated('headings', '# a\n'),
  repeated('underlines', 'a\n===\n'),
  repeated('definitions', '[a]: http://a.b\n'),
  repeated('references', '[a][a]'),
  repeated('commands', '/poll a\nb\n'),
  repeated('marks that combine', 'e\u0301\u0301\u0301'),
];

export const sample = <T>(random: Random, all: readonly T[], n: number): T[] => {
  const left = [...all];
  return Array.from({ length: Math.min(n, left.length) }, () => left.splice(random.below(left.length), 1)[0]!);
};
