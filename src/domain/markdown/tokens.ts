/** Constructors of markdown-it tokens. No token is marked as a block: every line break of the output is a token. */
import MarkdownIt, { type Token } from 'markdown-it';

export type { Token };

const { Token: TokenClass } = MarkdownIt;

type Attributes = Readonly<Record<string, string>>;

/**
 * A user, group or address that a text refers to. The token that shows the reference keeps it in `meta`, so references
 * that are not shown don't count.
 */
export type TextReference =
  | { readonly kind: 'user'; readonly id: number; readonly silent: boolean }
  | { readonly kind: 'group'; readonly id: number; readonly silent: boolean }
  | { readonly kind: 'wildcard'; readonly silent: boolean }
  /** A link: its address, and the text that readers see. */
  | { readonly kind: 'link'; readonly url: string; readonly text: string };

function withAttributes(token: Token, attrs: Attributes): Token {
  const entries = Object.entries(attrs);
  if (entries.length > 0) token.attrs = entries;
  return token;
}

export const openingToken = (tag: string, attrs: Attributes = {}): Token =>
  withAttributes(new TokenClass(`${tag}_open`, tag, 1), attrs);

export const closingToken = (tag: string): Token => new TokenClass(`${tag}_close`, tag, -1);

export const voidElementToken = (tag: string, attrs: Attributes = {}): Token =>
  withAttributes(new TokenClass(tag, tag, 0), attrs);

/** Token of text that is escaped when rendered. Existing entities stay. */
export function textToken(content: string): Token {
  const token = new TokenClass('text', '', 0);
  token.content = content;
  return token;
}

/** Token of HTML that is emitted as it is. */
export function rawHtmlToken(html: string): Token {
  const token = new TokenClass('raw', '', 0);
  token.content = html;
  return token;
}

/** Token of text whose inline constructs are not parsed yet. */
export function inlineToken(content: string, quoted: boolean): Token {
  const token = new TokenClass('inline', '', 0);
  token.content = content;
  token.children = [];
  token.meta = { quoted };
  return token;
}

/** Token of an element around text that is not parsed any further. */
export function textElementToken(tag: string, attrs: Attributes, text: string, reference?: TextReference): Token[] {
  const open = openingToken(tag, attrs);
  if (reference) open.meta = reference;
  return [open, textToken(text), closingToken(tag)];
}
