/** The tree of parsed blocks, its conversion into markdown-it tokens, and the parser interface that blocks call. */
import {
  makeClosingTagToken,
  makeInlineTextToken,
  makeOpeningTagToken,
  makeRawHtmlToken,
  makeTextToken,
  makeVoidElementToken,
  type Token,
} from './tokens.js';

/**
 * An element. `text` precedes the first child, `tail` follows the element: list items have text without a paragraph
 * before and after inner lists.
 */
export interface MarkdownBlock {
  readonly tag: string;
  readonly attrs: Record<string, string>;
  text: string;
  tail: string;
  readonly children: MarkdownBlock[];
  /** Tokens of a finished block; they replace all other fields. */
  readonly ready?: readonly Token[];
}

export function makeMarkdownBlock(tag: string, text = ''): MarkdownBlock {
  return { tag, attrs: {}, text, tail: '', children: [] };
}

export function makeMarkdownBlockOfTokens(tokens: readonly Token[]): MarkdownBlock {
  return { ...makeMarkdownBlock('ready'), ready: tokens };
}

/** Tag of an indented code block. Its text stays source until rendering, so that the next block can continue it. */
export const INDENTED_CODE_BLOCK_TAG = 'code-block';

/** How the innermost list or quote wants its content to be parsed. */
export type MarkdownBlockMode = 'root' | 'list' | 'loose' | 'detabbed' | 'quote';

/** The block parser as lists and quotes see it: they pass their content back to it. */
export interface MarkdownBlockReader {
  readonly mode: MarkdownBlockMode;
  /** Calls `parse` while this parser is in another mode. */
  within(mode: MarkdownBlockMode, parse: () => void): void;
  /** Parses a text that may hold several blocks. */
  chunk(parent: MarkdownBlock, text: string): void;
  /** Parses texts that hold one block each. */
  blocks(parent: MarkdownBlock, texts: readonly string[]): void;
}

export function lastChildBlock(parent: MarkdownBlock): MarkdownBlock | undefined {
  return parent.children.at(-1);
}

export function appendChildBlock(parent: MarkdownBlock, child: MarkdownBlock): MarkdownBlock {
  parent.children.push(child);
  return child;
}

const blank = (text: string): boolean => text.trim() === '';

/**
 * Tokens of the children of `parent`, each followed by its tail or a line break.
 * @param renderCode makes the HTML of an indented code block
 */
export function tokensOfChildBlocks(
  parent: MarkdownBlock,
  quoted: boolean,
  renderCode: (text: string) => string,
): Token[] {
  const out: Token[] = [];
  for (const child of parent.children) {
    if (child.ready) for (const token of child.ready) out.push(token);
    else if (child.tag === INDENTED_CODE_BLOCK_TAG) out.push(makeRawHtmlToken(renderCode(child.text)));
    else if (child.tag === 'hr') out.push(makeVoidElementToken('hr'));
    else for (const token of elementTokens(child, quoted, renderCode)) out.push(token);
    out.push(blank(child.tail) ? makeTextToken('\n') : makeInlineTextToken(child.tail, quoted));
  }
  return out;
}

function elementTokens(element: MarkdownBlock, quoted: boolean, renderCode: (text: string) => string): Token[] {
  const within = quoted || element.tag === 'blockquote';
  const out = [makeOpeningTagToken(element.tag, element.attrs)];
  if (!blank(element.text)) out.push(makeInlineTextToken(element.text, within));
  else if (element.children.length > 0) out.push(makeTextToken('\n'));
  for (const token of tokensOfChildBlocks(element, within, renderCode)) out.push(token);
  out.push(makeClosingTagToken(element.tag));
  return out;
}
