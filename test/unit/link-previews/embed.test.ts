/** Heads of pages, links of messages, and the HTML of previews: examples, and hostile pages as properties. */
import fc from 'fast-check';
import { Parser } from 'htmlparser2';
import t from 'tap';
import { findPageUrlsToPreview, makeLinkPreviewHtml } from '#domain/link-previews';
import { parseWebPageHead } from '../../../src/domain/link-previews/page-head.js';
import { ANY_CODE_POINT } from '../../support/any-text.js';

const PAGE = new URL('https://example.com/news/today');

t.test('the head of a page gives title, description and picture, Open Graph first', (t) => {
  const html = `<!doctype html><html><head><title>Plain</title>
    <meta name="description" content="plain text">
    <meta property="og:title" content="Open &amp; graph"><meta property="og:description" content=" two
    lines ">
    <meta property="og:image" content="../pictures/a.png"></head><body><meta property="og:title" content="late"></body>`;
  t.same(parseWebPageHead(html, PAGE), {
    title: 'Open & graph',
    description: 'two lines',
    image: 'https://example.com/pictures/a.png',
  });
  t.same(parseWebPageHead('<title>Only a title</title>', PAGE), { title: 'Only a title', description: '', image: '' });
  t.equal(parseWebPageHead('<p>no head</p>', PAGE), undefined);
  t.equal(parseWebPageHead('<body><title>behind the head</title>', PAGE), undefined);
  t.end();
});

t.test('a long title is cut between characters', (t) => {
  const title = `<title>${'a'.repeat(198)}😀zzzz</title>`;
  t.equal(parseWebPageHead(title, PAGE)?.title, `${'a'.repeat(198)}😀…`);
  t.end();
});

t.test('long texts are cut, and pictures have plain addresses of the web', (t) => {
  const head = (image: string) =>
    parseWebPageHead(
      `<title>${'t'.repeat(999)}</title><meta name=description content="${'d '.repeat(999)}">
      <meta property="og:image" content="${image}">`,
      PAGE,
    )!;
  t.same([head('x.png').title.length, head('x.png').description.length], [200, 500]);
  for (const image of ['javascript:alert(1)', 'data:image/png;base64,AAAA', 'https://a:b@example.com/x', 'http://[']) {
    t.equal(head(image).image, '', image);
  }
  t.equal(head(`https://example.com/${'x'.repeat(3_000)}`).image, '');
  t.end();
});

t.test('links of the text get a preview, those of quotes and of shown pictures do not', (t) => {
  const link = (url: string): string => `<a href="${url}">${url}</a>`;
  const found = (html: string, content = ''): readonly string[] =>
    findPageUrlsToPreview({ html, content }, 'https://chat.example.com');
  t.same(found(`<p>${link('https://a.example/')} and ${link('https://b.example/x?a=1&amp;b=2')}</p>`), [
    'https://a.example/',
    'https://b.example/x?a=1&b=2',
  ]);
  t.same(found(`<blockquote><p>${link('https://a.example/')}</p></blockquote>`), []);
  t.same(found(`<p>${link('https://chat.example.com/#narrow/is/starred')}</p>`), [], 'links of this organization');
  t.same(found(`<p>${link('/user_uploads/1/x.txt')} ${link('mailto:a@example.com')}</p>`), []);
  const picture = `<div class="message_inline_image"><a href="https://a.example/p.png"><img src="x"></a></div>`;
  t.same(found(`<p>${link('https://a.example/p.png')}</p>${picture}`), []);
  t.same(found(`<p>${link('https://a.example/')}</p>`, 'see <https://a.example/>'), [], 'in angle brackets');
  const many = Array.from({ length: 9 }, (_, i) => link(`https://${i}.example/`));
  t.equal(found(`<p>${many.join(' ')} ${many[0]}</p>`).length, 5);
  t.end();
});

t.test('a shown preview adds no links', (t) => {
  const url = 'https://a.example/';
  const preview = makeLinkPreviewHtml({ url, title: 'A', description: 'B', image: 'https://a.example/p.png' });
  t.same(findPageUrlsToPreview({ content: url, html: `<p><a href="${url}">${url}</a></p>\n${preview}` }, ''), []);
  t.end();
});

t.test('nothing of a hostile page becomes an element or an attribute of the preview', (t) => {
  const hostile = fc.oneof(
    fc.string(),
    fc.constantFrom('"><script>x</script>', '</a><img src=x onerror=x>', '&quot;)', "');x:url('", '\u202e</div>'),
  );
  fc.assert(
    fc.property(hostile, hostile, hostile, (title, description, path) => {
      const image = new URL(`/p${path.replace(/[?#]/g, '')}`, PAGE).href;
      const elements: string[] = [];
      const parser = new Parser({
        onopentag: (tag, attributes) => elements.push(`${tag} ${Object.keys(attributes).sort().join(' ')}`.trim()),
      });
      parser.end(makeLinkPreviewHtml({ url: PAGE.href, title: title || 'x', description: description || 'x', image }));
      t.same(elements, ['div class', 'a class href style', 'div class', 'div class', 'a href title', 'div class']);
      const style = /style="background-image: url\(&quot;([^"]*)&quot;\)"/.exec(
        makeLinkPreviewHtml({ url: PAGE.href, title: 'x', description: '', image }),
      );
      t.notMatch(style![1], /["'()\\\s]/);
    }),
    { numRuns: 100 },
  );
  t.end();
});

t.test('any text can be read as a page', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: ANY_CODE_POINT, maxLength: 300 }), (html) => {
      const head = parseWebPageHead(html, PAGE);
      return head === undefined || (head.title !== '' && head.title.length <= 200);
    }),
    { numRuns: 300 },
  );
  t.end();
});
