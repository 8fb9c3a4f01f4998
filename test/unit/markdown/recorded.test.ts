import t from 'tap';
import { type MarkdownContext, renderMarkdown } from '#domain/markdown';
import { context, recorded } from './support.js';

/** The peer serves pictures through its thumbnailer; markdown.md § Previews says what to send instead. */
function withoutThumbnails(html: string): string {
  return html.replace(
    /<img data-src-fullsize="[^"]*" src="\/thumbnail\?url=([^&"]*)&amp;size=thumbnail">/g,
    (_, url: string) => {
      const source = decodeURIComponent(url);
      return `<img src="${source.startsWith('user_uploads/') ? '/' : ''}${source}">`;
    },
  );
}

/** Another highlighter parts code differently; wrapper, attribute and text must agree (markdown.md § Fences). */
function withoutColours(html: string): string {
  return html.replace(/<code>.*?<\/code><\/pre>/gs, (code) => code.replace(/<span class="[a-z0-9]+">|<\/span>/g, ''));
}

/** Recorded answers with differently coloured code. */
const COLOURED = new Set([
  '```python\nprint(1)\n```',
  '~~~ruby\nputs 1\n~~~',
  '```python hl_lines=1\nx\n```',
  '```{.python}\nx\n```',
  '``` python\nx\n```',
  '```js\nlet x=1 // c\n```',
  "```html\n<b class='x'>\n```",
  '```sql\nselect 1\n```',
  '```c++\nint x;\n```',
]);

/** Settings under which single answers were recorded. */
const SETTINGS: Readonly<Record<string, Partial<MarkdownContext>>> = {
  'see #1234 and nova': {
    linkifiers: [
      { id: 1, pattern: '#(?P<id>[0-9]{3,9})', urlTemplate: 'https://t.example.com/{id}' },
      { id: 3, pattern: 'nova', urlTemplate: 'https://x/' },
    ],
  },
};

let exact = 0;
for (const { content, rendered } of recorded()) {
  t.test(`is rendered as recorded: ${JSON.stringify(content).slice(0, 60)}`, async (t) => {
    const { html } = renderMarkdown(content, { ...context, ...SETTINGS[content] });
    if (html === rendered) exact++;
    const compare = COLOURED.has(content) ? withoutColours : (text: string) => text;
    t.equal(compare(html), compare(withoutThumbnails(rendered)));
  });
}

t.test('most answers agree exactly', async (t) => {
  t.comment(`${exact} of ${recorded().length}`);
  t.ok(exact >= recorded().length - COLOURED.size - 9);
});
