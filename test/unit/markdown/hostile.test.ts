import fc from 'fast-check';
import t from 'tap';
import { type MarkdownContext, MarkdownRenderError, type MarkdownRenderResult, renderMarkdown } from '#domain/markdown';
import { ANY_CODE_POINT } from '../../support/any-text.js';
import { picked, rounds } from '../../support/rounds.js';
import { attacks, MAX_LENGTH } from './attacks.js';
import { faultIn } from './html-check.js';
import { context } from './support.js';

/** The slowest text must stay below a second; machines that run tests are shared, hence the factor. */
const MAX_TIME = 1_000 * 3;

const everything: Partial<MarkdownContext> = {
  ...context,
  translateEmoticons: true,
  fileLinks: true,
  imageProxySecret: 'secret',
  defaultCodeLanguage: 'python',
  linkifiers: [
    { id: 1, pattern: '#(?P<id>[0-9]{2,8})', urlTemplate: 'https://t.example.com/{id}' },
    { id: 2, pattern: '(?P<a>(a{0,50}){0,20})', urlTemplate: 'https://x/{a}{?a}' },
    { id: 3, pattern: '(?P<b>[a-z]+:.*)', urlTemplate: '{b}' },
    { id: 4, pattern: 'evil(?P<c>.*)', urlTemplate: 'javascript:{c}' },
  ],
};

function tryRender(text: string, given: Partial<MarkdownContext>): MarkdownRenderResult | null {
  try {
    return renderMarkdown(text, given);
  } catch (error) {
    if (!(error instanceof MarkdownRenderError)) throw error;
    // A result that is too long is a fair refusal; an internal error is not.
    if (error.cause !== undefined) throw error.cause;
    return null;
  }
}

const SCRIPTS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '"><img src=x onerror=alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](java\nscript:alert(1))',
  '[x](java\tscript:alert(1))',
  '[x](\u0001javascript:alert(1))',
  '[x]( javascript:alert(1))',
  '[x](javascript&colon;alert(1))',
  '[x](javascript&#58;alert(1))',
  '[x](javascript&#x3A;alert(1))',
  '[x](&#106;avascript:alert(1))',
  '[x](&#x6A;&#x61;vascript:alert(1))',
  '[x](javascript%3Aalert(1))',
  '[x](javascript\\:alert(1))',
  '[x](<javascript:alert(1)>)',
  '[x](vbscript:msgbox(1))',
  '[x](data:text/html,<script>alert(1)</script>)',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '[x](//evil.example/x)',
  '[x](http://a.b"onmouseover="alert(1))',
  '[x](http://a.b "t" onmouseover="alert(1))',
  '[x](http://a.b \'t" onmouseover="alert(1)\')',
  '[<img src=x onerror=alert(1)>](http://a.b)',
  '![x](javascript:alert(1))',
  'http://a.b/"onmouseover="alert(1)',
  "http://a.b/'onmouseover='alert(1)",
  'http://a.b/x.png"onerror="alert(1).png',
  '[" onerror=alert(1) x="](http://a.b/x.png)',
  'http://javascript:alert(1)@a.b/',
  'javascript://a.b/%0aalert(1)',
  '```"><script>alert(1)</script>\nx\n```',
  '```x"onload="alert(1)\nx\n```',
  '```html\n<script>alert(1)</script>\n```',
  '```spoiler <script>alert(1)</script>\n<img src=x onerror=alert(1)>\n```',
  '```math\n\\href{javascript:alert(1)}{x}\n```',
  '$$\\href{javascript:alert(1)}{x}$$',
  '$$\\url{javascript:alert(1)}$$',
  '$$\\includegraphics{javascript:alert(1)}$$',
  '$$\\htmlStyle{background:url(javascript:alert(1))}{x}$$',
  '$$\\htmlData{x=1 onclick=alert(1)}{x}$$',
  '$$\\text{<script>alert(1)</script>}$$',
  '$$\\color{red;background:url(x)}x$$',
  '$$<script>alert(1)</script>{$$',
  '<time:"><script>alert(1)</script>>',
  '@**<script>alert(1)</script>**',
  '#**Denmark><script>alert(1)</script>**',
  '#**Denmark>"onclick="alert(1)**',
  ':<script>:',
  '`<script>alert(1)</script>`',
  '|<script>|"onload="|\n|-|-|\n|<img src=x>|b|',
  'evil alert(1)',
  'javascript:alert(document.cookie)',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '\u00020\u0003 `x` \u00020\u0003',
  '<<script>alert(1)//<</script>',
  '<b onclick=alert(1)>**x**</b>',
  '[a](http://x.y/[b](javascript:alert(1)))',
  '[a [b](http://x.y)](javascript:alert(1))',
  'https://youtu.be/"><script>',
  'https://www.youtube.com/watch?v="><script>alert(1)</script>',
];

t.test('no text makes a script, an event handler or an unknown element', async (t) => {
  for (const text of SCRIPTS) {
    for (const framed of [text, `> ${text}`, `* ${text}`, `**${text}**`, `[${text}](http://a.b)`, `x ${text} y`]) {
      t.equal(faultIn(tryRender(framed, everything)?.html ?? ''), null, framed);
    }
  }
});

t.test('texts made to be slow take less than a second at the maximum length', { timeout: 120_000 }, async (t) => {
  const all = [...attacks()];
  const some = (count: number) => new Set(picked(all, rounds(count, all.length), ({ name }) => name));
  // Most texts are tried at a fortieth of the length, which also shows elements that stay open.
  const [whole, tenth] = [some(20), some(300)];
  for (const attack of all) {
    const { name } = attack;
    const share = whole.has(attack) ? 1 : tenth.has(attack) ? 10 : 40;
    const text = attack.text.slice(0, MAX_LENGTH / share);
    const start = performance.now();
    const rendered = tryRender(text, everything);
    const took = performance.now() - start;
    if (took > MAX_TIME) t.fail(`${name} took ${Math.round(took)} ms`);
    t.equal(faultIn(rendered?.html ?? ''), null, name);
  }
});

const SNIPPETS = [
  ...['*', '**', '***', '~~', '`', '```', '```\n', '~~~', '```quote\n', '```spoiler a\n', '```math\n', '```python\n'],
  ...['[', '](', ')', '(', '![', 'http://a.b/', 'https://', 'a.com', '/x.png', '"', "'", '<', '>', '\n> ', '&', '&lt;'],
  ...[
    '@**',
    '@_**',
    '@*',
    '#**',
    'Denmark',
    'King Hamlet',
    '|28',
    '**',
    '>',
    '$$',
    '\\frac{1}{2}',
    'x^2',
    '<time:',
    '1>',
  ],
  ...[':', 'smile', ':smile:', ':)', '😀', '\n', '\n\n', '\n* ', '\n1. ', '\n  * ', '\n    ', '\t', '\n# ', '\n---\n'],
  ...['|', '|a|b|\n|-|-|\n', '#123', 'javascript:', 'evil', '\\', ' ', '\u0002', '1', '\u0003', 'a@b.c', '\ud800', '_'],
];
const texts = fc.oneof(
  fc.array(fc.constantFrom(...SNIPPETS), { maxLength: 80 }).map((parts) => parts.join('')),
  fc
    .array(fc.oneof(fc.constantFrom(...SNIPPETS), fc.string({ unit: ANY_CODE_POINT, maxLength: 8 })), { maxLength: 60 })
    .map((parts) => parts.join('')),
  fc.string({ unit: ANY_CODE_POINT, maxLength: 400 }),
);

t.test('any text gives balanced elements from the list, and nothing else', async () => {
  fc.assert(
    fc.property(texts, (text) => {
      const html = tryRender(text, everything)?.html ?? '';
      const fault = faultIn(html);
      if (fault !== null) throw new Error(`${fault}\n${html}`);
    }),
    { numRuns: rounds(200, 3_000) },
  );
});

t.test('any text of at most the maximum length is rendered in time', { timeout: 120_000 }, async () => {
  const long = fc
    .tuple(fc.array(fc.constantFrom(...SNIPPETS), { minLength: 1, maxLength: 12 }), fc.integer({ min: 100 }))
    .map(([parts, length]) => parts.join('').repeat(MAX_LENGTH).slice(0, Math.min(length, MAX_LENGTH)));
  fc.assert(
    fc.property(long, (text) => {
      const start = performance.now();
      const fault = faultIn(tryRender(text, everything)?.html ?? '');
      const took = performance.now() - start;
      if (fault !== null) throw new Error(fault);
      if (took > MAX_TIME) throw new Error(`took ${Math.round(took)} ms`);
    }),
    { numRuns: rounds(8, 150) },
  );
});
