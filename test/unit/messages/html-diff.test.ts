import fc from 'fast-check';
import t from 'tap';
import { listMessageVersionsForApi, type MessageBody } from '#domain/messages';
import { renderHtmlWordDiff } from '../../../src/domain/messages/presenting/html-diff.js';

const ins = (text: string): string => `<span class="highlight_text_inserted">${text}</span> `;
const del = (text: string): string => `<span class="highlight_text_deleted">${text}</span> `;

t.test('inserted words come before the words that they replace', (t) => {
  t.equal(
    renderHtmlWordDiff('<p>dm by id</p>', '<p>dm edited</p>'),
    `<div><p>dm ${ins('edited')}${del('by id')}</p></div>`,
    'as recorded',
  );
  t.equal(renderHtmlWordDiff('<p>a</p>', '<p>a</p>'), '<div><p>a</p></div>');
  t.equal(renderHtmlWordDiff('<p>a b</p>', '<p>a</p>'), `<div><p>a${del('b')}</p></div>`);
  t.equal(renderHtmlWordDiff('', '<p>a</p>'), `<div><p>${ins('a')}</p></div>`);
  t.equal(renderHtmlWordDiff('<p>a</p>', ''), `<div>${del('a')}</div>`);
  t.end();
});

t.test('tags of the new text are kept, tags of the old text are dropped', (t) => {
  t.equal(
    renderHtmlWordDiff('<p><em>old</em> word</p>', '<p><strong>new</strong> word</p>'),
    `<div><p><strong>${ins('new')}</strong> ${del('old')} word</p></div>`.replace('</strong> <', '</strong><'),
  );
  t.end();
});

t.test('for any texts, the tags are those of the new text in order, and no words are lost', (t) => {
  const word = fc.constantFrom('a', 'b', 'c', '&lt;script&gt;', '&amp;', '🙂');
  const html = fc
    .array(
      fc.oneof(
        word,
        word.map((text) => `<em>${text}</em>`),
      ),
      { maxLength: 30 },
    )
    .map((words) => `<p>${words.join(' ')}</p>`);
  const tags = (text: string): string[] => (text.match(/<[^>]*>/g) ?? []).filter((tag) => !/^<\/?(span|div)/.test(tag));
  const words = (text: string): string[] =>
    text
      .replace(/<[^>]*>/g, ' ')
      .split(/\s+/)
      .filter((one) => one !== '');
  fc.assert(
    fc.property(html, html, (before, after) => {
      const diff = renderHtmlWordDiff(before, after);
      t.same(tags(diff), tags(after));
      const kept = diff.replace(/<span class="highlight_text_deleted">[^<]*<\/span>/g, '');
      t.same(words(kept), words(after));
    }),
  );
  t.end();
});

t.test('two long texts with nothing in common are diffed in bounded time', (t) => {
  const long = (prefix: string): string =>
    `<p>${Array.from({ length: 5_000 }, (_, i) => `${prefix}${i}`).join(' ')}</p>`;
  const diff = renderHtmlWordDiff(long('a'), long('b'));
  t.ok(diff.includes('highlight_text_inserted') && diff.includes('highlight_text_deleted'));
  t.end();
});

t.test('a history is computed backwards from the present version', (t) => {
  const body = {
    content: 'c',
    html: '<p>c</p>',
    topic: 'two',
    sent: 10,
    edits: [
      { user: 2, at: 30, content: { raw: 'b', html: '<p>b</p>' } },
      { user: 1, at: 20, topic: { from: 'one', to: 'two' }, stream: { from: 5, to: 6 } },
    ],
  } as unknown as MessageBody;
  t.same(listMessageVersionsForApi({ id: 1, sender: 1, participants: [], originStream: 5, body }), [
    { content: 'b', rendered_content: '<p>b</p>', timestamp: 10, topic: 'one', user_id: 1 },
    {
      content: 'b',
      rendered_content: '<p>b</p>',
      timestamp: 20,
      topic: 'two',
      user_id: 1,
      prev_topic: 'one',
      prev_stream: 5,
      stream: 6,
    },
    {
      content: 'c',
      rendered_content: '<p>c</p>',
      timestamp: 30,
      topic: 'two',
      user_id: 2,
      prev_content: 'b',
      prev_rendered_content: '<p>b</p>',
      content_html_diff: `<div><p>${ins('c')}${del('b')}</p></div>`,
    },
  ]);
  t.end();
});
