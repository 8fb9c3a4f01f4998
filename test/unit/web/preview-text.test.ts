/** The line of a message in the inbox, from the HTML that the server makes of its Markdown. */
import fc from 'fast-check';
import t from 'tap';
import { renderMarkdown } from '#domain/markdown';
import { makePreviewText } from '../../../web/src/overviews/preview-text.js';

const previewOf = (markdown: string): string => makePreviewText(renderMarkdown(markdown).html);

t.test('a message is one line of plain text', async (t) => {
  t.equal(previewOf('**Bold**, *italic*, `code` & [a link](https://example.com)'), 'Bold, italic, code & a link');
  t.equal(previewOf('first\nsecond\n\n* third\n* fourth'), 'first second third fourth');
  t.equal(previewOf('a <b> & "c"'), 'a <b> & "c"');
  t.equal(previewOf('| a | b |\n|---|---|\n| 1 | 2 |'), 'a b 1 2');
  t.equal(previewOf('```js\nlet n = 1;\n```'), 'let n = 1;');
});

t.test('the content of a spoiler is not shown, and what comes after it is', async (t) => {
  t.equal(previewOf('```spoiler The ending\nEverybody **lives**.\n\n> really\n```\nWell?'), 'The ending Well?');
});

t.test('a formula is its source, once', async (t) => {
  t.equal(previewOf('error $$\\frac{1}{n}$$ cm'), 'error \\frac{1}{n} cm');
  t.equal(previewOf('```math\nx^2 < y\n```\nis it?'), 'x^2 < y is it?');
});

t.test('an emoji is its character, and one of the organization its name', async (t) => {
  t.equal(previewOf(':tada: done'), '🎉 done');
  t.equal(makePreviewText('<p><img alt=":boat:" class="emoji" src="/x.png" title="boat"> ahoy</p>'), ':boat: ahoy');
});

t.test('a poll is its question, and a list of tasks its title', async (t) => {
  t.equal(previewOf('/poll Lunch?\nPizza\nSalad'), '📊 Lunch?');
  t.equal(previewOf('/todo Before Friday'), '☑ Before Friday');
  t.equal(previewOf('/pollen'), '/pollen');
});

t.test('a long text is cut between characters', async (t) => {
  t.equal(makePreviewText(`<p>${'😀'.repeat(300)}</p>`), `${'😀'.repeat(199)}…`);
});

const PIECES = ['<p>', '</p>', '<br>', '<', '>', '</', '<span', '&amp;', '&lt;', '&', 'word', ' ', '\n', '"', '<img>'];

t.test('any text gives one line of bounded length', async () => {
  const html = fc.array(fc.constantFrom(...PIECES, '<div class="spoiler-content">', '</div>'), { maxLength: 60 });
  fc.assert(
    fc.property(html, (pieces) => {
      const text = makePreviewText(pieces.join(''));
      return [...text].length <= 200 && !/[\n\r\t]/.test(text);
    }),
  );
});
