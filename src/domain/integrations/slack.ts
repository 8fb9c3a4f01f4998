/**
 * Messages in the format of Slack's incoming webhooks: text, blocks and attachments. Buttons, menus and other blocks
 * that need an answer are left out.
 */
import type { Json, JsonObject } from '#base';
import type { IntegrationMessage } from './integration.js';
import { joinNonEmpty, lineOrEmpty, makeMarkdownLink, objectOrEmpty, objectsOfList, textOrEmpty } from './payload.js';
import { convertSlackTextToMarkdown, type SlackMentionLookups, unescapeSlackEntities } from './slack-text.js';

const NO_TOPIC = '(no topic)';

/** Ids of a Slack workspace mean nothing here. A mention of everybody stays text: a payload may not alert a stream. */
const NO_MENTIONS: SlackMentionLookups = { user: () => undefined, channel: () => undefined, everybody: '@all' };

export function makeMessageOfSlackPayload(payload: Json): IntegrationMessage | undefined {
  const { channel, text, blocks, attachments, mrkdwn } = objectOrEmpty(payload);
  const shownText = mrkdwn === false ? unescapeSlackEntities(textOrEmpty(text)) : convertMarkup(text);
  const parts = [formatBlocks(blocks) || shownText, ...objectsOfList(attachments).map(formatAttachment)];
  const content = joinNonEmpty(parts, '\n\n');
  if (content === '') return undefined;
  return { topic: lineOrEmpty(channel).replace(/^[#@]/, '').trim() || NO_TOPIC, content };
}

const convertMarkup = (text: Json | undefined): string =>
  convertSlackTextToMarkdown(textOrEmpty(text), NO_MENTIONS).content.trim();

const convertMarkupOfLine = (text: Json | undefined): string => lineOrEmpty(convertMarkup(text));

const formatBlocks = (blocks: Json | undefined): string => joinNonEmpty(objectsOfList(blocks).map(formatBlock), '\n\n');

function formatBlock(block: JsonObject): string {
  switch (block.type) {
    case 'section':
      return joinNonEmpty([formatTextObject(block.text), formatTextObjects(block.fields, '\n')], '\n\n');
    case 'header': {
      const title = lineOrEmpty(formatTextObject(block.text));
      return title === '' ? '' : `## ${title}`;
    }
    case 'context':
      return formatTextObjects(block.elements, ' ');
    case 'divider':
      return '---';
    case 'image':
      return formatPicture(block);
    default:
      return '';
  }
}

const formatTextObjects = (list: Json | undefined, separator: string): string =>
  joinNonEmpty(objectsOfList(list).map(formatTextObject), separator);

/** Formats a text object (`mrkdwn` or `plain_text`), or an image among the elements of a context. */
function formatTextObject(value: Json | undefined): string {
  const object = objectOrEmpty(value);
  if (object.type === 'image') return formatPicture(object);
  return object.type === 'plain_text' ? unescapeSlackEntities(textOrEmpty(object.text)) : convertMarkup(object.text);
}

const formatPicture = ({ title, alt_text, image_url }: JsonObject): string =>
  makeMarkdownLink(lineOrEmpty(objectOrEmpty(title).text) || lineOrEmpty(alt_text) || 'image', textOrEmpty(image_url));

function formatAttachment(attachment: JsonObject): string {
  const { title, title_link, pretext, text, fields, blocks, image_url, footer, fallback } = attachment;
  const name = convertMarkupOfLine(title);
  const picture = textOrEmpty(image_url);
  const parts = [
    convertMarkup(pretext),
    name === '' ? '' : `**${makeMarkdownLink(name, textOrEmpty(title_link))}**`,
    convertMarkup(text),
    joinNonEmpty(objectsOfList(fields).map(formatField), '\n'),
    formatBlocks(blocks),
    picture === '' ? '' : makeMarkdownLink('image', picture),
    convertMarkup(footer),
  ];
  return joinNonEmpty(parts, '\n\n') || convertMarkup(fallback);
}

function formatField({ title, value }: JsonObject): string {
  const name = convertMarkupOfLine(title);
  const shown = typeof value === 'number' || typeof value === 'boolean' ? String(value) : convertMarkup(value);
  return name === '' ? shown : `**${name}**: ${shown}`;
}
