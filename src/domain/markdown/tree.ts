/** The tree of parsed blocks, its conversion into markdown-it tokens, and the parser interface that blocks call. */
import {
  makeClosingTagToken,
  makeOpeningTagToken,
  makeRawHtmlToken,
  makeTextToken,
  makeUnparsedInlineToken,
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

export function makeFinishedMarkdownBlock(tokens: readonly Token[]): MarkdownBlock {
  return { ...makeMarkdownBlock('ready'), ready: tokens };
}

/** Tag of an indented code block. Its text stays source until rendering, so that the next block can continue it. */
export const INDENTED_CODE_BLOCK_PSEUDO_TAG = 'code-block';

/** How the innermost list or quote wants its content to be parsed. */
export type MarkdownBlockMode = 'root' | 'list' | 'loose' | 'detabbed' | 'quote';

/** The block parser as lists and quotes see it: they pass their content back to it. */
export interface MarkdownBlockParserPort {
  readonly currentMode: MarkdownBlockMode;
  /** Calls `parse` while this parser is in another mode. */
  parseInMode(mode: MarkdownBlockMode, parse: () => void): void;
  /** Parses a text that may hold several blocks. */
  parseChunk(parent: MarkdownBlock, text: string): void;
  /** Parses texts that hold one block each. */
  parseBlockTexts(parent: MarkdownBlock, texts: readonly string[]): void;
}

export function lastChildBlock(parent: MarkdownBlock): MarkdownBlock | undefined {
  return parent.children.at(-1);
}

export function appendChildBlock(parent: MarkdownBlock, child: MarkdownBlock): MarkdownBlock {
  parent.children.push(child);
  return child;
}

const isBlankText = (text: string): boolean => text.trim() === '';

/**
 * Tokens of the children of `parent`, each followed by its tail or a line break.
 * @param renderCode makes the HTML of an indented code block
 */
export function makeTokensOfChildBlocks(
  parent: MarkdownBlock,
  quoted: boolean,
  renderCode: (text: string) => string,
): Token[] {
  const out: Token[] = [];
  for (const child of parent.children) {
    if (child.ready) for (const token of child.ready) out.push(token);
    else if (child.tag === INDENTED_CODE_BLOCK_PSEUDO_TAG) out.push(makeRawHtmlToken(renderCode(child.text)));
    else if (child.tag === 'hr') out.push(makeVoidElementToken('hr'));
    else for (const token of makeTokensOfElementBlock(child, quoted, renderCode)) out.push(token);
    out.push(isBlankText(child.tail) ? makeTextToken('\n') : makeUnparsedInlineToken(child.tail, quoted));
  }
  return out;
}

function makeTokensOfElementBlock(
  element: MarkdownBlock,
  quoted: boolean,
  renderCode: (text: string) => string,
): Token[] {
  const within = quoted || element.tag === 'blockquote';
  const out = [makeOpeningTagToken(element.tag, element.attrs)];
  if (!isBlankText(element.text)) out.push(makeUnparsedInlineToken(element.text, within));
  else if (element.children.length > 0) out.push(makeTextToken('\n'));
  for (const token of makeTokensOfChildBlocks(element, within, renderCode)) out.push(token);
  out.push(makeClosingTagToken(element.tag));
  return out;
}
