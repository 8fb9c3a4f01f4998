/** Making of markdown-it tokens. None is marked as a block: all line breaks of the output are tokens of their own. */
import MarkdownIt, { type Token } from 'markdown-it';

export type { Token };

const { Token: TokenClass } = MarkdownIt;

type Attributes = Readonly<Record<string, string>>;

/** What the message names; kept on the token, so that only what is really shown counts. */
export type TextReference =
  | { readonly kind: 'user'; readonly id: number; readonly silent: boolean }
  | { readonly kind: 'group'; readonly id: number; readonly silent: boolean }
  | { readonly kind: 'wildcard'; readonly silent: boolean }
  /** `text` is what the reader sees. */
  | { readonly kind: 'link'; readonly url: string; readonly text: string };

function withAttributes(token: Token, attrs: Attributes): Token {
  const entries = Object.entries(attrs);
  if (entries.length > 0) token.attrs = entries;
  return token;
}

export const opening = (tag: string, attrs: Attributes = {}): Token =>
  withAttributes(new TokenClass(`${tag}_open`, tag, 1), attrs);

export const closing = (tag: string): Token => new TokenClass(`${tag}_close`, tag, -1);

export const single = (tag: string, attrs: Attributes = {}): Token =>
  withAttributes(new TokenClass(tag, tag, 0), attrs);

/** Escaped when rendered; existing entities stay. */
export function textToken(content: string): Token {
  const token = new TokenClass('text', '', 0);
  token.content = content;
  return token;
}

/** Ready HTML of our own making. */
export function rawToken(html: string): Token {
  const token = new TokenClass('raw', '', 0);
  token.content = html;
  return token;
}

/** Text whose inline constructs are still to be found. */
export function inlineToken(content: string, quoted: boolean): Token {
  const token = new TokenClass('inline', '', 0);
  token.content = content;
  token.children = [];
  token.meta = { quoted };
  return token;
}

/** An element around text that is not looked at again. */
export function leaf(tag: string, attrs: Attributes, text: string, meaning?: TextReference): Token[] {
  const open = opening(tag, attrs);
  if (meaning) open.meta = meaning;
  return [open, textToken(text), closing(tag)];
}
