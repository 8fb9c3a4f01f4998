/** The official mobile client of today can show what the server renders (docs/api/levels.md). */
import t from 'tap';
import type { JsonObject } from '#base';
import { translatorOfLevel } from '#domain/levels';
import { makeLinkPreviewHtml } from '#domain/link-previews';
import { renderMarkdown } from '#domain/markdown';
import { unreadableMarkup } from '../../support/current-client-markup.js';
import { context, recorded } from './support.js';

const newest = translatorOfLevel(371)!;
const CLIENT = { takesEmptyTopicName: true };

const contentFor = (html: string): string =>
  newest.translateMessage({ content: html, content_type: 'text/html', reactions: [], submessages: [] }, CLIENT)
    .content as string;
const render = (content: string): string => renderMarkdown(content, { ...context, newerMentions: true }).html;

/** Code that each grammar parts in its own way. */
const CODE: Readonly<Record<string, string>> = {
  python:
    '@a\nclass B(C):\n    """doc"""\n    def f(self, x=1.5):\n        return f"a{x!r}" if None else r"\\d"  # c\n',
  js: 'const a = `x` + b; /** @type {A} */ class B extends C { #d = /e/g; async f() { await g?.(1n) } }',
  ts: 'type A<T> = { readonly [k in keyof T]?: string };\nenum B { C = "d" }\ninterface D extends E {}',
  html: '<!doctype html><a href="x" class=y>&amp;<script>let a = "b";</script><style>p { color: #fff }</style><!-- c -->',
  css: '@media (max-width: 1px) { a:hover > .b#c::before { content: "\\201C"; width: calc(1px + 2%) } }',
  rust: "#[derive(Debug)]\nfn f<'a>(x: &'a str) -> Option<u8> { println!(\"{}\", x); Some(b'\\n') }",
  sql: "select count(*) as n from t where a = 'b' and c is null -- d",
  bash: '#!/bin/sh\nfor a in "$@"; do echo "$a" | grep -v \'b\' >/dev/null; done # c',
  json: '{"a": [1, true, null, "b\\n"]}',
  yaml: 'a: &x\n  - "b"\n  - !!int 3 # c\n',
  diff: '--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n',
  markdown: '# a\n*b* **c** `d` [e](f)\n> g\n- h\n',
  php: '<?php function f(array $a = []): ?string { return "b {$a[0]}"; } ?><p>c</p>',
  java: "@Override public final <T> int f(String... a) throws B { return a.length > 0 ? 0x1F : 'c'; }",
  go: 'package a\nimport "b"\nfunc (x *T) F() (int, error) { return 0, nil }\n',
  'c++': '#include <a>\ntemplate <typename T> auto f(T&& x) -> decltype(x) { return R"(b)" + 1; }',
  ruby: 'module A\n  def b(c: :d, **e) = "#{c} f"\n  @g ||= %w[h i]\nend\n',
  latex: '\\documentclass{a}\n\\begin{b} $c^2$ % d\n\\end{b}',
  dockerfile: 'FROM a AS b\nRUN echo "c" && d\n',
};

t.test('the recorded answers', async (t) => {
  for (const { content } of recorded()) t.same(unreadableMarkup(contentFor(render(content))), [], content.slice(0, 60));
});

t.test('code of many languages', async (t) => {
  for (const [language, code] of Object.entries(CODE)) {
    const html = render(`\`\`\`${language}\n${code}\n\`\`\``);
    t.match(html, '<span class="', `${language} is colored`);
    t.same(unreadableMarkup(contentFor(html)), [], language);
  }
});

t.test('lists, quotes, tables and spoilers in each other', async (t) => {
  for (const content of [
    '1. a\n\n   b\n2. c\n   * d\n   * e',
    '* a\n\n* b **c** `d`\n  * e',
    '> a\n> * b\n> 1. c\n\n> # d',
    '```quote\n| a | b |\n|:--|--:|\n| **c** | ~~d~~ |\n```',
    '```spoiler a *b*\n```python\n1\n```\n* c\n```',
    '````spoiler\n```quote\n```math\nx\n```\n```\n````',
    '* https://example.com/a.png\n* b',
    'a\n---\nb\n***\nc',
    '@**all** @_**all** @**channel** @**topic** @**Iago** @*hamletcharacters* #**Verona** #**Verona>a b**',
    '<time:2023-05-28T12:00:00Z> <time:never> $$x$$ $$\\frac{$$ :smile: :green_tick: :zulip: 😀',
  ])
    t.same(unreadableMarkup(contentFor(render(content))), [], content);
});

t.test('links that the client opens itself, in the forms that it writes', async (t) => {
  for (const [content, href] of [
    ['#**Verona**', '/#narrow/stream/7-Verona'],
    ['#**Verona>a b/c (d).%**', '/#narrow/stream/7-Verona/topic/a.20b.2Fc.20.28d.29.2E.25'],
    ['#**Verona>✔ Ж**', '/#narrow/stream/7-Verona/topic/.E2.9C.94.20.D0.96'],
    ['[text](#narrow/channel/7-Verona)', '#narrow/channel/7-Verona'],
    ['[text](/#narrow/channel/7-Verona/topic/a.20b/near/3)', '/#narrow/channel/7-Verona/topic/a.20b/near/3'],
    ['http://localhost:9991/#narrow/channel/7-Verona/topic/a/near/3', '#narrow/channel/7-Verona/topic/a/near/3'],
    ['http://localhost:9991/#narrow/dm/1,2-dm/near/4', '#narrow/dm/1,2-dm/near/4'],
    ['[a.pdf](/user_uploads/1/x/a.pdf)', '/user_uploads/1/x/a.pdf'],
    ['https://elsewhere.example/#narrow/stream/7-Verona', 'https://elsewhere.example/#narrow/stream/7-Verona'],
    ['someone@example.com', 'mailto:someone@example.com'],
  ] as const) {
    const html = render(content);
    t.match(html, `href="${href}"`, content);
    t.same(unreadableMarkup(contentFor(html)), [], content);
  }
});

t.test('pictures have a preview, and videos only on YouTube', async (t) => {
  const shown = (content: string): readonly string[] =>
    [...render(content).matchAll(/<div class="([^"]*)"><a [^>]*><img src="[^"]+"><\/a><\/div>/g)].map(
      ([, kind]) => kind!,
    );
  for (const [content, kinds] of [
    ['https://example.com/a.png', ['message_inline_image']],
    [
      '[a.png](/user_uploads/1/x/a.png) and https://example.com/b.jpg',
      ['message_inline_image', 'message_inline_image'],
    ],
    ['* https://youtu.be/hx1mjT73xYE', ['youtube-video message_inline_image']],
    ['https://www.youtube.com/watch?v=hx1mjT73xYE', ['youtube-video message_inline_image']],
    ['https://example.com/a.mp4 https://example.com/a.mp3 https://vimeo.com/123456', []],
    ['[a.mp4](/user_uploads/1/x/a.mp4)', []],
  ] as const) {
    t.same(shown(content), kinds, content);
    t.same(unreadableMarkup(contentFor(render(content))), [], content);
  }
});

t.test('displayed formulas of one block are separated by a blank line', async (t) => {
  const html = render('```math\na\n\nb\n\nc\n```');
  t.equal(html.match(/<\/span><br>\n<span class="katex-display">/g)?.length, 2, 'at the base level');
  t.not(unreadableMarkup(html).length, 0, 'which the client can not show');
  const shown = contentFor(html);
  t.equal(shown, html.replaceAll('<br>\n', '\n\n'));
  t.same(unreadableMarkup(shown), []);
  const event = (rendered_content: string): JsonObject => ({ type: 'update_message', flags: [], rendered_content });
  t.same(newest.translateEvent(event(html), CLIENT), event(shown));
  t.same(newest.translateAnswer('render-message', { rendered: html }, CLIENT), { rendered: shown });
  const source = { content: html, content_type: 'text/x-markdown', reactions: [], submessages: [] };
  t.equal(newest.translateMessage(source, CLIENT).content, html, 'the source of a message stays');
  const answer = (content: string): Uint8Array[] => [Buffer.from(JSON.stringify({ messages: [{ content }] }))];
  t.ok(newest.mayChangeAnswer('get-messages', answer(html)));
  t.notOk(newest.mayChangeAnswer('get-messages', answer(shown)));
});

t.test('parts of a block that are no valid TeX are paragraphs, wherever they stand', async (t) => {
  const [good, bad] = ['x^2', '\\frac{'];
  const fence = (parts: readonly string[]): string => render(`\`\`\`math\n${parts.join('\n\n')}\n\`\`\``);
  const formula = fence([good]).slice('<p>'.length, -'</p>'.length);
  const invalid = fence([bad]).slice('<p>'.length, -'</p>'.length);
  t.match(formula, /^<span class="katex-display">/);
  t.equal(invalid, '<span class="tex-error">\\frac{</span>');
  for (const [parts, paragraphs] of [
    [
      [bad, good],
      [invalid, formula],
    ],
    [
      [good, bad],
      [formula, invalid],
    ],
    [
      [bad, bad, good, good],
      [invalid, invalid, `${formula}\n\n${formula}`],
    ],
    [
      [good, good, bad, good],
      [`${formula}\n\n${formula}`, invalid, formula],
    ],
  ] as const) {
    const html = fence(parts);
    t.not(unreadableMarkup(html).length, 0, 'the client can not show the paragraph of the base level');
    const shown = contentFor(html);
    t.equal(shown, paragraphs.map((content) => `<p>${content}</p>`).join('\n'));
    t.same(unreadableMarkup(shown), []);
    const stored = Buffer.from(JSON.stringify({ messages: [{ content: html }] }));
    t.ok(newest.mayChangeAnswer('get-messages', [stored]), 'answers with it are translated');
  }
  for (const content of [
    fence([bad, bad]),
    render('$$\\frac{$$\n$$\\frac{$$ $$x$$\n$$y$$'),
    render('a\n\n$$\\frac{$$\nb'),
  ])
    t.equal(contentFor(content), content, 'paragraphs without displayed formulas stay');
  const around = `<p>a<br>\nb</p>\n${fence([bad, good])}\n<p>c</p>`;
  t.equal(contentFor(around), `<p>a<br>\nb</p>\n<p>${invalid}</p>\n<p>${formula}</p>\n<p>c</p>`);
});

t.test('previews of pages have a picture', async (t) => {
  const page = { url: 'https://example.com/a?b=c&d', title: 'A "b" <c>', description: 'd <div></div> e' };
  const image = 'https://example.com/p("1").png';
  const text = '<p>see</p>';
  for (const description of ['', page.description]) {
    const whole = [text, makeLinkPreviewHtml({ ...page, description, image })].join('\n');
    t.same(unreadableMarkup(whole), []);
    t.equal(contentFor(whole), whole);
    const plain = makeLinkPreviewHtml({ ...page, description, image: '' });
    t.not(unreadableMarkup(plain).length, 0, 'the client can not show one without');
    t.equal(contentFor([text, plain].join('\n')), text);
    t.equal(contentFor([whole, plain, plain].join('\n')), whole, 'others stay');
    const stored = Buffer.from(JSON.stringify({ messages: [{ content: `${text}\n${plain}` }] }));
    t.ok(newest.mayChangeAnswer('get-messages', [stored]), 'answers with it are translated');
  }
});

t.test('markup that the client can not show is told', async (t) => {
  const picture = '<a class="message_embed_image" href="x" style="background-image: url(&quot;x&quot;)"></a>';
  for (const html of [
    'text',
    '<p class="x">a</p>',
    '<p><b>a</b></p>',
    '<p><span class="user-mention">@a</span></p>',
    '<p><span class="user-mention channel" data-user-id="5">@a</span></p>',
    '<div class="codehilite"><pre><span></span><code><span>a</span></code></pre></div>',
    '<div class="codehilite"><pre><span></span><code><span class="hll">a</span></code></pre></div>',
    '<table><thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n</tbody>\n</table>',
    '<ul><li>a</li> </ul>',
    '<p><img alt="x" class="emoji big" src="/x"></p>',
    '<div class="message_inline_image"><img src="x"></div>',
    '<div class="message_inline_image"><a href="x"><img src="x"></a><a href="y"><img src="y"></a></div>',
    '<div class="message_inline_image message_inline_video"><a href="x"><video src="x"></video></a></div>',
    '<p><a href="">a</a></p>',
    '<p><a class="stream" href="/elsewhere">a</a></p>',
    '<p><a class="big" href="/x">a</a></p>',
    '<div class="message_embed"></div>',
    `<div class="message_embed">${picture}</div>`,
    `<div class="message_embed">${picture}<div class="data-container"><b>x</b></div></div>`,
    `<div class="message_embed">${picture}<div class="data-container"><div class="message_embed_title">x</div></div></div>`,
    '<p><span class="katex"><span class="katex-mathml"></span><span class="katex-html"></span></span></p>',
    render('$$x$$').replace('<math ', '<math display="block" '),
    render('```math\nx\n```').replace(' display="block"', ''),
    render('```math\nx\n```').replace('</p>', '\n</p>'),
    render('```math\nx\n```').replace('application/x-tex', 'tex'),
    render('```math\nx\n```').replace('<span class="katex">', '<span class="katex"><span></span>'),
  ])
    t.not(unreadableMarkup(html).length, 0, html);
});
