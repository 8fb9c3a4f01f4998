/** The tree of parsed blocks, its conversion into markdown-it tokens, and the parser interface that blocks call. */
import { closing, inlineToken, opening, rawToken, single, type Token, textToken } from './tokens.js';

/**
 * An element. `text` precedes the first child, `tail` follows the element: list items have text without a paragraph
 * before and after inner lists.
 */
export interface Block {
  readonly tag: string;
  readonly attrs: Record<string, string>;
  text: string;
  tail: string;
  readonly children: Block[];
  /** Tokens of a finished block, in place of all other fields. */
  readonly ready?: readonly Token[];
}

export function block(tag: string, text = ''): Block {
  return { tag, attrs: {}, text, tail: '', children: [] };
}

export function readyBlock(tokens: readonly Token[]): Block {
  return { ...block('ready'), ready: tokens };
}

/** Tag of an indented code block. Its text stays source until rendering, so that the next block can continue it. */
export const CODE = 'code-block';

/** The way in which the innermost list or quote wants its content to be read. */
export type Mode = 'root' | 'list' | 'loose' | 'detabbed' | 'quote';

/** The block parser as lists and quotes see it: they pass their content back to it. */
export interface BlockReader {
  readonly mode: Mode;
  /** Calls `parse` with another mode. */
  within(mode: Mode, parse: () => void): void;
  /** Parses a text that may hold several blocks. */
  chunk(parent: Block, text: string): void;
  /** Parses texts that hold one block each. */
  blocks(parent: Block, texts: readonly string[]): void;
}

export function lastChild(parent: Block): Block | undefined {
  return parent.children.at(-1);
}

export function append(parent: Block, child: Block): Block {
  parent.children.push(child);
  return child;
}

const blank = (text: string): boolean => text.trim() === '';

/**
 * Tokens of the children of `parent`. A line break or the tail follows each.
 * @param renderCode HTML of an indented code block
 */
export function childTokens(parent: Block, quoted: boolean, renderCode: (text: string) => string): Token[] {
  const out: Token[] = [];
  for (const child of parent.children) {
    if (child.ready) for (const token of child.ready) out.push(token);
    else if (child.tag === CODE) out.push(rawToken(renderCode(child.text)));
    else if (child.tag === 'hr') out.push(single('hr'));
    else for (const token of elementTokens(child, quoted, renderCode)) out.push(token);
    out.push(blank(child.tail) ? textToken('\n') : inlineToken(child.tail, quoted));
  }
  return out;
}

function elementTokens(element: Block, quoted: boolean, renderCode: (text: string) => string): Token[] {
  const within = quoted || element.tag === 'blockquote';
  const out = [opening(element.tag, element.attrs)];
  if (!blank(element.text)) out.push(inlineToken(element.text, within));
  else if (element.children.length > 0) out.push(textToken('\n'));
  for (const token of childTokens(element, within, renderCode)) out.push(token);
  out.push(closing(element.tag));
  return out;
}
