/**
 * Conversion of a message's HTML for mails. Mail programs have neither our style sheet nor our session: links become
 * absolute, pictures become links, formulas their source, and hidden text of spoilers is left out. The functions have
 * no side effects and take linear time.
 *
 * The input is the renderer's own output, in which `>` inside of attributes is escaped.
 */
import { escapeHtml } from '#base';

const HTML_TAG_OR_TEXT_PATTERN = /<[^>]*>|[^<]+/g;
const HTML_TAG_START_PATTERN = /^<(\/?)([a-z0-9]+)/i;
const VOID_ELEMENTS = new Set(['br', 'hr', 'img', 'source', 'wbr', 'input']);
/** Elements that are kept, without attributes except for the URL of a link. */
const ELEMENTS_KEPT_IN_MAIL = new Set(
  'a b blockquote br code del div em h1 h2 h3 h4 h5 h6 hr i li ol p pre s span strong table tbody td th thead tr u ul'.split(
    ' ',
  ),
);

const attributeValueOfTag = (tag: string, name: string): string =>
  new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? '';

function toAbsoluteUrlOrEmpty(url: string, origin: string): string {
  if (url.startsWith('/') && !url.startsWith('//')) return escapeHtml(origin) + url;
  if (url.startsWith('#')) return `${escapeHtml(origin)}/${url}`;
  return /^(?:https?|mailto|tel):/i.test(url) ? url : '';
}

/** An element that is replaced as a whole, with its content. */
interface ActiveElementReplacement {
  /** Number of open elements, including the replaced one. */
  depth: number;
  /** Called for each tag and text inside the element; the result replaces them. */
  show(token: string): string;
  /** Returns the text to show at the end of the element. */
  end(): string;
}

const emptyHtml = (): string => '';

function startEmojiReplacement(classes: string): ActiveElementReplacement {
  const code = /(?:^|\s)emoji-([0-9a-f-]+)(?:\s|$)/.exec(classes)?.[1];
  const character = code
    ?.split('-')
    .map((point) => String.fromCodePoint(Number.parseInt(point, 16)))
    .join('');
  return { depth: 1, show: (token) => (character || token.startsWith('<') ? '' : token), end: () => character ?? '' };
}

function startFormulaReplacement(): ActiveElementReplacement {
  let inside = false;
  return {
    depth: 1,
    show(token) {
      if (token.startsWith('<')) {
        inside = token.startsWith('<annotation');
        return '';
      }
      return inside ? `<code>${token}</code>` : '';
    },
    end: emptyHtml,
  };
}

function startPreviewReplacement(origin: string): ActiveElementReplacement {
  let link = '';
  return {
    depth: 1,
    show(token) {
      if (link === '' && token.startsWith('<a ')) {
        const url = toAbsoluteUrlOrEmpty(attributeValueOfTag(token, 'href'), origin);
        const title = attributeValueOfTag(token, 'title') || url;
        if (url !== '') link = `<p><a href="${url}">${title}</a></p>`;
      }
      return '';
    },
    end: () => link,
  };
}

/** Facts about a mail that the HTML of its messages depends on. */
export interface MailHtmlContext {
  /** Base URL of the organization. */
  readonly origin: string;
  /** Text in place of the hidden text of a spoiler. */
  readonly hiddenSpoiler: string;
}

/** Returns the replacement of an element; undefined if the element stays. */
function startReplacementIfNeeded(
  tag: string,
  { origin, hiddenSpoiler }: MailHtmlContext,
): ActiveElementReplacement | undefined {
  const classes = attributeValueOfTag(tag, 'class');
  const has = (name: string): boolean => classes.split(' ').includes(name);
  if (has('emoji')) return startEmojiReplacement(classes);
  if (has('katex')) return startFormulaReplacement();
  if (has('message_inline_image') || has('message_embed')) return startPreviewReplacement(origin);
  if (has('spoiler-content')) return { depth: 1, show: emptyHtml, end: () => `<p><em>${hiddenSpoiler}</em></p>` };
  return undefined;
}

function stripTagAttributesOrTag(tag: string, closing: boolean, name: string, origin: string): string {
  if (!ELEMENTS_KEPT_IN_MAIL.has(name)) return '';
  if (closing) return `</${name}>`;
  const url = name === 'a' ? toAbsoluteUrlOrEmpty(attributeValueOfTag(tag, 'href'), origin) : '';
  return url === '' ? `<${name}>` : `<${name} href="${url}">`;
}

/** Converts the HTML of a message for a mail. */
export function convertMessageHtmlForMail(html: string, context: MailHtmlContext): string {
  let out = '';
  let replaced: ActiveElementReplacement | undefined;
  for (const [token] of html.matchAll(HTML_TAG_OR_TEXT_PATTERN)) {
    const [, slash, written = ''] = HTML_TAG_START_PATTERN.exec(token) ?? [];
    const name = written.toLowerCase();
    const closing = slash === '/';
    const opening = name !== '' && !closing && !VOID_ELEMENTS.has(name) && !token.endsWith('/>');
    if (replaced) {
      if (opening) replaced.depth++;
      else if (closing) replaced.depth--;
      out += replaced.depth === 0 ? replaced.end() : replaced.show(token);
      if (replaced.depth === 0) replaced = undefined;
    } else if (name === '') out += token.startsWith('<') ? '' : token;
    else if (name === 'img') out += attributeValueOfTag(token, 'alt');
    else {
      if (opening) replaced = startReplacementIfNeeded(token, context);
      if (!replaced) out += stripTagAttributesOrTag(token, closing, name, context.origin);
    }
  }
  return out;
}

const CHARACTER_BY_HTML_ENTITY_NAME: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: ' ',
};

const decodeHtmlEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|nbsp));/gi, (whole, decimal, hex, name) => {
    if (name) return CHARACTER_BY_HTML_ENTITY_NAME[String(name).toLowerCase()] ?? whole;
    const code = decimal ? Number(decimal) : Number.parseInt(String(hex), 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });

const LINE_BREAKING_ELEMENTS = new Set('blockquote br div h1 h2 h3 h4 h5 h6 hr li ol p pre table tr ul'.split(' '));

/** Converts HTML from `convertMessageHtmlForMail` into plain text. Links show their URL. */
export function convertMailHtmlToText(html: string): string {
  let out = '';
  let link = '';
  let linkFrom = 0;
  for (const [token] of html.matchAll(HTML_TAG_OR_TEXT_PATTERN)) {
    const [, slash, name = ''] = HTML_TAG_START_PATTERN.exec(token) ?? [];
    if (name === '') out += decodeHtmlEntities(token);
    else if (name === 'a' && slash === '') {
      link = decodeHtmlEntities(attributeValueOfTag(token, 'href'));
      linkFrom = out.length;
    } else if (name === 'a') {
      if (link !== '' && out.slice(linkFrom) !== link) out += ` (${link})`;
      link = '';
    } else if (name === 'li' && slash === '') out += '- ';
    else if ((name === 'td' || name === 'th') && slash === '/') out += ' ';
    else if (LINE_BREAKING_ELEMENTS.has(name) && (slash === '/' || name === 'br' || name === 'hr')) out += '\n';
  }
  return out
    .replace(/[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
