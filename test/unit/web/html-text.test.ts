/** Plain text of descriptions, and marks of an edit, from HTML that the server makes of Markdown. */
import t from 'tap';
import { escapeHtml } from '#base';
import { renderMarkdown } from '#domain/markdown';
import { renderHtmlWordDiff } from '../../../src/domain/messages/presenting/html-diff.js';
import { extractPlainText } from '../../../web/src/core/index.js';
import { markHtmlChanges } from '../../../web/src/messages/later/changes.js';

const htmlOf = (markdown: string): string => renderMarkdown(markdown).html;
const markedEdit = (before: string, after: string): string =>
  markHtmlChanges(renderHtmlWordDiff(htmlOf(before), htmlOf(after)));

t.test('the description of a stream is one line without Markdown', async (t) => {
  const cases: [string, string][] = [
    ['All **[Pläne](https://example.com/a)** & `code`', 'All Pläne & code'],
    ['first\nsecond\n\n* third', 'first second third'],
    [':ship: a < b', '🚢 a < b'],
    ['', ''],
  ];
  for (const [markdown, text] of cases) t.equal(extractPlainText(htmlOf(markdown)), text);
  t.equal(
    extractPlainText(`<p>${escapeHtml(`It's "open" & <free>`)}</p>`),
    `It's "open" & <free>`,
    'escaped by the server',
  );
});

t.test('words that an edit inserts and deletes are ins and del', async (t) => {
  const html = markedEdit('on **Friday**, with <b>', 'on **Monday**, with <i>');
  t.match(html, '<strong><ins class="change">Monday</ins> <del class="change">Friday</del> </strong>');
  t.match(html, '<ins class="change">&lt;i&gt;</ins> <del class="change">&lt;b&gt;</del>');
  t.notMatch(html, 'highlight_text');
});

t.test('an inserted emoji is within the mark, since its text is replaced by its character', async (t) => {
  t.match(markedEdit('a', 'a :ship:'), /<ins class="change"><span [^>]*emoji-1f6a2[^>]*>:ship:<\/span><\/ins>/);
});

t.test('strikethrough is no mark of an edit', async (t) => {
  t.match(markedEdit('~~old~~ a', '~~old~~ b'), '<del>old</del>');
});
