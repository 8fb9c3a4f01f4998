import t from 'tap';
import {
  findTopicLinks,
  listOccurringAlertWords,
  MarkdownRenderError,
  makeRenderFailureHtml,
  renderContextFreeMarkdownOrEmpty,
  renderMarkdown,
} from '#domain/markdown';
import { makeImageProxyPath } from '#domain/pictures';
import { context } from './support.js';

const facts = (text: string) => renderMarkdown(text, context);
const preview = (url: string): string =>
  `<div class="message_inline_image"><a href="${url}"><img src="${url}"></a></div>`;

t.test('mentioned users and silently named users are two lists', async (t) => {
  const { mentions, silent } = facts('@**Iago** @_**King Hamlet** @*hamletcharacters* @**all**\n> @**Desdemona**');
  t.same(mentions, { users: [29], groups: [33], wildcard: true });
  t.same(silent, { users: [28, 27], groups: [], wildcard: false });
});

t.test('mentions in code, formulas, link texts and quotes do not count', async (t) => {
  for (const text of [
    '`@**Iago**`',
    '```\n@**Iago**\n```',
    '[@**Iago**](http://a.b)',
    '> @**all**',
    '```quote\n@*hamletcharacters*\n```',
  ]) {
    t.same(facts(text).mentions, { users: [], groups: [], wildcard: false }, text);
  }
});

t.test('mentions in spoilers, lists and bold text count', async (t) => {
  for (const text of ['```spoiler a\n@**Iago**\n```', '* @**Iago**', '| @**Iago** | b |\n|-|-|']) {
    t.same(facts(text).mentions.users, [29], text);
  }
});

t.test('each linked upload is found once', async (t) => {
  const path = '4/5f/abc/hello.txt';
  const { attachmentPaths, hasAttachment, hasLink, hasImage } = facts(
    `[a](/user_uploads/${path}) http://localhost:9991/user_uploads/${path} /user_uploads/4/5f/x/no.txt`,
  );
  t.same(attachmentPaths, [path]);
  t.ok(hasAttachment && hasLink && !hasImage);
  t.same(facts('[a](/user_uploads/temporary/x/y.txt)').attachmentPaths, []);
});

t.test('links and pictures are noticed', async (t) => {
  t.equal(facts('a').hasLink, false);
  t.equal(facts('#**Denmark**').hasLink, true);
  t.equal(facts('http://a.b/c.png').hasImage, true);
  t.equal(renderMarkdown('http://a.b/c.png').hasImage, false);
});

t.test('previews follow their paragraph, and replace it if it is only the link', async (t) => {
  const url = 'http://a.b/c.png';
  t.equal(facts(`a\n\n${url}\n\nb`).html, `<p>a</p>\n${preview(url)}<p>b</p>`);
  t.equal(facts(`a ${url}`).html, `<p>a <a href="${url}">${url}</a></p>\n${preview(url)}`);
  t.equal(facts(`* ${url}`).html, `<ul>\n<li>${preview(url)}</li>\n</ul>`);
  t.equal(facts(`* a ${url}`).html, `<ul>\n<li>a <a href="${url}">${url}</a>${preview(url)}</li>\n</ul>`);
});

t.test('there are no previews in quotes, twice, or beyond 24 addresses', async (t) => {
  const url = 'http://a.b/c.png';
  t.equal(facts(`> ${url}`).hasImage, false);
  t.equal(facts(`${url} ${url}`).html.match(/<img/g)?.length, 1);
  const many = (count: number): string => Array.from({ length: count }, (_, n) => `http://a.b/${n}.png`).join(' ');
  t.equal(facts(many(24)).html.match(/<img/g)?.length, 24);
  t.equal(facts(many(25)).hasImage, false);
});

t.test('pictures of other hosts go through the proxy, if there is one; links stay', async (t) => {
  const through = (url: string): string => makeImageProxyPath(url, 'secret') ?? '';
  const html = (text: string): string => renderMarkdown(text, { ...context, imageProxySecret: 'secret' }).html;
  const plain = (text: string): string => renderMarkdown(text, context).html;
  const sources = {
    'http://a.b/c.png': 'http://a.b/c.png',
    'https://github.com/a/b/blob/main/c.png': 'https://raw.githubusercontent.com/a/b/main/c.png',
    'https://www.youtube.com/watch?v=hx1mjT73xYE': 'https://i.ytimg.com/vi/hx1mjT73xYE/default.jpg',
    'http://localhost:9992/c.png': 'http://localhost:9992/c.png',
  };
  for (const [url, source] of Object.entries(sources)) {
    t.equal(html(url), plain(url).replace(`src="${source}"`, `src="${through(source)}"`), url);
    t.match(html(url), `src="/external_content/`, url);
  }
  for (const url of ['http://localhost:9991/c.png', '/c.png', '[a](/user_uploads/1/c.png)']) {
    t.equal(html(url), plain(url), `this organization's own: ${url}`);
  }
  t.match(html('[x](HTTPS://a.b/c.png)'), `src="${through('https://a.b/c.png')}"`);
  const long = `http://a.b/${'x'.repeat(3_500)}.png`;
  t.equal(html(long), `<p><a href="${long}">${long}</a></p>`, 'the proxy takes no address of that length');
});

t.test('a result that is too long is refused', async (t) => {
  t.throws(
    () => renderMarkdown('```math\n'.concat("x'".repeat(1900), '\n\n', "x'".repeat(1900), '\n```')),
    MarkdownRenderError,
  );
  t.match(makeRenderFailureHtml('Conclave'), '<p>[Conclave note: Sorry');
});

t.test('descriptions with formulas that may take long have no HTML', async (t) => {
  t.match(renderContextFreeMarkdownOrEmpty('a $$x$$'), 'katex');
  t.equal(renderContextFreeMarkdownOrEmpty(`a $$${'x'.repeat(250)}$$`), '');
  t.equal(renderContextFreeMarkdownOrEmpty('$$\\def\\a{x}\\a$$'), '');
});

t.test('links of topics come from linkifiers, then from addresses, in their order', async (t) => {
  const linkifiers = [
    { id: 2, pattern: '(?P<all>T-[0-9]+)', urlTemplate: 'https://u/{all}' },
    { id: 1, pattern: '#(?P<id>[0-9]+)', urlTemplate: 'https://t/{id}' },
  ];
  t.same(findTopicLinks('e.com/x, #12 and T-3', linkifiers), [
    { text: 'e.com/x', url: 'https://e.com/x' },
    { text: '#12', url: 'https://t/12' },
    { text: 'T-3', url: 'https://u/T-3' },
  ]);
  t.same(findTopicLinks('https://a.b/c! (x)', []), [{ text: 'https://a.b/c', url: 'https://a.b/c' }]);
  t.same(findTopicLinks('about nothing', []), []);
  t.same(findTopicLinks('\ud800 #1', linkifiers), [{ text: '#1', url: 'https://t/1' }]);
});

t.test('of overlapping links in a topic the first found stays', async (t) => {
  const linkifiers = [
    { id: 1, pattern: '(?P<a>ab c)', urlTemplate: 'https://1/{a}' },
    { id: 2, pattern: '(?P<a>c d)', urlTemplate: 'https://2/{a}' },
  ];
  t.same(findTopicLinks('ab c d', linkifiers), [{ text: 'ab c', url: 'https://1/ab%20c' }]);
});

t.test('alert words match between boundaries, ignoring case', async (t) => {
  const words = ['Foo', 'two words', 'c++'];
  t.same(listOccurringAlertWords('this foo is', words), ['Foo']);
  t.same(listOccurringAlertWords('FOO, two words! (c++)', words), ['Foo', 'two words', 'c++']);
  t.same(listOccurringAlertWords('`foo`', words), ['Foo']);
  t.same(listOccurringAlertWords('*foo* >foo', words), ['Foo']);
  for (const text of ['foobar', 'xfoo', 'foo-bar', '@foo']) t.same(listOccurringAlertWords(text, words), [], text);
  t.same(listOccurringAlertWords('anything', ['', 'thing']), []);
});
