/**
 * Conversion of a message's HTML for mails. Mail programs have neither our style sheet nor our session: links become
 * absolute, pictures become links, formulas their source, and hidden text of spoilers is left out. The functions have
 * no side effects and take linear time.
 *
 * The input is the renderer's own output, in which `>` inside of attributes is escaped.
 */
import { escapeHtml } from '#base';

const TOKEN = /<[^>]*>|[^<]+/g;
const TAG = /^<(\/?)([a-z0-9]+)/i;
const VOID = new Set(['br', 'hr', 'img', 'source', 'wbr', 'input']);
/** Elements that are kept, without attributes except for the URL of a link. */
const KEPT = new Set(
  'a b blockquote br code del div em h1 h2 h3 h4 h5 h6 hr i li ol p pre s span strong table tbody td th thead tr u ul'.split(
    ' ',
  ),
);

const HIDDEN_NOTE = '<p><em>(Hidden text. Open the conversation to read it.)</em></p>';

const attribute = (tag: string, name: string): string => new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? '';

function absoluteUrl(url: string, origin: string): string {
  if (url.startsWith('/') && !url.startsWith('//')) return escapeHtml(origin) + url;
  if (url.startsWith('#')) return `${escapeHtml(origin)}/${url}`;
  return /^(?:https?|mailto|tel):/i.test(url) ? url : '';
}

/** An element that is replaced as a whole, with its content. */
interface Replaced {
  /** Number of open elements, including the replaced one. */
  depth: number;
  /** Called for each tag and text inside the element; the result replaces them. */
  show(token: string): string;
  /** Returns the text to show at the end of the element. */
  end(): string;
}

const nothing = (): string => '';

function emoji(classes: string): Replaced {
  const code = /(?:^|\s)emoji-([0-9a-f-]+)(?:\s|$)/.exec(classes)?.[1];
  const character = code
    ?.split('-')
    .map((point) => String.fromCodePoint(Number.parseInt(point, 16)))
    .join('');
  return { depth: 1, show: (token) => (character || token.startsWith('<') ? '' : token), end: () => character ?? '' };
}

function formula(): Replaced {
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
    end: nothing,
  };
}

function preview(origin: string): Replaced {
  let link = '';
  return {
    depth: 1,
    show(token) {
      if (link === '' && token.startsWith('<a ')) {
        const url = absoluteUrl(attribute(token, 'href'), origin);
        const title = attribute(token, 'title') || url;
        if (url !== '') link = `<p><a href="${url}">${title}</a></p>`;
      }
      return '';
    },
    end: () => link,
  };
}

/** Returns the replacement of an element; undefined if the element stays. */
function replacementOf(tag: string, origin: string): Replaced | undefined {
  const classes = attribute(tag, 'class');
  const has = (name: string): boolean => classes.split(' ').includes(name);
  if (has('emoji')) return emoji(classes);
  if (has('katex')) return formula();
  if (has('message_inline_image') || has('message_embed')) return preview(origin);
  if (has('spoiler-content')) return { depth: 1, show: nothing, end: () => HIDDEN_NOTE };
  return undefined;
}

function keptTag(tag: string, closing: boolean, name: string, origin: string): string {
  if (!KEPT.has(name)) return '';
  if (closing) return `</${name}>`;
  const url = name === 'a' ? absoluteUrl(attribute(tag, 'href'), origin) : '';
  return url === '' ? `<${name}>` : `<${name} href="${url}">`;
}

/** Converts the HTML of a message for a mail. @param origin base URL of the organization */
export function convertMessageHtmlForMail(html: string, origin: string): string {
  let out = '';
  let replaced: Replaced | undefined;
  for (const [token] of html.matchAll(TOKEN)) {
    const [, slash, written = ''] = TAG.exec(token) ?? [];
    const name = written.toLowerCase();
    const closing = slash === '/';
    const opening = name !== '' && !closing && !VOID.has(name) && !token.endsWith('/>');
    if (replaced) {
      if (opening) replaced.depth++;
      else if (closing) replaced.depth--;
      out += replaced.depth === 0 ? replaced.end() : replaced.show(token);
      if (replaced.depth === 0) replaced = undefined;
    } else if (name === '') out += token.startsWith('<') ? '' : token;
    else if (name === 'img') out += attribute(token, 'alt');
    else {
      if (opening) replaced = replacementOf(token, origin);
      if (!replaced) out += keptTag(token, closing, name, origin);
    }
  }
  return out;
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: ' ',
};

const decodeEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|nbsp));/gi, (whole, decimal, hex, name) => {
    if (name) return ENTITIES[String(name).toLowerCase()] ?? whole;
    const code = decimal ? Number(decimal) : Number.parseInt(String(hex), 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });

const BLOCK_ENDS = new Set('blockquote br div h1 h2 h3 h4 h5 h6 hr li ol p pre table tr ul'.split(' '));

/** Converts HTML from `convertMessageHtmlForMail` into plain text. Links show their URL. */
export function convertMailHtmlToText(html: string): string {
  let out = '';
  let link = '';
  let linkFrom = 0;
  for (const [token] of html.matchAll(TOKEN)) {
    const [, slash, name = ''] = TAG.exec(token) ?? [];
    if (name === '') out += decodeEntities(token);
    else if (name === 'a' && slash === '') {
      link = decodeEntities(attribute(token, 'href'));
      linkFrom = out.length;
    } else if (name === 'a') {
      if (link !== '' && out.slice(linkFrom) !== link) out += ` (${link})`;
      link = '';
    } else if (name === 'li' && slash === '') out += '- ';
    else if ((name === 'td' || name === 'th') && slash === '/') out += ' ';
    else if (BLOCK_ENDS.has(name) && (slash === '/' || name === 'br' || name === 'hr')) out += '\n';
  }
  return out
    .replace(/[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
