/**
 * The text of a notification is the same whether the server pushes it or the web client makes it. The two programs
 * share no code, so the fact compares them.
 */
import fc from 'fast-check';
import t from 'tap';
import { renderMarkdown } from '#domain/markdown';
import { makePushTextBeforeSpoiler } from '#domain/push';
import { extractNotificationText } from '../../../web/src/notify/decide.js';
import { context } from '../markdown/support.js';

const PIECES = [
  ...['<p>', '</p>', '<br>', '&amp;', '&lt;', '&#39;', '&nbsp;', '&odd;', '😀', 'word', ' ', '\n', 'ä'],
  ...['<math>', '<annotation encoding="application/x-tex">', '</annotation>', '</math>'],
  ...['<span class="katex-html" aria-hidden="true">', '<span>', '</span>'],
  ...['<span aria-label="heart" class="emoji emoji-2764" role="img">', '<img alt=":zulip:" class="emoji" src="/z">'],
  '<a href="https://e.com/a.png">',
];

t.test('pushes of the server and notifications of the web client have the same text', async () => {
  const html = fc.array(fc.constantFrom(...PIECES, '<div class="spoiler-content">'), { maxLength: 400 });
  fc.assert(
    fc.property(
      html,
      (pieces) => extractNotificationText(pieces.join('')) === makePushTextBeforeSpoiler(pieces.join('')),
    ),
  );
});

t.test('a formula is shown once, as its source', async (t) => {
  const { html } = renderMarkdown('so $$x^2 < y$$ and\n```math\n\\sqrt{a}\n```\nend');
  t.match(html, /katex-html/);
  for (const extract of [extractNotificationText, makePushTextBeforeSpoiler])
    t.equal(extract(html), 'so x^2 < y and \\sqrt{a} end');
});

t.test('the text has no blanks of its own, emoji are characters, and a lone picture is its address', async (t) => {
  const cases: [string, string][] = [
    ['**Hello**, foo**bar**baz `f("x")`', 'Hello, foobarbaz f("x")'],
    ['- a\n- b\n\n> c\n\nd\ne', 'a b c d e'],
    ['yes :octopus: :flag_germany: :zulip:', 'yes 🐙 🇩🇪 :zulip:'],
    ['https://e.com/a.png', 'https://e.com/a.png'],
  ];
  for (const [markdown, text] of cases) {
    const { html } = renderMarkdown(markdown, { ...context, inlineImages: true });
    for (const extract of [extractNotificationText, makePushTextBeforeSpoiler]) t.equal(extract(html), text);
  }
});

t.test('a long text is cut between characters', async (t) => {
  t.equal(extractNotificationText('😀'.repeat(300)), `${'😀'.repeat(239)}…`);
});
