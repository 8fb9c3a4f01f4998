/** The tree that blocks are parsed into, and its way into markdown-it tokens. */
import { closing, inlineToken, opening, rawToken, single, type Token, textToken } from './tokens.js';

/**
 * `text` is what stands before the first child, `tail` what follows the element: list items hold text without a
 * paragraph before and after inner lists.
 */
export interface Block {
  readonly tag: string;
  readonly attrs: Record<string, string>;
  text: string;
  tail: string;
  readonly children: Block[];
  /** Ready tokens in place of everything else. */
  readonly ready?: readonly Token[];
}

export function block(tag: string, text = ''): Block {
  return { tag, attrs: {}, text, tail: '', children: [] };
}

export function readyBlock(tokens: readonly Token[]): Block {
  return { ...block('ready'), ready: tokens };
}

/** `<pre>` of an indented code block; its text is still source, so that a following block can continue it. */
export const CODE = 'code-block';

export function lastChild(parent: Block): Block | undefined {
  return parent.children.at(-1);
}

export function append(parent: Block, child: Block): Block {
  parent.children.push(child);
  return child;
}

const blank = (text: string): boolean => text.trim() === '';

/**
 * Tokens of the children of `parent`, each followed by a line break or by its tail.
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
