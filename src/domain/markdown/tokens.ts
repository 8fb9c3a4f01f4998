/** Constructors of markdown-it tokens. No token is marked as a block: every line break of the output is a token. */
import type { Token as MarkdownItToken } from 'markdown-it';

/**
 * The fields of a markdown-it token. Plain objects take its place: the constructor of the published class defines each
 * field by a call, a seventh of the time of rendering.
 */
export type Token = Pick<
  MarkdownItToken,
  'type' | 'tag' | 'nesting' | 'attrs' | 'content' | 'meta' | 'hidden' | 'block'
> & { children: Token[] | null };

function makeToken(type: string, tag: string, nesting: Token['nesting'], content = ''): Token {
  return { type, tag, nesting, attrs: null, content, meta: null, hidden: false, block: false, children: null };
}

type HtmlAttributes = Readonly<Record<string, string>>;

/**
 * A user, group or address that a text refers to. The token that shows the reference keeps it in `meta`, so references
 * that are not shown don't count.
 */
export type MarkdownTextReference =
  | { readonly kind: 'user'; readonly id: number; readonly silent: boolean }
  | { readonly kind: 'group'; readonly id: number; readonly silent: boolean }
  | { readonly kind: 'wildcard'; readonly silent: boolean }
  | { readonly kind: 'topic'; readonly silent: boolean }
  /** A link: its address, and the text that readers see. */
  | { readonly kind: 'link'; readonly url: string; readonly text: string };

function setTokenAttributes(token: Token, attrs: HtmlAttributes): Token {
  const entries = Object.entries(attrs);
  if (entries.length > 0) token.attrs = entries;
  return token;
}

export const makeOpeningTagToken = (tag: string, attrs: HtmlAttributes = {}): Token =>
  setTokenAttributes(makeToken(`${tag}_open`, tag, 1), attrs);

export const makeClosingTagToken = (tag: string): Token => makeToken(`${tag}_close`, tag, -1);

export const makeVoidElementToken = (tag: string, attrs: HtmlAttributes = {}): Token =>
  setTokenAttributes(makeToken(tag, tag, 0), attrs);

/** Token of text that is escaped when rendered. Existing entities stay. */
export const makeTextToken = (content: string): Token => makeToken('text', '', 0, content);

/** Token of HTML that is emitted as it is. */
export const makeRawHtmlToken = (html: string): Token => makeToken('raw', '', 0, html);

/** Token of text whose inline constructs are not parsed yet. */
export function makeUnparsedInlineToken(content: string, quoted: boolean): Token {
  const token = makeToken('inline', '', 0, content);
  token.children = [];
  token.meta = { quoted };
  return token;
}

/** Token of an element around text that is not parsed any further. */
export function makeTextElementTokens(
  tag: string,
  attrs: HtmlAttributes,
  text: string,
  reference?: MarkdownTextReference,
): Token[] {
  const open = makeOpeningTagToken(tag, attrs);
  if (reference) open.meta = reference;
  return [open, makeTextToken(text), makeClosingTagToken(tag)];
}
