/**
 * Translates Slack's messages, in incoming webhooks as in exports: text, blocks and attachments. Buttons, menus and
 * other blocks that need an answer are left out.
 */
import type { Json, JsonObject } from '#base';
import {
  joinNonEmpty,
  lineOrEmpty,
  makeMarkdownLink,
  objectOrEmpty,
  objectsOfList,
  textOrEmpty,
  withBoundedTexts,
} from './payload.js';
import { withoutSlackFileTokens } from './slack-file-address.js';
import { formatSlackRichText, RICH_TEXT_BLOCK_TYPE } from './slack-rich-text.js';
import {
  type ConvertedSlackText,
  convertSlackTextToMarkdown,
  type SlackMentionLookups,
  unescapeSlackEntities,
} from './slack-text.js';

/**
 * Maximum of characters of all texts of a message together: those that Slack takes as one text, and four times those of
 * a message here. The translation of 200,000 characters took 110 ms.
 */
const MAX_TEXT_CHARACTERS = 40_000;

/**
 * Translates a message. Its blocks come in place of its text, except for rich text, which says the same as the text.
 * Previews of links come only if nothing else is there.
 */
export function convertSlackMessageToMarkdown(message: JsonObject, lookups: SlackMentionLookups): ConvertedSlackText {
  const mentioned: string[] = [];
  const formatter = new SlackMessageFormatter((text) => {
    const converted = convertSlackTextToMarkdown(text, lookups);
    mentioned.push(...converted.mentioned);
    return converted.content.trim();
  });
  const { text, blocks, attachments, mrkdwn } = message;
  const shown = { text, blocks, attachments, mrkdwn } as JsonObject;
  return {
    content: withoutSlackFileTokens(formatter.formatMessage(withBoundedTexts(shown, MAX_TEXT_CHARACTERS))),
    mentioned,
  };
}

class SlackMessageFormatter {
  /** @param convertMarkup translates a text that is not empty */
  constructor(private readonly convertMarkup: (text: string) => string) {}

  formatMessage(message: Json): string {
    const { text, blocks, attachments, mrkdwn } = objectOrEmpty(message);
    const formatText = (): string =>
      mrkdwn === false ? unescapeSlackEntities(textOrEmpty(text)) : this.#formatMarkup(text);
    const isRichTextOnly = objectsOfList(blocks).every(({ type }) => type === RICH_TEXT_BLOCK_TYPE);
    const body = isRichTextOnly
      ? formatText() || this.#formatBlocks(blocks)
      : this.#formatBlocks(blocks) || formatText();
    const all = objectsOfList(attachments);
    const parts = [body, ...this.#formatAttachments(all.filter((attachment) => !isLinkPreview(attachment)))];
    return joinNonEmpty(parts, '\n\n') || joinNonEmpty(this.#formatAttachments(all), '\n\n');
  }

  #formatMarkup(text: Json | undefined): string {
    const given = textOrEmpty(text);
    return given === '' ? '' : this.convertMarkup(given);
  }

  #formatMarkupOfLine(text: Json | undefined): string {
    return lineOrEmpty(this.#formatMarkup(text));
  }

  #formatBlocks(blocks: Json | undefined): string {
    return joinNonEmpty(
      objectsOfList(blocks).map((block) => this.#formatBlock(block)),
      '\n\n',
    );
  }

  #formatBlock(block: JsonObject): string {
    switch (block.type) {
      case 'section':
        return joinNonEmpty([this.#formatTextObject(block.text), this.#formatTextObjects(block.fields, '\n')], '\n\n');
      case 'header': {
        const title = lineOrEmpty(this.#formatTextObject(block.text));
        return title === '' ? '' : `## ${title}`;
      }
      case 'context':
        return this.#formatTextObjects(block.elements, ' ');
      case RICH_TEXT_BLOCK_TYPE:
        return formatSlackRichText(block, this.convertMarkup);
      case 'divider':
        return '---';
      case 'image':
        return formatPicture(block);
      case 'markdown':
        return textOrEmpty(block.text);
      case 'video':
        return formatVideo(block);
      default:
        return '';
    }
  }

  #formatTextObjects(list: Json | undefined, separator: string): string {
    return joinNonEmpty(
      objectsOfList(list).map((object) => this.#formatTextObject(object)),
      separator,
    );
  }

  /** Formats a text object (`mrkdwn` or `plain_text`), or an image among the elements of a context. */
  #formatTextObject(value: Json | undefined): string {
    const object = objectOrEmpty(value);
    if (object.type === 'image') return formatPicture(object);
    return object.type === 'plain_text'
      ? unescapeSlackEntities(textOrEmpty(object.text))
      : this.#formatMarkup(object.text);
  }

  #formatAttachments(attachments: readonly JsonObject[]): readonly string[] {
    return attachments.map((attachment) => this.#formatAttachment(attachment));
  }

  #formatAttachment(attachment: JsonObject): string {
    const { title, title_link, pretext, text, fields, blocks, image_url, footer, fallback } = attachment;
    const name = this.#formatMarkupOfLine(title);
    const picture = textOrEmpty(image_url);
    const parts = [
      this.#formatMarkup(pretext),
      name === '' ? '' : `**${makeMarkdownLink(name, textOrEmpty(title_link))}**`,
      this.#formatMarkup(text),
      joinNonEmpty(
        objectsOfList(fields).map((field) => this.#formatField(field)),
        '\n',
      ),
      this.#formatBlocks(blocks),
      picture === '' ? '' : makeMarkdownLink('image', picture),
      this.#formatMarkup(footer),
    ];
    return joinNonEmpty(parts, '\n\n') || this.#formatMarkup(fallback);
  }

  #formatField({ title, value }: JsonObject): string {
    const name = this.#formatMarkupOfLine(title);
    const shown = typeof value === 'number' || typeof value === 'boolean' ? String(value) : this.#formatMarkup(value);
    return name === '' ? shown : `**${name}**: ${shown}`;
  }
}

const isLinkPreview = ({ from_url, original_url }: JsonObject): boolean =>
  textOrEmpty(from_url) !== '' || textOrEmpty(original_url) !== '';

const formatPicture = ({ title, alt_text, image_url }: JsonObject): string =>
  makeMarkdownLink(lineOrEmpty(objectOrEmpty(title).text) || lineOrEmpty(alt_text) || 'image', textOrEmpty(image_url));

const formatVideo = ({ title, alt_text, title_url, video_url }: JsonObject): string =>
  makeMarkdownLink(
    lineOrEmpty(objectOrEmpty(title).text) || lineOrEmpty(alt_text) || 'video',
    textOrEmpty(title_url) || textOrEmpty(video_url),
  );
