/** Full-text search: words, queries and highlighting, with random texts (narrow.md § Full-text search). */
import fc from 'fast-check';
import t from 'tap';
import { formatSearchMatchForApi, type StoredMessage } from '#domain/messages';
import {
  escapeAndHighlightSearchWords,
  highlightSearchWordsInHtml,
} from '../../../src/domain/messages/search/highlight.js';
import {
  indexedWordStemsOfMessage,
  isMessageMatchingSearch,
  parseSearchQuery,
} from '../../../src/domain/messages/search/query.js';
import { stemOfWordOrEmpty } from '../../../src/domain/messages/search/words.js';
import { ANY_CODE_POINT } from '../../support/any-text.js';
import { rounds } from '../../support/rounds.js';

const message = (html: string, topic = '', content = ''): StoredMessage =>
  ({ id: 1, sender: 8, participants: [], originStream: 1, body: { html, topic, content, stream: 1 } }) as never;
const finds = (query: string, html: string, topic = '', content = html): boolean =>
  isMessageMatchingSearch(parseSearchQuery(query), message(html, topic, content));

t.test('words match by their stem, in any order, in text and topic', async (t) => {
  t.ok(finds('running', '<p>She runs</p>'));
  t.ok(finds('DIE', '<p>dying</p>'));
  t.ok(finds('milk tea', '<p>tea with <em>milk</em></p>'));
  t.ok(finds('milk tea', '<p>tea</p>', 'Milk'));
  t.notOk(finds('milk tea', '<p>tea</p>'));
  t.notOk(finds('milk', '<p>milkshake</p>'), 'whole words only');
  t.ok(finds('naïve', '<p>NAÏVE</p>'));
  t.ok(finds('ｆｕｌｌ', '<p>full</p>'), 'compatibility forms are the same word');
  t.ok(finds('foo-bar', '<p>bar foo</p>'), 'punctuation separates words');
  t.ok(finds("usurp'st", '<p>thou usurp&#39;st</p>'));
});

t.test('tags, attributes and entities are not searched', async (t) => {
  const html = '<p><a href="https://hidden.example/word" title="a > b">seen</a> &amp; &nbsp; x&lt;y</p>';
  t.ok(finds('seen', html));
  for (const hidden of ['hidden', 'href', 'word', 'title', 'amp', 'nbsp', 'lt']) t.notOk(finds(hidden, html), hidden);
});

t.test('stop words are ignored; a search of only stop words finds nothing', async (t) => {
  t.equal(stemOfWordOrEmpty('The'), '');
  t.ok(finds('the milk', '<p>milk</p>'));
  t.notOk(finds('the', '<p>the</p>'));
  t.notOk(finds('"to be"', '<p>to be</p>'));
  t.notOk(finds('!?', '<p>!?</p>'));
});

t.test('a quoted phrase must occur literally, in the raw text or the topic', async (t) => {
  const raw = '**Green** tea, 100%_sure';
  const html = '<p><strong>Green</strong> tea, 100%_sure</p>';
  t.ok(finds('"green** TEA"', html, '', raw));
  t.notOk(finds('"green tea"', html, '', raw), 'the raw text has asterisks between them');
  t.ok(finds('"green tea"', html, 'All about Green Tea', raw));
  t.notOk(finds('"1__%"', html, '', raw), 'no wildcards');
  t.ok(finds('sure "tea, 100%" green', html, '', raw));
  t.ok(finds('green "', html, '', raw), 'an unpaired quote is ignored');
});

t.test('words of a formula are not marked, as a tag would end it', async (t) => {
  const formula = '<math><mi>kiwi</mi><annotation encoding="application/x-tex">kiwi^2</annotation></math>';
  const mark = (html: string): string => highlightSearchWordsInHtml(html, new Set(['kiwi']));
  const kiwi = '<span class="highlight">kiwi</span>';
  t.equal(
    mark(`kiwi ${formula} kiwi ${formula}${formula} kiwi`),
    `${kiwi} ${formula} ${kiwi} ${formula}${formula} ${kiwi}`,
  );
  t.equal(mark('kiwi <math>kiwi'), `${kiwi} <math>kiwi`);
});

t.test('found words are marked in the text only', async (t) => {
  const { stems } = parseSearchQuery('hello verona');
  const marked = highlightSearchWordsInHtml(
    '<p>Hello <strong title="hello">Veronas</strong> hello&amp;bye</p>',
    new Set(stems),
  );
  t.equal(
    marked,
    '<p><span class="highlight">Hello</span> <strong title="hello"><span class="highlight">Veronas</span></strong> <span class="highlight">hello</span>&amp;bye</p>',
  );
  t.equal(
    escapeAndHighlightSearchWords(`<b> "hello" & 'x'`, new Set(stems)),
    '&lt;b&gt; &quot;<span class="highlight">hello</span>&quot; &amp; &#x27;x&#x27;',
  );
  t.same(formatSearchMatchForApi({ html: '<p>a</p>', topic: 'a<b' }, []), {
    match_content: '<p>a</p>',
    match_subject: 'a&lt;b',
  });
});

const word = fc.constantFrom('hello', 'Hello', 'tea', 'the', 'ſs', '日本', '😀', '\ud800', '\0', 'İ', 'ﷺ', 'a\u0301');
const piece = fc.oneof(
  word,
  fc.string({ unit: ANY_CODE_POINT, maxLength: 6 }),
  fc.constantFrom(
    '<',
    '>',
    '"',
    "'",
    '&',
    '&amp;',
    '&hello;',
    '<a title="hello >">',
    "<b x='hello'>",
    '</a>',
    ' ',
    '<!--',
    '&#',
    ';',
  ),
);
const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
const SPANS = /<span class="highlight">|<\/span>/g;

t.test('for any text, marking only adds spans', async () => {
  fc.assert(
    fc.property(text, text, (html, query) => {
      const stems = new Set(parseSearchQuery(query).stems);
      const marked = highlightSearchWordsInHtml(html, stems);
      if (marked.replaceAll(SPANS, '') !== html.replaceAll(SPANS, '')) throw new Error(`changed: ${marked}`);
      const subject = escapeAndHighlightSearchWords(html, stems);
      if (/[<>"']/.test(subject.replaceAll(SPANS, ''))) throw new Error(`not escaped: ${subject}`);
      // Each mark encloses exactly one word.
      for (const part of marked.split('<span class="highlight">').slice(1)) {
        if (!/^[\p{L}\p{N}\p{M}]+<\/span>/u.test(part)) throw new Error(`not a word: ${part}`);
      }
    }),
    { numRuns: rounds(700, 2_000) },
  );
});

t.test('marks are never inside a tag', async () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(word, word), { maxLength: 8 }), word, (pairs, query) => {
      const plain = (of: string) => of.replace(/[<>&"]/g, '');
      const html = pairs.map(([a, b]) => `<a title="${plain(a)} > '">${plain(b)}</a>`).join(' ');
      const marked = highlightSearchWordsInHtml(html, new Set(parseSearchQuery(query).stems));
      for (const tag of marked.match(/<a title="[^"]*">/g) ?? []) {
        if (!html.includes(tag)) throw new Error(`a tag was changed: ${tag}`);
      }
      if ((marked.match(/<a title="[^"]*">/g) ?? []).length !== pairs.length) throw new Error(`lost a tag: ${marked}`);
    }),
  );
});

t.test('hostile texts take no longer than others of their length, and give few stems', async (t) => {
  const length = 400_000;
  const texts = ['<', '&', '"', '<a "', '&a', 'a', 'a ', '\u0301', 'é', '<b>&', "<'", '&#1', 'ﷺ', '<p>x'].map((of) =>
    of.repeat(Math.ceil(length / of.length)),
  );
  for (const html of texts) {
    const stems = indexedWordStemsOfMessage(message(html, html.slice(0, 60)).body);
    t.ok(stems.size <= 1_000);
    for (const stem of stems) t.ok(stem.length <= 64 && !/[\ud800-\udfff]/u.test(stem), 'short and well-formed');
    t.equal(typeof highlightSearchWordsInHtml(html, new Set(['a'])), 'string');
    t.equal(typeof parseSearchQuery(html.slice(0, 20_000)).stems.length, 'number');
  }
  const many = Array.from({ length: 5_000 }, (_, i) => `w${i}x`).join(' ');
  t.equal(indexedWordStemsOfMessage(message(many).body).size, 1_000, 'the number of stems is limited');
});
