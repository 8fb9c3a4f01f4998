import t from 'tap';
import { findTopicLinks, renderMarkdown } from '#domain/markdown';
import { context } from './support.js';

const html = (text: string, more = {}): string =>
  renderMarkdown(text, { ...context, inlineImages: false, ...more }).html;
const line = (text: string, more = {}): string => html(text, more).replace(/^<p>|<\/p>$/g, '');

t.test('entities of the author stay, other ampersands are escaped', async (t) => {
  t.equal(line('& &amp; &amp;amp;'), '&amp; &amp; &amp;amp;');
});

t.test('code keeps everything in it, and a backslash prevents it', async (t) => {
  t.equal(line('` @**Iago** :smile: `'), '<code> @**Iago** :smile: </code>');
  t.equal(line('`&amp;`'), '<code>&amp;amp;</code>');
  t.equal(line('\\`a`'), '\\`a`');
  t.equal(line('`a\nb`'), '<code>a\nb</code>');
});

t.test('stars need text between them, on one line', async (t) => {
  t.equal(line('* a *'), '<ul>\n<li>a *</li>\n</ul>');
  t.equal(line('x * a *'), 'x * a *');
  t.equal(line('*a\nb*'), '*a<br>\nb*');
  t.equal(line('**a *b* `c`**'), '<strong>a <em>b</em> <code>c</code></strong>');
  t.equal(line('~~a b~~ ~~~a~~~'), '<del>a b</del> ~~~a~~~');
});

t.test('mentions need a boundary before them', async (t) => {
  const hamlet = '<span class="user-mention" data-user-id="28">@King Hamlet</span>';
  for (const before of ['', 'a ', '(', '[', '{', '/', '"', "'"])
    t.equal(line(`${before}@**king hamlet**`), before + hamlet);
  t.equal(line('a@**King Hamlet**'), 'a@<strong>King Hamlet</strong>');
});

t.test("an id in a mention needs the user's present name, or none", async (t) => {
  t.match(line('@_**|29**'), '<span class="user-mention silent" data-user-id="29">Iago</span>');
  t.equal(line('@**Hamlet|28**'), '@<strong>Hamlet|28</strong>');
});

t.test('a mention of a name that several users have means the first', async (t) => {
  const usersNamed = (): { id: number; name: string }[] => [
    { id: 9, name: 'Iago' },
    { id: 3, name: 'Iago' },
  ];
  t.match(line('@**Iago**', { usersNamed }), 'data-user-id="3"');
});

t.test('wildcard names precede a user of that name', async (t) => {
  t.match(line('@**all**', { usersNamed: () => [{ id: 9, name: 'all' }] }), 'data-user-id="*"');
  t.equal(line('@**All**'), '@<strong>All</strong>');
});

t.test('topic links encode everything but letters and digits', async (t) => {
  t.match(line('#**Denmark>a b.c**'), 'href="/#narrow/stream/9-Denmark/topic/a.20b.2Ec"');
  t.match(line("#**Denmark>é!'()%~**"), '/topic/.C3.A9.21.27.28.29.25~"');
});

t.test('link texts are taken literally', async (t) => {
  t.equal(line('[**a** `b` :smile:](http://e.com)'), '<a href="http://e.com">**a** `b` :smile:</a>');
  t.equal(line('[ ](http://e.com)'), '<a href="http://e.com">http://e.com</a>');
  t.equal(line('[a](http://e.com/x_(y) "t (")'), '<a href="http://e.com/x_(y)" title="t (">a</a>');
  t.equal(line('[a](e.com)'), '<a href="http://e.com">a</a>');
  t.equal(line('[a](b@e.com)'), '<a href="mailto:b@e.com">a</a>');
  t.equal(line('[a](foo:bar)'), '[a](foo:bar)');
});

t.test('bare links end before punctuation, with balanced parentheses', async (t) => {
  t.equal(line('http://a.b/c.'), '<a href="http://a.b/c">http://a.b/c</a>.');
  t.equal(line('http://a.b/(c)'), '<a href="http://a.b/(c)">http://a.b/(c)</a>');
  t.equal(line('(http://a.b/c)'), '(<a href="http://a.b/c">http://a.b/c</a>)');
  t.equal(line('"http://a.b/c"?'), '"<a href="http://a.b/c">http://a.b/c</a>"?');
  t.equal(line('xhttp://a.b'), 'xhttp://a.b');
});

t.test('file names are not linked as domains', async (t) => {
  for (const name of ['a.py', 'README.md', 'x.zip', 'Main.java', 'a.mov', 'a.nosuchtld']) t.equal(line(name), name);
  t.equal(line('e.com/x'), '<a href="http://e.com/x">e.com/x</a>');
});

t.test('bitcoin addresses are links; file addresses only when allowed', async (t) => {
  const bitcoin = 'bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa';
  t.equal(line(bitcoin), `<a href="${bitcoin}">${bitcoin}</a>`);
  t.equal(line('file:///x'), 'file:///x');
  t.equal(line('file:///x', { fileLinks: true }), '<a href="file:///x">file:///x</a>');
});

t.test('addresses of the own organization are linked relative', async (t) => {
  t.match(line('[a](http://localhost:9991/user_uploads/4/x.txt)'), 'href="user_uploads/4/x.txt"');
  t.match(line('http://localhost:9991/about'), 'href="http://localhost:9991/about"');
});

t.test('linkifiers touch neither links nor code, and need boundaries', async (t) => {
  const linkifiers = [{ id: 1, pattern: '#(?P<id>[0-9]+)', urlTemplate: 'https://t/{id}' }];
  const a = (id: number): string => `<a href="https://t/${id}">#${id}</a>`;
  t.equal(line('#1 #2,#3', { linkifiers }), `${a(1)} ${a(2)},${a(3)}`);
  t.equal(line('`#1` [#1](http://e.com)', { linkifiers }), '<code>#1</code> <a href="http://e.com">#1</a>');
  t.equal(line('x#1 #1x', { linkifiers }), 'x#1 #1x');
  t.equal(line('**#1**', { linkifiers }), '<strong>#1</strong>');
});

t.test('templates expand by their operators', async (t) => {
  const linkifiers = [{ id: 1, pattern: 'q:(?P<q>\\S+)', urlTemplate: 'https://t/{+q}{?q}' }];
  t.match(line('q:a/b', { linkifiers }), 'href="https://t/a/b?q=a%2Fb"');
});

t.test('a linkifier that looks far ahead for short matches makes few links, a usual one makes all', async (t) => {
  const linksWith = (pattern: string, text: string): number =>
    line(text, { linkifiers: [{ id: 1, pattern, urlTemplate: 'https://t/{id}' }] }).split('<a ').length - 1;
  t.equal(linksWith('#(?P<id>[0-9]+)', '#1 '.repeat(500)), 500);
  const few = linksWith('(?P<id>a(?:.{0,1}){200}b|a)', 'a '.repeat(1_000));
  t.ok(few > 0 && few < 100, `${few}`);
  const inParagraphs = linksWith('(?P<id>a(?:.{0,1}){200}b|a)', `${'a '.repeat(100)}\n\n`.repeat(20));
  t.ok(inParagraphs < 2_000, `paragraphs share the budget: ${inParagraphs}`);
});

t.test('each of 150 linkifiers makes its link, and a long pattern makes 150 links in one text', async (t) => {
  const issue = '(?P<org>[a-z0-9-]{1,39})/(?P<repo>[a-z0-9._-]{1,100})';
  const urlTemplate = 'https://t/{org}/{repo}/{id}';
  const linkifiers = Array.from({ length: 150 }, (_, id) => {
    return { id, pattern: `${issue}#(?P<id>[0-9]+)x${id}`, urlTemplate };
  });
  const missing = linkifiers.filter(({ id }) => !line(`see abc/def#12x${id}`, { linkifiers }).includes('<a '));
  t.same(missing, []);
  const text = Array.from({ length: 150 }, (_, i) => `org/repo#${i + 1}`).join(' ');
  const one = { id: 1, pattern: `${issue}#(?P<id>[0-9]{1,8})`, urlTemplate };
  t.equal(line(text, { linkifiers: [one] }).split('<a ').length - 1, 150);
});

t.test(
  'a match is no link if the template cuts one of its characters in half, and other matches are links',
  async (t) => {
    const linkifiers = [{ id: 1, pattern: 'T(?P<x>\\S+)', urlTemplate: 'https://t/{x:1}' }];
    t.equal(line('T𝒳b Tab', { linkifiers }), 'T𝒳b <a href="https://t/a">Tab</a>');
    t.same(findTopicLinks('T𝒳b Tab', linkifiers), [{ text: 'Tab', url: 'https://t/a' }]);
  },
);

t.test('unusable linkifiers change nothing', async (t) => {
  const linkifiers = [
    { id: 1, pattern: '(', urlTemplate: 'https://t/' },
    { id: 2, pattern: 'x', urlTemplate: 'javascript:alert(1)' },
  ];
  t.equal(line('( x', { linkifiers }), '( x');
});

t.test('emoticons are translated only for authors with that setting', async (t) => {
  const translateEmoticons = true;
  t.match(line(':)', { translateEmoticons }), 'emoji-1f642');
  t.match(line('(<3)', { translateEmoticons }), 'emoji-2764');
  t.equal(line('a:) :)b', { translateEmoticons }), 'a:) :)b');
  t.equal(line('`:)`', { translateEmoticons }), '<code>:)</code>');
  t.equal(line(':)'), ':)');
});

t.test('both names of the product emoji give the configured one', async (t) => {
  const productEmoji = { name: 'conclave', url: '/c.png' };
  const image = '<img alt=":conclave:" class="emoji" src="/c.png" title="conclave">';
  t.equal(line(':conclave: :zulip:', { productEmoji }), `${image} ${image}`);
});

t.test('custom emoji hide Unicode ones', async (t) => {
  const customEmoji = (name: string): { name: string; url: string } => ({ name, url: '/x.png' });
  t.equal(line(':smile:', { customEmoji }), '<img alt=":smile:" class="emoji" src="/x.png" title="smile">');
});

t.test('text is rendered without any context', async (t) => {
  t.equal(
    renderMarkdown('@**Iago** #**Denmark** **b**').html,
    '<p>@<strong>Iago</strong> #<strong>Denmark</strong> <strong>b</strong></p>',
  );
});
