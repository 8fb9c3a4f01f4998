/**
 * A notification has the same text and tag whether the server pushes it or the web client shows it. The two programs
 * share no code, so these tests compare them.
 */
import fc from 'fast-check';
import t from 'tap';
import { renderMarkdown } from '#domain/markdown';
import { makeBrowserPushMessage, makePushTextBeforeSpoiler, type PushedMessage } from '#domain/push';
import { toUserId } from '#model';
import type { DirectoryView } from '#model/records';
import { extractNotificationText, makeNotificationTag } from '../../../web/src/notify/decide.js';
import { context } from '../markdown/support.js';

const PIECES = [
  ...['<p>', '</p>', '<br>', '&amp;', '&lt;', '&#39;', '&nbsp;', '&odd;', '😀', 'word', ' ', '\n', 'ä'],
  ...['<math>', '<annotation encoding="application/x-tex">', '</annotation>', '</math>'],
  ...['<span class="katex-html" aria-hidden="true">', '<span>', '</span>'],
  ...['<span aria-label="heart" class="emoji emoji-2764" role="img">', '<img alt=":zulip:" class="emoji" src="/z">'],
  ...['\u0007', '\u001b'],
  '<a href="https://e.com/a.png">',
];

/** The push of a message to a browser, with the longest name, text and id. */
function pushOf(message: Partial<PushedMessage>) {
  const directory = { preferencesOf: () => ({ settings: {} }) } as unknown as DirectoryView;
  const whole: PushedMessage = {
    id: Number.MAX_SAFE_INTEGER,
    sender: 9,
    senderName: '😀'.repeat(100),
    sent: 1_790_000_000,
    stream: 0,
    streamName: '',
    topic: '',
    others: [],
    recipient: 4_294_967_295,
    text: makePushTextBeforeSpoiler('😀'.repeat(300)),
    ...message,
  };
  return makeBrowserPushMessage(whole, toUserId(1), directory, true);
}

/** Bytes left for the content of a push of 4,096: its header has 86, its delimiter 1 and its tag 16. */
const MAX_PUSH_PAYLOAD_BYTES = 4_096 - 103;
/** Ids of a group as large as one call can name. */
const GROUP = Array.from({ length: 20_000 }, (_, i) => 1_000_000 + i);

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

t.test('a push with the longest texts to the largest group is not too large for push services', async (t) => {
  const long = { stream: 4_294_967_295, streamName: '😀'.repeat(60), topic: '😀'.repeat(60) };
  const pushes: readonly Partial<PushedMessage>[] = [
    { others: GROUP },
    { others: GROUP.slice(0, 50) },
    long,
    { ...long, text: makePushTextBeforeSpoiler('\u0001a'.repeat(240)) },
    { ...long, topic: 'İ'.repeat(60) },
  ];
  for (const push of pushes) t.ok(Buffer.byteLength(JSON.stringify(pushOf(push))) <= MAX_PUSH_PAYLOAD_BYTES);
});

t.test('server and web client give a conversation the same notification tag, and each group another one', (t) => {
  for (const users of [[2], [2, 3], GROUP.slice(0, 60)]) {
    t.equal(pushOf({ others: users, recipient: 77 }).tag, makeNotificationTag({ users }, 77));
  }
  t.equal(pushOf({ stream: 5, topic: 'Lunch' }).tag, makeNotificationTag({ stream: 5, topic: 'Lunch' }, 77));
  t.not(pushOf({ others: [2, 3], recipient: 77 }).tag, pushOf({ others: [2, 4], recipient: 78 }).tag);
  t.end();
});
