import t from 'tap';
import { convertMailHtmlToText, convertMessageHtmlForMail } from '#domain/notifications';

const ORIGIN = 'https://chat.example.com';
const shown = (html: string): string =>
  convertMessageHtmlForMail(html, {
    origin: ORIGIN,
    hiddenSpoiler: '(Hidden text. Open the conversation to read it.)',
  });

t.test('links become absolute, and only addresses that mail programs open are kept', async (t) => {
  t.equal(shown('<p><a href="/#narrow/stream/1-a">a</a></p>'), `<p><a href="${ORIGIN}/#narrow/stream/1-a">a</a></p>`);
  t.equal(shown('<a href="#scheduled">s</a>'), `<a href="${ORIGIN}/#scheduled">s</a>`);
  t.equal(shown('<a href="https://x.example/?a=1&amp;b=2">x</a>'), '<a href="https://x.example/?a=1&amp;b=2">x</a>');
  t.equal(shown('<a href="javascript:alert(1)">x</a>'), '<a>x</a>');
  t.equal(shown('<a href="//evil.example/">x</a>'), '<a>x</a>');
});

t.test('attributes and unknown elements go, their text stays', async (t) => {
  t.equal(shown('<p class="x" onclick="y">a <time datetime="z">noon</time></p>'), '<p>a noon</p>');
  t.equal(shown('<span class="user-mention" data-user-id="8">@Ada</span>'), '<span>@Ada</span>');
  t.equal(shown('a &lt;script&gt; b'), 'a &lt;script&gt; b');
});

t.test('the text of a spoiler is hidden', async (t) => {
  const spoiler =
    '<div class="spoiler-block"><div class="spoiler-header"><p>end</p></div>' +
    '<div class="spoiler-content" aria-hidden="true"><div><p>the butler<br>did it</p></div></div></div><p>after</p>';
  t.match(shown(spoiler), /end[\s\S]*Hidden text[\s\S]*after/);
  t.notMatch(shown(spoiler), /butler|did it/);
  t.notMatch(convertMailHtmlToText(shown(spoiler)), /butler|did it/);
});

t.test('emoji become characters or their names, formulas their source, pictures links', async (t) => {
  t.equal(shown('<span aria-label="tada" class="emoji emoji-1f389" role="img">:tada:</span>'), '🎉');
  t.equal(shown('<img alt=":party:" class="emoji" src="/user_avatars/1.png">'), ':party:');
  const formula =
    '<span class="katex"><span class="katex-mathml"><math><mi>x</mi><annotation encoding="application/x-tex">x^2' +
    '</annotation></math></span><span class="katex-html"><span>x2</span></span></span>';
  t.equal(shown(`<p>${formula}</p>`), '<p><code>x^2</code></p>');
  t.equal(
    shown('<div class="message_inline_image"><a href="/user_uploads/1/a.png" title="a.png"><img src="/t"></a></div>'),
    `<p><a href="${ORIGIN}/user_uploads/1/a.png">a.png</a></p>`,
  );
});

t.test('the plain text has lines, list marks and the addresses of links', async (t) => {
  const html = shown('<p>Hi &amp; bye<br>now</p><ul><li>one</li><li>two</li></ul><p><a href="/x">there</a></p>');
  t.equal(convertMailHtmlToText(html), `Hi & bye\nnow\n- one\n- two\n\nthere (${ORIGIN}/x)`);
});
