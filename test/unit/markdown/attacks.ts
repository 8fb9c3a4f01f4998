/** Texts of the maximum length that try to make rendering slow, deep or large. */

export const MAX_LENGTH = 10_000;

const REPEATED = [
  ...['[', '](', '[a](', '[[a](', '![', '[a](b "', "[a](b '", '[](', '[x](http://a.b) ', '(', '((', '))'],
  ...['`', '``', '` ', '`a``b```c````', 'a`b\\`', '\\', '\\\\`'],
  ...['*', '**', '***', '* ', '*a', '**a', '***a', 'a*b', '~~', '~~a', '~', '_', '__'],
  ...['> ', '>', '>\n', '> \n', '>a\n', '> > ', '#', '# ', '# #', '#\n', '####x'],
  ...['-', '- ', '-\n', '- a\n', '* a\n\n', '  - a\n', '1. ', '1. a\n', '- a\n  - b\n', '- - - ', '* * * x', '---x\n'],
  ...['|', '|-', 'a|', '|a|b|\n|-|-|\n', '\n', '\n\n', ' ', '    ', '    a\n', ' \n', '\t', '\t\n', '-\t', ':-:'],
  ...['```\n', '```a\n', '~~~\n', '```quote\n', '```spoiler a\n', '```math\nx\n```\n', '```python\nx\n```\n'],
  ...['@>>>', 'ḗ', '\\bmod ', '\\TeX '],
  ...['$$', '$$a', '$$a$$ ', '$$x^{', '\\frac{', "x'", '{\\over}', '\\sqrt{x}'],
  ...['@**', '@**a', '@**a** ', '@_**', '@*', '#**', '#**a>', '#**a>b** ', '@**King Hamlet** '],
  ...['<time:', '<time:1> ', '<time:May 1 2020> ', ':smile:', ':a', ':a:b', ':', ':)', ': )', '😀', '\u200d', '漢'],
  ...['http://', 'http://a.b ', 'http://a(', ',a.com/(', ',a.com,', 'a.com ', 'a.', 'a@', 'a@b.', '.a@', ':a:a.com'],
  ...['http://a.b/x.png ', 'https://youtu.be/abcdefgh ', 'http://a.b/((((((', 'bitcoin:1', 'file:///', 'x:'],
  ...['<', '&', '&amp;', '&#', '#123 ', 'aaaa ', '"a"', "'", '\0', '\u0002', '\u00021\u0003', '[ref]: http://x.y\n'],
];

const fill = (piece: string, length: number): string => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

const FRAMES: readonly ((piece: string) => string)[] = [
  (piece) => fill(piece, MAX_LENGTH),
  (piece) => `${fill(piece, MAX_LENGTH - 3)}x*)`,
  (piece) => fill(`${piece}\n`, MAX_LENGTH),
  (piece) => `> ${fill(piece, MAX_LENGTH - 2)}`,
  (piece) => `* ${fill(piece, MAX_LENGTH - 2)}`,
  (piece) => `|a|b|\n|-|-|\n${fill(piece, MAX_LENGTH - 14)}`,
  (piece) => `[${fill(piece, MAX_LENGTH - 20)}](http://x.y)`,
  (piece) => `**${fill(piece, MAX_LENGTH - 4)}**`,
  (piece) => `\`\`\`math\n${fill(piece, 4_000)}\n\n${fill(piece, 4_000)}\n\`\`\``,
  (piece) => `\`\`\`python\n${fill(piece, 4_900)}\n\`\`\`\n\`\`\`c++\n${fill(piece, 4_900)}\n\`\`\``,
];

const nested = (open: string, close: string, times: number): string => open.repeat(times) + close.repeat(times);

const STRUCTURES: readonly string[] = [
  Array.from({ length: 99 }, (_, depth) => `${'  '.repeat(depth)}* a\n`).join(''),
  Array.from({ length: 99 }, (_, depth) => `${'>'.repeat(depth)} a\n`).join(''),
  nested('```quote\n', '```\n', 700),
  Array.from({ length: 90 }, (_, depth) => `${'`'.repeat(depth + 3)}quote\n`)
    .reverse()
    .join(''),
  nested('[', '](http://a.b)', 700),
  nested('$$\\frac{1}{', '}$$', 700),
  `$$${nested('{', '}', 2_000)}$$`,
  `$$${nested('\\sqrt{', '}', 500)}$$`,
  `$$${nested('\\left(', '\\right)', 300)}$$`,
  `|${'a|'.repeat(2_000)}\n|${'-|'.repeat(2_000)}\n${'|\n'.repeat(900)}`,
  '$$\\def\\a{xxxxxxxxxx}\\def\\b{\\a\\a\\a\\a\\a\\a\\a\\a}\\def\\c{\\b\\b\\b\\b\\b\\b\\b\\b}\\c\\c\\c\\c\\c\\c\\c\\c$$',
  '$$\\def\\a{\\a\\a}\\a$$',
  `$$\\def\\a{${'x'.repeat(900)}}${'\\a '.repeat(350)}$$`,
  `$$\\newcommand{\\a}[1]{#1#1}${nested('\\a{', '}', 90)}$$`,
  `$$\\bra@ket{}{${'x'.repeat(900)}}{}{}{${'|'.repeat(900)}}$$`,
  Array.from({ length: 600 }, (_, n) => `[${n}]: http://a.b/${n}\n[${n}][${n}]`)
    .join('\n')
    .slice(0, MAX_LENGTH),
];

export function attacks(): { readonly name: string; readonly text: string }[] {
  return [
    ...REPEATED.flatMap((piece) =>
      FRAMES.map((frame, index) => ({ name: `${JSON.stringify(piece)} in frame ${index}`, text: frame(piece) })),
    ),
    ...STRUCTURES.map((text, index) => ({ name: `structure ${index}`, text })),
  ];
}
