import t from 'tap';
import { MarkdownRenderError, MarkdownRenderer, renderMarkdown } from '#domain/markdown';
import { MessageRenderer } from '#domain/messages';
import type { DirectoryView } from '#model/records';
import {
  makeRecordingContextFromSnapshot,
  scanPossibleMarkdownLookupKeys,
  takeMarkdownContextSnapshot,
} from '../../../src/domain/markdown/snapshot.js';
import { context, recorded } from './support.js';

t.test('other threads render the same HTML', { timeout: 60_000 }, async (t) => {
  const threads = new MarkdownRenderer({ threads: 2, threshold: 0 });
  t.teardown(() => threads.close());
  const texts = recorded().map(({ content }) => content);
  const rendered = await Promise.all(texts.map((text, n) => threads.renderInlineOrOnThread(text, context, `${n}`)));
  for (const [index, text] of texts.entries())
    t.same(rendered[index], renderMarkdown(text, context), text.slice(0, 60));
});

t.test('names missed by the first scan are resolved in a second round', { timeout: 60_000 }, async (t) => {
  const threads = new MarkdownRenderer({ threads: 1, threshold: 0 });
  t.teardown(() => threads.close());
  const text = '> @**King\n> Hamlet**';
  const withLines = { ...context, usersNamed: (name: string) => (name === 'King\nHamlet' ? [{ id: 5, name }] : []) };
  t.match((await threads.renderInlineOrOnThread(text, withLines)).html, 'data-user-id="5"');
});

t.test('a text that takes too long is refused, and the next one rendered', { timeout: 60_000 }, async (t) => {
  const threads = new MarkdownRenderer({ threads: 1, threshold: 0, timeout: 1 });
  t.teardown(() => threads.close());
  await t.rejects(threads.renderInlineOrOnThread('a'), MarkdownRenderError);
  const patient = new MarkdownRenderer({ threads: 1, threshold: 0 });
  t.teardown(() => patient.close());
  t.equal((await patient.renderInlineOrOnThread('a')).html, '<p>a</p>');
});

t.test('a text waits for at most one text of each other author', { timeout: 60_000 }, async (t) => {
  const threads = new MarkdownRenderer({ threads: 1, threshold: 0 });
  t.teardown(() => threads.close());
  const order: string[] = [];
  const render = async (text: string, author: string): Promise<void> => {
    await threads.renderInlineOrOnThread(text, {}, author);
    order.push(text);
  };
  await Promise.all([render('a1', 'a'), render('a2', 'a'), render('a3', 'a'), render('b1', 'b')]);
  t.same(order, ['a1', 'b1', 'a2', 'a3']);
});

t.test(
  'a text waits for at most one text of another user and the bots of that user',
  { timeout: 60_000 },
  async (t) => {
    const renderer = new MessageRenderer('', new MarkdownRenderer({ threads: 1, threshold: 0 }));
    t.teardown(() => renderer.close());
    const [owner, bot, secondBot, other] = [8, 9, 10, 11];
    const directory = {
      settings: { default_code_block_language: '' },
      user: (id: number) => ({ id, botOwner: id === bot || id === secondBot ? owner : null }),
      linkifiers: () => [],
      customEmoji: () => [],
      preferencesOf: () => ({ settings: {} }),
    } as unknown as DirectoryView;
    const order: number[] = [];
    const render = async (author: number): Promise<void> => {
      t.equal(
        (await renderer.renderOrNull('text', directory, 'https://chat.example.com', author))?.html,
        '<p>text</p>',
      );
      order.push(author);
    };
    await Promise.all([render(owner), render(bot), render(secondBot), render(other)]);
    t.same(order, [owner, other, bot, secondBot]);
  },
);

t.test('short texts are rendered at once', async (t) => {
  const threads = new MarkdownRenderer({ threads: 0 });
  t.equal((await threads.renderInlineOrOnThread('a')).html, '<p>a</p>');
  await threads.close();
  await t.rejects(threads.renderInlineOrOnThread('a'.repeat(5_000)), MarkdownRenderError);
});

t.test('short texts whose formulas may take long are rendered in a thread', async (t) => {
  const threads = new MarkdownRenderer({ threads: 0 });
  t.match((await threads.renderInlineOrOnThread(`$$x$$ ${'a'.repeat(1_000)}`)).html, 'katex');
  await threads.close();
  const formula = 'x'.repeat(250);
  const texts = [`$$${formula}$$`, `\`\`\`math\n${formula}\n\`\`\``, `~~~ {.math}\n${formula}`, '$$\\def\\a{x}\\a$$'];
  for (const text of texts) await t.rejects(threads.renderInlineOrOnThread(text), MarkdownRenderError, text);
  const defaultCodeLanguage = 'math';
  await t.rejects(threads.renderInlineOrOnThread(`\`\`\`\n${formula}`, { defaultCodeLanguage }), MarkdownRenderError);
});

t.test('a snapshot answers like the context that it was taken of', async (t) => {
  const text = '`@**` @**King Hamlet|28** @*hamletcharacters* #**Denmark>x** #**Verona** :green_tick:';
  const { context: snapshot, missing } = makeRecordingContextFromSnapshot(
    structuredClone(takeMarkdownContextSnapshot(scanPossibleMarkdownLookupKeys(text), context)),
  );
  t.equal(renderMarkdown(text, snapshot).html, renderMarkdown(text, context).html);
  t.equal(missing(), null);
});
