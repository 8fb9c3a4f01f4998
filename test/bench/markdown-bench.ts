/**
 * Speed of the Markdown renderer: typical messages per second on one core, and the slowest of the hostile texts of
 * maximum length. `node dist/test/bench/markdown-bench.js`
 */
import { type MarkdownContext, renderMarkdown } from '#domain/markdown';
import { attacks } from '../unit/markdown/attacks.js';

const SECONDS = 3;

const context: Partial<MarkdownContext> = {
  origin: 'https://chat.example.com',
  inlineImages: true,
  linkifiers: [{ id: 1, pattern: '#(?P<id>[0-9]{2,8})', urlTemplate: 'https://tracker.example.com/{id}' }],
  usersNamed: (name) => [{ id: 9, name }],
  userById: (id) => ({ id, name: 'King Hamlet' }),
  streamByName: (name) => ({ id: 7, name }),
};

const TYPICAL: Readonly<Record<string, string>> = {
  short: 'Sounds good to me',
  mention: 'hey @**King Hamlet|9** can you look at #**Denmark>my topic**? :smile:',
  formatted: 'I think **this** is *fine*, see https://example.com/a/b?c=d and `code` for #1234',
  list: '* one\n* two\n  * three\n\nand so on, ok?',
  code: '```python\nfor x in range(3):\n    print(x)\n```\nlike that',
  quote:
    '@_**King Hamlet|9** [said](https://chat.example.com/#narrow/stream/7-Verona):\n' +
    '```quote\nlet us meet at noon\n```\nyes, gladly',
  paragraphs: `${'A longer message, with several sentences (and an aside), that goes on and on. '.repeat(4)}\nAnd a line more.`,
};

function rate(texts: readonly string[], seconds: number): number {
  const end = performance.now() + seconds * 1000;
  const start = performance.now();
  let count = 0;
  while (performance.now() < end) {
    for (const text of texts) renderMarkdown(text, context);
    count += texts.length;
  }
  return Math.round((count / (performance.now() - start)) * 1000);
}

rate(Object.values(TYPICAL), 1);
console.log(`typical messages: ${rate(Object.values(TYPICAL), SECONDS)}/s`);
for (const [name, text] of Object.entries(TYPICAL)) console.log(`  ${name}: ${rate([text], 0.5)}/s`);

const times = attacks().map(({ name, text }) => {
  const start = performance.now();
  let refused = '';
  try {
    renderMarkdown(text, context);
  } catch {
    refused = ' (refused: too long)';
  }
  return { took: performance.now() - start, name: name + refused };
});
console.log(`slowest of ${times.length} hostile texts:`);
for (const { took, name } of times.sort((a, b) => b.took - a.took).slice(0, 10)) {
  console.log(`  ${Math.round(took)} ms  ${name}`);
}
