/** The beginning of a message as a line of plain text, without the DOM. */
import { decodeHtmlEntities } from '../core/index.js';

const MAX_PREVIEW_CHARACTERS = 200;

/** Sign that a preview shows for the command of a poll or a to-do list. */
const SIGN_BY_COMMAND = { poll: '📊', todo: '☑' } as const;
const WIDGET_COMMAND_PATTERN = /^<p>\/(poll|todo)\b\s*([^<\n]*)/;

/** Elements without an end tag. */
const VOID_ELEMENTS = new Set(['br', 'hr', 'img', 'input', 'source']);
/**
 * Matches elements whose text is left out: the content of a spoiler, and the HTML form of a formula, whose MathML form
 * has the source.
 */
const LEFT_OUT_PATTERN = /class="(?:spoiler-content|katex-html)\b/;
const EMOJI_CODE_PATTERN = /class="emoji emoji-([\da-f]{1,6}(?:-[\da-f]{1,6})*)"/;

const decodeEmojiCode = (code: string): string =>
  String.fromCodePoint(...code.split('-').map((part) => Math.min(Number.parseInt(part, 16), 0x10ffff)));

const toOneLine = (text: string): string => {
  const characters = [...decodeHtmlEntities(text).replace(/\s+/g, ' ').trim()];
  return characters.length > MAX_PREVIEW_CHARACTERS
    ? `${characters.slice(0, MAX_PREVIEW_CHARACTERS - 1).join('')}…`
    : characters.join('');
};

/**
 * The text of a rendered message on one line. The content of a spoiler is left out, a formula is its TeX, and an emoji
 * is its character, or its name if it is one of the organization.
 */
export function makePreviewText(html: string): string {
  const [, command, rest = ''] = WIDGET_COMMAND_PATTERN.exec(html) ?? [];
  if (command) return toOneLine(`${SIGN_BY_COMMAND[command as keyof typeof SIGN_BY_COMMAND]} ${rest}`);
  let text = '';
  /** Open elements. The text of a silent one is left out. */
  const open: { readonly name: string; readonly silent: boolean }[] = [];
  const isSilent = (): boolean => open.at(-1)?.silent ?? false;
  for (const [piece, slash, name = ''] of html.matchAll(/<(\/?)([a-z][\da-z]*)[^>]*>|[^<]+|</gi)) {
    if (name === '') {
      if (!isSilent()) text += piece;
    } else if (slash) {
      const at = open.findLastIndex((one) => one.name === name);
      if (at >= 0) open.length = at;
      if (!/^(?:a|b|code|del|em|i|span|strong|sub|sup|u)$/.test(name)) text += ' ';
    } else if (VOID_ELEMENTS.has(name)) {
      if (name === 'img' && piece.includes('class="emoji"') && !isSilent())
        text += /alt="([^"]*)"/.exec(piece)?.[1] ?? '';
      text += name === 'br' ? ' ' : '';
    } else {
      const [, code] = EMOJI_CODE_PATTERN.exec(piece) ?? [];
      if (code !== undefined && !isSilent()) text += decodeEmojiCode(code);
      const silent =
        (isSilent() && name !== 'annotation') || name === 'math' || code !== undefined || LEFT_OUT_PATTERN.test(piece);
      open.push({ name, silent });
    }
  }
  return toOneLine(text);
}
