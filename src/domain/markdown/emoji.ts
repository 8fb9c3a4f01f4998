/** Emoji in a text: by name, as emoticon or as character (markdown.md § Emoji). */
import { emittedNameOfEmojiCode, emojiCodeOfNameOrAlias, getEmojiCharacterPattern } from './emoji-table.js';
import { type InlineMarkdownRule, makePatternMarkdownRule } from './inline.js';
import { makeTextElementTokens, makeVoidElementToken, type Token } from './tokens.js';

/** Names of the product's emoji that texts may use. */
const PRODUCT_EMOJI_INPUT_NAMES: ReadonlySet<string> = new Set(['conclave', 'zulip']);

const COLON_EMOJI_NAME_PATTERN = /:([\p{L}\p{N}_+-]+):/gu;

export const namedEmojiMarkdownRule: InlineMarkdownRule = makePatternMarkdownRule(
  ':',
  COLON_EMOJI_NAME_PATTERN,
  ([, name = ''], { context }) => {
    const custom = context.customEmoji(name);
    if (custom) return [makeEmojiImageToken(name, custom.url)];
    if (PRODUCT_EMOJI_INPUT_NAMES.has(name))
      return [makeEmojiImageToken(context.productEmoji.name, context.productEmoji.url)];
    const code = emojiCodeOfNameOrAlias(name);
    return code === undefined ? null : makeUnicodeEmojiTokens(name, code);
  },
);

function makeEmojiImageToken(name: string, url: string): Token {
  return makeVoidElementToken('img', { alt: `:${name}:`, class: 'emoji', src: url, title: name.replaceAll('_', ' ') });
}

function makeUnicodeEmojiTokens(name: string, code: string): Token[] {
  const title = name.replaceAll('_', ' ');
  return makeTextElementTokens(
    'span',
    { 'aria-label': title, class: `emoji emoji-${code}`, role: 'img', title },
    `:${name}:`,
  );
}

export const emojiCharacterMarkdownRule: InlineMarkdownRule = (text, inline) => {
  if (!/[\u2000-\uffff]/.test(text)) return text;
  let out = '';
  let done = 0;
  for (const found of text.matchAll(getEmojiCharacterPattern())) {
    if (found.groups?.part !== undefined) break;
    const [char] = found;
    const code = (char.codePointAt(0) ?? 0).toString(16);
    out +=
      text.slice(done, found.index) +
      inline.mark(char, makeUnicodeEmojiTokens(emittedNameOfEmojiCode(code) ?? code, code));
    done = found.index + char.length;
  }
  return done === 0 ? text : out + text.slice(done);
};

const EMOJI_NAME_BY_EMOTICON: ReadonlyMap<string, string> = new Map([
  [':)', 'smile'],
  ['(:', 'smile'],
  [':(', 'frown'],
  ['<3', 'heart'],
  [':|', 'neutral'],
  [':/', 'confused'],
  [';)', 'wink'],
  [':D', 'grinning'],
  [':o', 'open_mouth'],
  [':O', 'open_mouth'],
  [':p', 'stuck_out_tongue'],
  [':P', 'stuck_out_tongue'],
]);
const EMOTICON_BOUNDARY_CLASS = `[,.;?!()\\[\\]\\s"']`;
const EMOTICON_PATTERN = new RegExp(
  `(?<=^|${EMOTICON_BOUNDARY_CLASS})(?::[)(|/DoOpP]|\\(:|<3|;\\))(?=$|${EMOTICON_BOUNDARY_CLASS})`,
  'g',
);

export const emoticonMarkdownRule: InlineMarkdownRule = (text, inline) => {
  if (!inline.context.translateEmoticons) return text;
  return text.replace(EMOTICON_PATTERN, (written) => {
    const name = EMOJI_NAME_BY_EMOTICON.get(written) ?? '';
    return inline.mark(written, makeUnicodeEmojiTokens(name, emojiCodeOfNameOrAlias(name) ?? ''));
  });
};
