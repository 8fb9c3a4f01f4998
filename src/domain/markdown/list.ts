/** Ordered and bullet lists. 2 blanks indent by one level, and a list may mix tight and loose items. */
import {
  appendChildBlock,
  lastChildBlock,
  type MarkdownBlock,
  type MarkdownBlockParserPort,
  makeMarkdownBlock,
} from './tree.js';

/** Blanks of indentation per level of a list. */
const LIST_INDENT_COLUMNS = 2;

interface MarkdownListSyntax {
  readonly tag: 'ol' | 'ul';
  /** Matches the first line of an item: its mark and its text. */
  readonly item: RegExp;
}

export const NUMBERED_LIST_SYNTAX: MarkdownListSyntax = { tag: 'ol', item: /^ ?(\d+\.) +(.*)$/ };
export const BULLET_LIST_SYNTAX: MarkdownListSyntax = { tag: 'ul', item: /^ ?([*+-]) +(.*)$/ };
/** Matches a list item of either kind one level deeper. */
const NESTED_LIST_ITEM_PATTERN = /^ {2,3}(?:\d+\.|[*+-]) +/;

const hasListIndent = (text: string): boolean => text.startsWith(' '.repeat(LIST_INDENT_COLUMNS));
const isListTag = (tag: string | undefined): boolean => tag === 'ol' || tag === 'ul';

export function startsWithListItem(text: string, kind: MarkdownListSyntax): boolean {
  return kind.item.test(firstLineOf(text));
}

function firstLineOf(text: string): string {
  const end = text.indexOf('\n');
  return end < 0 ? text : text.slice(0, end);
}

export function parseMarkdownListInto(
  parser: MarkdownBlockParserPort,
  parent: MarkdownBlock,
  text: string,
  kind: MarkdownListSyntax,
): void {
  const { items, start } = splitListItemsAndStart(text, kind);
  const sibling = lastChildBlock(parent);
  let list: MarkdownBlock;
  if (sibling?.tag === kind.tag) {
    list = sibling;
    makeListItemLoose(lastChildBlock(list));
    const first = appendChildBlock(list, makeMarkdownBlock('li'));
    parser.parseInMode('loose', () => parser.parseBlockTexts(first, items.splice(0, 1)));
  } else if (isListTag(parent.tag)) {
    list = parent;
  } else {
    list = appendChildBlock(parent, makeMarkdownBlock(kind.tag));
    if (kind.tag === 'ol' && start !== '1') list.attrs.start = start;
  }
  parser.parseInMode('list', () => {
    for (const item of items) {
      const target = hasListIndent(item) ? lastChildBlock(list) : undefined;
      parser.parseBlockTexts(target ?? appendChildBlock(list, makeMarkdownBlock('li')), [item]);
    }
  });
}

/** Makes a list item loose, as a blank line after it demands: its text becomes paragraphs. */
function makeListItemLoose(item: MarkdownBlock | undefined): void {
  if (!item) return;
  if (item.text !== '') {
    item.children.unshift(makeMarkdownBlock('p', item.text));
    item.text = '';
  }
  const last = lastChildBlock(item);
  if (last && last.tail !== '') {
    appendChildBlock(item, makeMarkdownBlock('p', last.tail.trimStart()));
    last.tail = '';
  }
}

function splitListItemsAndStart(text: string, kind: MarkdownListSyntax): { items: string[]; start: string } {
  const items: string[][] = [];
  let start = '1';
  for (const line of text.split('\n')) {
    const found = kind.item.exec(line);
    const current = items.at(-1);
    if (found || !current) {
      if (!current) start = String(Number.parseInt(found?.[1] ?? '1', 10));
      items.push([found?.[2] ?? line]);
    } else if (NESTED_LIST_ITEM_PATTERN.test(line) && !hasListIndent(current[0] ?? '')) {
      items.push([line]);
    } else {
      current.push(line);
    }
  }
  return { items: items.map((lines) => lines.join('\n')), start };
}

/** True if the block continues a list item after a blank line. */
export function isMarkdownListContinuation(
  parser: MarkdownBlockParserPort,
  parent: MarkdownBlock,
  text: string,
): boolean {
  if (!hasListIndent(text) || parser.currentMode === 'detabbed') return false;
  return parent.tag === 'li' || isListTag(lastChildBlock(parent)?.tag);
}

export function continueMarkdownListItem(parser: MarkdownBlockParserPort, parent: MarkdownBlock, text: string): void {
  const { level, target } = findDeepestIndentedListTarget(parser, parent, text);
  const inner = removeListIndentLevels(text, level);
  parser.parseInMode('detabbed', () => {
    if (parent.tag === 'li') {
      const last = lastChildBlock(parent);
      parser.parseBlockTexts(last && isListTag(last.tag) ? last : parent, [inner]);
    } else if (target.tag === 'li') {
      parser.parseBlockTexts(target, [inner]);
    } else {
      const item = lastChildBlock(target);
      if (item?.tag === 'li') {
        if (item.text !== '') {
          item.children.unshift(makeMarkdownBlock('p', item.text));
          item.text = '';
        }
        parser.parseChunk(item, inner);
      } else {
        parser.parseBlockTexts(appendChildBlock(target, makeMarkdownBlock('li')), [inner]);
      }
    }
  });
}

/** The deepest list or item that the indentation of `text` reaches, and the level of that list. */
function findDeepestIndentedListTarget(
  parser: MarkdownBlockParserPort,
  parent: MarkdownBlock,
  text: string,
): { level: number; target: MarkdownBlock } {
  const indented = Math.floor((text.length - text.trimStart().length) / LIST_INDENT_COLUMNS);
  let level = parser.currentMode === 'list' ? 1 : 0;
  let target = parent;
  while (indented > level) {
    const child = lastChildBlock(target);
    if (!child || !(isListTag(child.tag) || child.tag === 'li')) break;
    if (isListTag(child.tag)) level++;
    target = child;
  }
  return { level, target };
}

function removeListIndentLevels(text: string, level: number): string {
  const indent = ' '.repeat(LIST_INDENT_COLUMNS * level);
  return text
    .split('\n')
    .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
    .join('\n');
}
