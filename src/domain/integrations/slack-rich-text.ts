/** Translates Slack's rich text, the form in which its clients send what people write. */
import type { Json, JsonObject } from '#base';
import { joinMarkdownBlocks } from './markdown-blocks.js';
import { makeMarkdownLink, objectOrEmpty, objectsOfList, textOrEmpty } from './payload.js';
import { findEmojiOfSlackName } from './slack-emoji.js';
import { makeMarkdownCodeBlock } from './slack-text.js';

export const RICH_TEXT_BLOCK_TYPE = 'rich_text';
/** Deepest level of a list that is indented further; Slack's own limit is lower. */
const MAX_LIST_INDENT = 10;

/** @param convertMarkup translates Slack's markup; mentions have this form before they are translated */
export const formatSlackRichText = (block: JsonObject, convertMarkup: (text: string) => string): string =>
  joinMarkdownBlocks(
    objectsOfList(block.elements)
      .map((element) => formatRichTextElement(element, convertMarkup))
      .filter((element) => element !== ''),
  ).trimEnd();

function formatRichTextElement(element: JsonObject, convertMarkup: (text: string) => string): string {
  const { type, elements, style, indent, offset } = element;
  if (type === 'rich_text_list') {
    const indentation = '  '.repeat(Math.min(countOrZero(indent), MAX_LIST_INDENT));
    const first = countOrZero(offset) + 1;
    const items = objectsOfList(elements).map((item, i) => {
      const mark = style === 'ordered' ? `${first + i}.` : '*';
      return `${indentation}${mark} ${formatRichTextElement(item, convertMarkup)}`;
    });
    return items.join('\n');
  }
  const isCode = type === 'rich_text_preformatted';
  const text = objectsOfList(elements)
    .map((inline) => (isCode ? plainTextOf(inline) : formatInlineElement(inline, convertMarkup)))
    .join('')
    .trimEnd();
  if (text === '') return '';
  if (isCode) return makeMarkdownCodeBlock(text);
  return type === 'rich_text_quote' ? `${text.replace(/^/gm, '> ')}\n` : text;
}

const countOrZero = (value: Json | undefined): number =>
  typeof value === 'number' && value > 0 ? Math.floor(value) : 0;

const plainTextOf = ({ text, url }: JsonObject): string =>
  typeof text === 'string' ? text.replaceAll('\0', '') : textOrEmpty(url);

function formatInlineElement(inline: JsonObject, convertMarkup: (text: string) => string): string {
  switch (inline.type) {
    case 'text':
      return withEmphasis(plainTextOf(inline), objectOrEmpty(inline.style));
    case 'link':
      return withEmphasis(makeMarkdownLink(plainTextOf(inline), textOrEmpty(inline.url)), objectOrEmpty(inline.style));
    case 'user':
      return convertMarkup(`<@${textOrEmpty(inline.user_id)}>`);
    case 'usergroup':
      return convertMarkup(`<!subteam^${textOrEmpty(inline.usergroup_id)}>`);
    case 'channel':
      return convertMarkup(`<#${textOrEmpty(inline.channel_id)}>`);
    case 'broadcast':
      return convertMarkup(`<!${textOrEmpty(inline.range)}>`);
    case 'emoji':
      return `:${findEmojiOfSlackName(textOrEmpty(inline.name))?.name ?? textOrEmpty(inline.name)}:`;
    default:
      return textOrEmpty(inline.fallback);
  }
}

/** Emphasis may not begin or end at a blank, so the blanks around a text stay outside. */
function withEmphasis(text: string, { bold, italic, strike, code }: JsonObject): string {
  const inner = text.trim();
  if (inner === '') return text;
  let marked = code === true && !inner.includes('`') ? `\`${inner}\`` : inner;
  if (italic === true) marked = `*${marked}*`;
  if (bold === true) marked = `**${marked}**`;
  if (strike === true) marked = `~~${marked}~~`;
  return text.replace(inner, () => marked);
}
