import fc from 'fast-check';
import katex from 'katex';
import t from 'tap';
import { renderMarkdown } from '#domain/markdown';
import { findCodeLanguageByFenceName, listFenceLanguageNames } from '../../../src/domain/markdown/languages.js';
import { faultIn } from './html-check.js';

const html = (text: string): string => renderMarkdown(text).html;

const code = (text: string, attrs = ''): string =>
  `<div class="codehilite"${attrs}><pre><span></span><code>${text}\n</code></pre></div>`;

t.test('headings need a space, and lose the marks at their end', async (t) => {
  t.equal(html('# a ##'), '<h1>a</h1>');
  t.equal(html('###### a\nb'), '<h6>a</h6>\n<p>b</p>');
  t.equal(html('#a'), '<p>#a</p>');
  t.equal(html('####### a'), '<p>####### a</p>');
});

t.test('underlined headings, references, definitions and pictures are not supported', async (t) => {
  t.equal(html('a\n==='), '<p>a<br>\n===</p>');
  t.equal(html('[a][b]'), '<p>[a][b]</p>');
  t.equal(html('_a_ __b__'), '<p>_a_ __b__</p>');
  t.equal(html('- [ ] a'), '<ul>\n<li>[ ] a</li>\n</ul>');
});

t.test('rules are lines of three marks or more', async (t) => {
  for (const line of ['---', '***', '___', '- - -', '-----', '  ***  ']) t.equal(html(line), '<hr>', line);
  t.equal(html('a\n---\nb'), '<p>a</p>\n<hr>\n<p>b</p>');
  t.equal(html('--'), '<p>--</p>');
});

t.test('bullets mix in one list, and nest by two blanks', async (t) => {
  t.equal(html('* a\n- b\n+ c'), '<ul>\n<li>a</li>\n<li>b</li>\n<li>c</li>\n</ul>');
  t.equal(html('* a\n  * b'), '<ul>\n<li>a<ul>\n<li>b</li>\n</ul>\n</li>\n</ul>');
});

t.test('numbers begin where the first item begins', async (t) => {
  t.equal(html('3. A\n9. B'), '<ol start="3">\n<li>A</li>\n<li>B</li>\n</ol>');
  t.equal(html('1. A\n7. B'), '<ol>\n<li>A</li>\n<li>B</li>\n</ol>');
});

t.test('a blank line between items makes them paragraphs', async (t) => {
  t.equal(html('* a\n\n* b'), '<ul>\n<li>\n<p>a</p>\n</li>\n<li>\n<p>b</p>\n</li>\n</ul>');
});

t.test('further lines of an item keep their indent', async (t) => {
  t.equal(html('* a\n  b'), '<ul>\n<li>a<br>\n  b</li>\n</ul>');
});

t.test('a blank line ends a quote, and the next begins a new one', async (t) => {
  t.equal(html('> a\n\n> b'), '<blockquote>\n<p>a</p>\n</blockquote>\n<blockquote>\n<p>b</p>\n</blockquote>');
  t.equal(html('>'), '<p>&gt;</p>');
  t.equal(html('> a\n>\n> b'), '<blockquote>\n<p>a</p>\n<p>b</p>\n</blockquote>');
});

t.test('quote fences keep several paragraphs together', async (t) => {
  t.equal(html('```quote\na\n\nb\n```\nc'), '<blockquote>\n<p>a</p>\n<p>b</p>\n</blockquote>\n<p>c</p>');
  t.equal(
    html('```quoted\n```python\nx\n```\n```'),
    `<blockquote>\n${code('x', ' data-code-language="Python"')}\n</blockquote>`,
  );
});

t.test('code without a language has entities for quotes, with one it has not', async (t) => {
  t.equal(html('```\n"a" \'b\' &amp; <\n```'), code('&quot;a&quot; &#39;b&#39; &amp;amp; &lt;'));
  t.equal(html('```nosuch\n"a" \'b\'\n```'), code('"a" \'b\'', ' data-code-language="nosuch"'));
  t.equal(html('    "a"'), code('&quot;a&quot;'));
});

t.test('languages have display names', async (t) => {
  for (const [name, display] of [
    ['py2', 'Python 2.x'],
    ['tex', 'TeX'],
    ['latex', 'TeX'],
    ['PYTHON', 'Python'],
    ['text', 'Text only'],
    ['NoSuch', 'nosuch'],
  ] as const) {
    t.match(html(`\`\`\`${name}\nx\n\`\`\``), `data-code-language="${display}"`, name);
  }
});

t.test('every language named in a fence can be shown', async (t) => {
  const source = 'a = "b" + 1 // <c> </c> # d\n/* e */ def f(g) { return "#{h}" } <?php $x ?>\n';
  for (const name of listFenceLanguageNames()) {
    const shown = html(`\`\`\`${name}\n${source}\`\`\``);
    t.ok(
      shown.startsWith(`<div class="codehilite" data-code-language="${findCodeLanguageByFenceName(name)?.display}">`),
      name,
    );
    t.equal(faultIn(shown), null, name);
  }
});

t.test('the default language applies where none is named, but not in spoilers', async (t) => {
  const with_ = (text: string): string => renderMarkdown(text, { defaultCodeLanguage: 'nosuch' }).html;
  t.equal(with_('```\nx\n```'), code('x', ' data-code-language="nosuch"'));
  t.match(with_('```quote\n~~~\nx\n~~~\n```'), 'data-code-language="nosuch"');
  t.notMatch(with_('```spoiler\n~~~\nx\n~~~\n```'), 'data-code-language');
  t.equal(with_('```text\nx\n```'), code('x', ' data-code-language="Text only"'));
});

t.test('a first line that names a language colours the code and stays', async (t) => {
  t.equal(html('```\n:::python\nTrue\n```'), code(':::python\n<span class="kc">True</span>'));
});

t.test('empty fences are nothing, unclosed ones go to the end', async (t) => {
  t.equal(html('a\n```\n```\nb'), '<p>a</p>\n<p>b</p>');
  t.equal(html('~~~\na'), code('a'));
  t.equal(html('```quote\na'), '<blockquote>\n<p>a</p>\n</blockquote>');
});

t.test('a closing fence may have blanks behind it, and must be as long as the opening one', async (t) => {
  t.equal(html('```\na\n```  \nb'), `${code('a')}\n<p>b</p>`);
  t.equal(html('````\na\n```\n````'), code('a\n```'));
});

t.test('a fence ends the block before it, with or without blank lines between them', async (t) => {
  const cells = (tag: string, ...texts: string[]): string =>
    `<tr>\n${texts.map((text) => `<${tag}>${text}</${tag}>\n`).join('')}</tr>\n`;
  const before = {
    '* a\n* b': '<ul>\n<li>a</li>\n<li>b</li>\n</ul>',
    '* a\n  * b': '<ul>\n<li>a<ul>\n<li>b</li>\n</ul>\n</li>\n</ul>',
    '* a\n\n* b': '<ul>\n<li>\n<p>a</p>\n</li>\n<li>\n<p>b</p>\n</li>\n</ul>',
    '3. a': '<ol start="3">\n<li>a</li>\n</ol>',
    '| a | b |\n|---|---|\n| 1 | 2 |':
      `<table>\n<thead>\n${cells('th', 'a', 'b')}</thead>\n` + `<tbody>\n${cells('td', '1', '2')}</tbody>\n</table>`,
    '> a': '<blockquote>\n<p>a</p>\n</blockquote>',
    '# a': '<h1>a</h1>',
    '---': '<hr>',
    '    a': code('a'),
    a: '<p>a</p>',
  };
  const fences = {
    '```\nx\n```': code('x'),
    '```quote\nx\n```': '<blockquote>\n<p>x</p>\n</blockquote>',
    '```spoiler\nx\n```':
      '<div class="spoiler-block"><div class="spoiler-header">\n</div>' +
      '<div class="spoiler-content" aria-hidden="true">\n<p>x</p>\n</div></div>',
    '```math\n\\bad{\n```': '<p><span class="tex-error">\\bad{</span></p>',
  };
  const quoted = (shown: string): string => `<blockquote>\n${shown}\n</blockquote>`;
  for (const [block, shown] of Object.entries(before)) {
    for (const [fence, inner] of Object.entries(fences)) {
      for (const blanks of ['\n', '\n\n', '\n\n\n', '\n  \n']) {
        t.equal(html(block + blanks + fence), `${shown}\n${inner}`, JSON.stringify(block + blanks + fence));
        t.equal(html(fence + blanks + block), `${inner}\n${shown}`, JSON.stringify(fence + blanks + block));
        const within = `~~~quote\n${block}${blanks}${fence}${blanks}~~~`;
        t.equal(html(within), quoted(`${shown}\n${inner}`), JSON.stringify(within));
      }
    }
    for (const blanks of ['', '\n', '\n\n']) {
      t.equal(html(block + blanks), shown, `${JSON.stringify(block + blanks)} at the end of the text`);
      t.equal(html(`~~~quote\n${block}${blanks}\n~~~`), quoted(shown), `${JSON.stringify(block)} in a quote`);
    }
  }
});

t.test('blanks at the ends of code lines go, those before the text stay', async (t) => {
  t.equal(html('```\na  \n  b\t\n   \nc\n```'), code('a\n  b\n\nc'));
  t.equal(html('```nosuch\na \n b \n```'), code('a\n b', ' data-code-language="nosuch"'));
  t.equal(html('```quote\n~~~\na \nb\n~~~\n```'), `<blockquote>\n${code('a\nb')}\n</blockquote>`);
  t.equal(html('`a `'), '<p><code>a </code></p>', 'inline code keeps them');
});

t.test('spoilers without a header have an empty one', async (t) => {
  t.equal(
    html('```spoiler\na\n```'),
    '<div class="spoiler-block"><div class="spoiler-header">\n</div>' +
      '<div class="spoiler-content" aria-hidden="true">\n<p>a</p>\n</div></div>',
  );
});

t.test('formulas that cannot be typeset are shown as source', async (t) => {
  t.equal(html('```math\n\\bad{\n```'), '<p><span class="tex-error">\\bad{</span></p>');
  t.match(
    html('```math\nx\n\ny\n```'),
    /^<p><span class="katex-display">.*<br>\n<span class="katex-display">.*<\/p>$/s,
  );
});

t.test('a formula may define macros', async (t) => {
  const typeset = (formula: string): string => html(`$$${formula}$$`).replace(/<annotation.*<\/annotation>/, '');
  const sameAs = (formula: string, plain: string): void => void t.equal(typeset(formula), typeset(plain));
  sameAs('\\newcommand{\\R}{\\mathbb{R}}f:\\R\\to\\R', 'f:\\mathbb{R}\\to\\mathbb{R}');
  sameAs('\\newcommand\\norm[1]{\\|#1\\|}\\norm{x+y} \\norm z', '\\|x+y\\| \\|z\\|');
  sameAs('\\def\\d#1#2{\\frac{\\partial #1}{\\partial #2}}\\d{u}t', '\\frac{\\partial u}{\\partial t}');
  sameAs('\\def\\a{\\alpha}\\def\\b{\\a b}\\b c\\a c', '\\alpha bc\\alpha c');
  sameAs('\\providecommand{\\a}{x}\\renewcommand{\\a}{y}\\a', 'y');
  sameAs('\\def\\a{x}\\providecommand{\\a}[1]{y}\\a', 'x');
  sameAs('\\newcommand{\\n}{10}\\frac1\\n', '\\frac1{10}');
  sameAs('\\newcommand{\\ab}{a+b}\\frac\\ab2', '\\frac{a+b}2');
  sameAs('\\def\\x{1}{\\def\\x{2}\\x}\\x', '{2}1');
});

t.test('the number of parameters of a macro may have spaces around it, or come from a macro', async (t) => {
  const typeset = (formula: string): string => html(`$$${formula}$$`).replace(/<annotation.*<\/annotation>/, '');
  for (const count of ['[ 2 ]', '[2 ]', '[ 2]', '[02]', '[\\two]'])
    t.equal(typeset(`\\def\\two{2}\\newcommand{\\c}${count}{#2^#1}\\c{x}{y}`), typeset('y^x'), count);
  for (const count of ['[ ]', '[1 1]', '[x]', '[-1]', '[ 1', '[99999999]'])
    t.match(html(`$$\\newcommand{\\c}${count}{#1}\\c{x}$$`), 'class="tex-error"', count);
});

t.test('a formula with macros has the same meaning as in KaTeX, or is shown as source', async (t) => {
  const pieces = [
    ...[
      '\\a',
      '\\b',
      '\\c',
      '\\d',
      '\\a',
      '\\b',
      '{',
      '}',
      '{',
      '}',
      '[',
      ']',
      '^',
      '_',
      ' ',
      '1',
      'x',
      '+',
      '#1',
      "'",
    ],
    ...[
      '\\frac',
      '\\sqrt',
      '\\sum',
      '\\dots',
      '\\overline',
      '\\text{',
      '\\boxed{',
      '\\neq',
      '\\\\',
      '\\left(',
      '\\right)',
    ],
    ...[
      '\\def\\a{',
      '\\def\\b#1{',
      '\\newcommand{\\c}[2]{',
      '\\newcommand{\\c}[ 1 ]{',
      '\\renewcommand\\d{',
      '\\providecommand\\a{',
      '\\newcommand*',
    ],
  ];
  const definitions = fc.constantFrom('\\def\\a{12}\\def\\b#1{x#1+#1}', '\\newcommand\\c[2]{#2^#1}\\def\\d{\\a\\b}');
  const formulas = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 12 }).map((some) => some.join(''));
  const isSameOrSource = (definition: string, other: string, formula: string): void => {
    const source = `${definition}${other}${formula}`;
    const shown = html(`\`\`\`math\n${source}\n\`\`\``);
    if (shown.includes('class="tex-error"')) return;
    const plain = katex.renderToString(source, { displayMode: true, throwOnError: false, strict: 'ignore' });
    if (!plain.includes('class="katex-error"')) t.equal(shown, `<p>${plain}</p>`, source);
  };
  fc.assert(fc.property(definitions, definitions, formulas, isSameOrSource), { numRuns: 1_000 });
});

t.test('a line break of a formula does not make a command of the letters behind it', async (t) => {
  for (const word of ['def', 'let', 'show', 'long', 'global', 'newcommand', 'a@b'])
    t.notMatch(html(`$$\\begin{matrix}abc\\\\${word}\\end{matrix}$$`), 'class="tex-error"', word);
  for (const formula of ['\\\\\\let\\a=x', '\\verb\\x\\\\let\\a=x', '\\verb*\\x\\\\let\\a=x'])
    t.match(html(`$$${formula}$$`), 'class="tex-error"', formula);
});

t.test('a formula whose macros produce much is shown as source', async (t) => {
  const formulas = [
    `\\def\\a{${'x'.repeat(100)}}${'\\a '.repeat(50)}`,
    `\\newcommand{\\a}[1]{#1#1}${'\\a{'.repeat(12)}x${'}'.repeat(12)}`,
    '\\def\\a{\\a}\\a',
    `\\bra@ket{}{${'x'.repeat(100)}}{}{}{${'|'.repeat(100)}}`,
    ...[
      '\\let\\a=\\frac',
      '\\gdef\\a{x}',
      '\\edef\\a{x}',
      '\\global\\def\\a{x}',
      '\\def\\a[#1]{x}',
      '\\def\\a',
      '\\def\\a{x',
    ],
    '\\newcommand{\\a}[1]{#1def\\b{x}}\\a\\',
    `\\def\\a#1{{{{{{#1}}}}}}${'\\a{'.repeat(20)}x${'}'.repeat(20)}`,
  ];
  for (const formula of formulas) t.match(html(`$$${formula}$$`), 'class="tex-error"', formula);
});

t.test('a formula writes nothing to the output of the server', async (t) => {
  const { logged, errors } = { logged: t.capture(console, 'log'), errors: t.capture(console, 'error') };
  for (const formula of ['\\message{x}', '\\errmessage{x}', '\\show\\frac'])
    t.match(html(`$$${formula}$$`), 'class="tex-error"');
  t.same([...logged(), ...errors()], []);
});

t.test('table cells keep pipes in code', async (t) => {
  t.match(html('a | `b|c`\n:-- | --:\n1 | 2'), '<th style="text-align: left;">a</th>');
  t.match(html('a | `b|c`\n:-- | --:\n1 | 2'), '<th style="text-align: right;"><code>b|c</code></th>');
});

t.test('containers nest up to a limit, with the rest as text', async (t) => {
  const nested = html(Array.from({ length: 90 }, (_, depth) => `${'>'.repeat(depth + 1)} a`).join('\n'));
  t.ok((nested.match(/<blockquote>/g)?.length ?? 0) < 60);
});

t.test('empty text is empty HTML', async (t) => {
  t.equal(html(''), '');
  t.equal(html(' \n\t\n'), '');
});
