/**
 * Finds the links of a message that get a preview, and makes the HTML of previews (markdown.md § Previews). The
 * functions have no side effects.
 */
import { Parser } from 'htmlparser2';
import type { JsonObject } from '#base';
import { escapePlainTextForHtml } from '#domain/markdown';
import type { WebPageHead } from './page-head.js';

/** Preview of a linked page, as it is stored and sent. */
export interface LinkPreview extends WebPageHead, JsonObject {
  /** URL of the page, as in the message's link. */
  readonly url: string;
}

/** Maximum number of previews of a message. The first links count. */
const MAX_PREVIEWS_PER_MESSAGE = 5;
/** Maximum length of an address with a preview, characters. */
const MAX_PREVIEWED_URL_CHARACTERS = 2_000;

/** Classes of elements whose links have a preview of their own already. */
const EXISTING_PREVIEW_CLASSES_PATTERN = /\b(?:message_inline_image|message_embed)\b/;

/**
 * Addresses of the pages that a message links, in their order. Quoted links, links of this organization, and links with
 * a picture or a video below have no preview. An author suppresses the preview of an address by writing it in angle
 * brackets: `<https://example.com>`.
 *
 * @param message text and rendered HTML of a message
 * @param origin base URL of the organization
 */
export function findPageUrlsToPreview(
  { content, html }: { readonly content: string; readonly html: string },
  origin: string,
): readonly string[] {
  const links = new Set<string>();
  const shown = new Set<string>();
  // Tags of the open elements, where all below a quote or a preview is skipped.
  const open: ('quote' | 'shown' | '')[] = [];
  const parser = new Parser({
    onopentag(tag, { class: classes = '', href = '' }) {
      open.push(tag === 'blockquote' ? 'quote' : EXISTING_PREVIEW_CLASSES_PATTERN.test(classes) ? 'shown' : '');
      if (tag !== 'a' || href === '') return;
      if (open.includes('shown')) shown.add(href);
      else if (!open.includes('quote')) links.add(href);
    },
    onclosetag() {
      open.pop();
    },
  });
  parser.end(html);
  const isPage = (url: string): boolean =>
    /^https?:\/\//i.test(url) &&
    url.length <= MAX_PREVIEWED_URL_CHARACTERS &&
    URL.canParse(url) &&
    !(origin !== '' && `${url}/`.startsWith(`${origin}/`)) &&
    !shown.has(url) &&
    !content.includes(`<${url}>`);
  return [...links].filter(isPage).slice(0, MAX_PREVIEWS_PER_MESSAGE);
}

/** An address inside `url("…")` of a style. */
const percentEncodeForCssUrl = (address: string): string =>
  address.replace(/["'()\\\s]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** Makes the HTML of a preview, in the form of the API's original server. */
export function makeLinkPreviewHtml({ url, title, description, image }: LinkPreview): string {
  const href = escapePlainTextForHtml(url);
  const picture =
    image === ''
      ? ''
      : `<a class="message_embed_image" href="${href}" style="background-image: url(&quot;${escapePlainTextForHtml(percentEncodeForCssUrl(image))}&quot;)"></a>`;
  const heading = `<div class="message_embed_title"><a href="${href}" title="${escapePlainTextForHtml(title)}">${escapePlainTextForHtml(title)}</a></div>`;
  const text =
    description === '' ? '' : `<div class="message_embed_description">${escapePlainTextForHtml(description)}</div>`;
  return `<div class="message_embed">${picture}<div class="data-container">${heading}${text}</div></div>`;
}
