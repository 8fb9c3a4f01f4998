/**
 * Every name and code that clients of the API send (test/fixtures/api/emoji-names.json) works, and clients get no
 * others.
 */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { completeEmojiFields, isKnownEmojiCode, requireUsableEmoji } from '#domain/emoji';
import { emojiCodeOfNameOrAlias, findCanonicalEmojiCode, isCanonicalEmojiName, renderMarkdown } from '#domain/markdown';
import { getOrMakeStaticFile } from '#frontend/static';
import { directoryWith } from '../../support/directory.js';

const listed = JSON.parse(readFileSync('test/fixtures/api/emoji-names.json', 'utf8')) as Record<string, string[]>;
const codes = Object.keys(listed);
const pairs = Object.entries(listed).flatMap(([code, names]) => names.map((name) => [name, code] as const));
const directory = directoryWith({});

const reaction = (name: string, code: string | null, type: string | null) =>
  requireUsableEmoji(completeEmojiFields({ name, code, type }, directory), directory);
const span = (name: string, code: string): string => {
  const title = name.replaceAll('_', ' ');
  return `<span aria-label="${title}" class="emoji emoji-${code}" role="img" title="${title}">:${name}:</span>`;
};
const characters = (code: string): string =>
  String.fromCodePoint(...code.split('-').map((point) => Number.parseInt(point, 16)));

t.equal(codes.length, 1_826);
t.equal(pairs.length, 2_887);

t.test('every name is rendered with its code', async (t) => {
  const wrong = pairs.filter(([name, code]) => renderMarkdown(`:${name}:`).html !== `<p>${span(name, code)}</p>`);
  t.same(wrong, []);
});

t.test('every name makes a reaction: alone, with its code, with code and type', async (t) => {
  const wrong = pairs.filter(([name, code]) => {
    const expected = JSON.stringify({ name, code, type: 'unicode_emoji' });
    const ways = [
      [null, null],
      [code, null],
      [null, 'unicode_emoji'],
      [code, 'unicode_emoji'],
    ] as const;
    return ways.some(([sent, type]) => JSON.stringify(reaction(name, sent, type)) !== expected);
  });
  t.same(wrong, []);
  t.same(
    codes.filter((code) => !isKnownEmojiCode(code, 'unicode_emoji', directory)),
    [],
  );
});

t.test('a code is the same with or without variation selectors, in the spelling of the list', async (t) => {
  const spellings = codes.flatMap((code) => {
    const bare = code.replaceAll('-fe0f', '');
    return [bare, `${bare}-fe0f`, code].map((spelling) => [spelling, code] as const);
  });
  t.same(
    spellings.filter(([spelling, code]) => findCanonicalEmojiCode(spelling) !== code),
    [],
  );
  const name = '1f3cb-fe0f-200d-2640-fe0f';
  t.equal(reaction(listed[name]![0]!, '1f3cb-200d-2640', 'unicode_emoji').code, name);
  for (const code of ['', 'fe0f', '-fe0f', '1F642', '1f642-1f642', '1f642-']) {
    t.equal(findCanonicalEmojiCode(code), undefined, JSON.stringify(code));
  }
});

/** Arrows and signs that texts use as plain characters. */
const TYPOGRAPHIC = '00a9 00ae 2122 2139 2194 2195 2196 2197 2198 2199 21a9 21aa'.split(' ');

t.test('every single character is rendered under its first name, except for typographic signs', async (t) => {
  const single = codes.filter((code) => !code.includes('-'));
  const wrong = single.filter((code) => {
    const shown = TYPOGRAPHIC.includes(code) ? characters(code) : span(listed[code]![0]!, code);
    return renderMarkdown(`x ${characters(code)} y`).html !== `<p>x ${shown} y</p>`;
  });
  t.same(wrong, []);
  t.ok(single.length > 1_000);
});

t.test('characters outside the list stay text, and end no search', async (t) => {
  const { html } = renderMarkdown('“a” – 🕐 🫨 7# ☃');
  t.equal(html, `<p>“a” – 🕐 🫨 7# ${span('snowman', '2603')}</p>`, 'clients have no name for the clock');
});

t.test('text after a skin tone, a flag or a joiner is unchanged', async (t) => {
  t.equal(renderMarkdown('👍🏽 ☃').html, `<p>${span('+1', '1f44d')}🏽 ☃</p>`);
  t.equal(renderMarkdown('☃ 🇩🇪 ☃').html, `<p>${span('snowman', '2603')} 🇩🇪 ☃</p>`);
  t.equal(renderMarkdown('👨‍👩‍👧').html, `<p>${span('man', '1f468')}‍👩‍👧</p>`);
});

t.test('clients get exactly the list, the first name of a code first', async (t) => {
  const file = await getOrMakeStaticFile('emoji/emoji_api.json');
  t.same(JSON.parse(Buffer.from(file!.bytes).toString()), { code_to_names: listed });
});

t.test('older names are aliases where the list has no such name', async (t) => {
  const aliases = { slight_smile: '1f642', hundred_points: '1f4af', black_joker: '1f0cf', shaking_face: '1fae8' };
  for (const [name, code] of Object.entries(aliases)) {
    t.equal(emojiCodeOfNameOrAlias(name), code, name);
    t.notOk(isCanonicalEmojiName(name), name);
    t.equal(renderMarkdown(`:${name}:`).html, `<p>${span(name, code)}</p>`);
    t.same(reaction(name, code, 'unicode_emoji'), { name, code, type: 'unicode_emoji' });
  }
  t.equal(emojiCodeOfNameOrAlias('cat'), '1f408', 'the list has the name for another character than before');
});

t.test('emoticons are emoji of the list', async (t) => {
  const emoticons = {
    ':)': '1f642',
    '(:': '1f642',
    ':(': '1f641',
    '<3': '2764',
    ':|': '1f610',
    ':/': '1f615',
    ';)': '1f609',
    ':D': '1f600',
    ':o': '1f62e',
    ':O': '1f62e',
    ':p': '1f61b',
    ':P': '1f61b',
  };
  for (const [written, code] of Object.entries(emoticons)) {
    const { html } = renderMarkdown(written, { translateEmoticons: true });
    t.match(html, `class="emoji emoji-${code}"`, written);
  }
});
