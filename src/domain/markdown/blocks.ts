/**
 * Block structure (markdown.md § Blocks). A text is cut at blank lines. The first construct that accepts a cut, in the
 * order of markdown.md § Pipeline, parses it, and puts the rest that it doesn't use back into the queue.
 */
import {
  BULLET_LIST_SYNTAX,
  continueMarkdownListItem,
  isMarkdownListContinuation,
  NUMBERED_LIST_SYNTAX,
  parseMarkdownListInto,
  startsWithListItem,
} from './list.js';
import { MARKDOWN_TAB_COLUMNS } from './normalize.js';
import { findMarkdownQuoteStart, parseMarkdownQuoteInto } from './quote.js';
import { tryParseMarkdownTableInto } from './table.js';
import {
  appendChildBlock,
  INDENTED_CODE_BLOCK_PSEUDO_TAG,
  lastChildBlock,
  type MarkdownBlock,
  type MarkdownBlockMode,
  type MarkdownBlockParserPort,
  makeMarkdownBlock,
} from './tree.js';

/** Maximum nesting of lists and quotes. Deeper ones stay text. */
const MAX_BLOCK_DEPTH = 40;

export class MarkdownBlockParser implements MarkdownBlockParserPort {
  readonly #modeStack: MarkdownBlockMode[] = ['root'];
  #nestingDepth = 0;

  get currentMode(): MarkdownBlockMode {
    return this.#modeStack.at(-1) ?? 'root';
  }

  parseInMode(mode: MarkdownBlockMode, parse: () => void): void {
    this.#modeStack.push(mode);
    parse();
    this.#modeStack.pop();
  }

  parseChunk(parent: MarkdownBlock, text: string): void {
    this.parseBlockTexts(parent, text.split('\n\n'));
  }

  parseBlockTexts(parent: MarkdownBlock, texts: readonly string[]): void {
    // The queue is reversed: the next text is the last element, so that pop and push take constant time.
    const queue = [...texts].reverse();
    this.#nestingDepth++;
    for (let text = queue.pop(); text !== undefined; text = queue.pop()) this.#parseNextBlock(parent, text, queue);
    this.#nestingDepth--;
  }

  #parseNextBlock(parent: MarkdownBlock, text: string, queue: string[]): void {
    const giveBack = (rest: string): void => {
      if (rest !== '') queue.push(rest);
    };
    if (text === '' || text.startsWith('\n')) {
      const previous = lastChildBlock(parent);
      if (previous?.tag === INDENTED_CODE_BLOCK_PSEUDO_TAG) previous.text += text === '' ? '\n\n' : '\n';
      giveBack(text.slice(1));
      return;
    }
    if (PLAIN_LINE_PATTERN.test(text)) {
      this.#appendPlainTextOrParagraph(parent, text);
      return;
    }
    const nests = this.#nestingDepth < MAX_BLOCK_DEPTH;
    if (nests && isMarkdownListContinuation(this, parent, text)) {
      continueMarkdownListItem(this, parent, text);
    } else if (text.startsWith(' '.repeat(MARKDOWN_TAB_COLUMNS))) {
      giveBack(appendLeadingIndentedCode(parent, text));
    } else {
      const heading = ATX_HEADING_PATTERN.exec(text);
      const rule = heading ? null : splitAtFirstHorizontalRule(text);
      if (heading) {
        if (heading.index > 0) this.parseBlockTexts(parent, [text.slice(0, heading.index)]);
        appendChildBlock(parent, makeMarkdownBlock(`h${heading[1]?.length ?? 1}`, trimClosingHashes(heading[2] ?? '')));
        giveBack(text.slice(heading.index + heading[0].length));
      } else if (rule) {
        if (rule.before !== '') this.parseBlockTexts(parent, [rule.before]);
        appendChildBlock(parent, makeMarkdownBlock('hr'));
        giveBack(rule.after);
      } else if (nests && startsWithListItem(text, NUMBERED_LIST_SYNTAX)) {
        parseMarkdownListInto(this, parent, text, NUMBERED_LIST_SYNTAX);
      } else if (nests && startsWithListItem(text, BULLET_LIST_SYNTAX)) {
        parseMarkdownListInto(this, parent, text, BULLET_LIST_SYNTAX);
      } else if (nests && findMarkdownQuoteStart(text) >= 0) {
        parseMarkdownQuoteInto(this, parent, text);
      } else if (!tryParseMarkdownTableInto(parent, text)) {
        this.#appendPlainTextOrParagraph(parent, text);
      }
    }
  }

  /** Appends a text: as plain text directly in a tight list item, otherwise as a paragraph. */
  #appendPlainTextOrParagraph(parent: MarkdownBlock, text: string): void {
    if (text.trim() === '') return;
    if (this.currentMode !== 'list') {
      appendChildBlock(parent, makeMarkdownBlock('p', text.trimStart().replace(/\n$/, '')));
      return;
    }
    const sibling = lastChildBlock(parent);
    if (sibling) sibling.tail += `\n${text}`;
    else if (parent.text !== '') parent.text += `\n${text}`;
    else parent.text = text.trimStart();
  }
}

/** Matches one line that begins with a letter, as most messages do: every other construct has another beginning. */
const PLAIN_LINE_PATTERN = /^\p{L}[^\n]*$/u;

const ATX_HEADING_PATTERN = /(?:^|\n)(#{1,6}) +([^\n]*)(?:\n|$)/;

function trimClosingHashes(title: string): string {
  let end = title.length;
  while (end > 0 && title[end - 1] === '#') end--;
  return title.slice(0, end).trim();
}

/** Appends indented code to the parent. @returns the text after the code */
function appendLeadingIndentedCode(parent: MarkdownBlock, text: string): string {
  const lines = text.split('\n');
  const indent = ' '.repeat(MARKDOWN_TAB_COLUMNS);
  let end = 0;
  while (end < lines.length && (lines[end]?.startsWith(indent) || lines[end]?.trim() === '')) end++;
  const code = lines
    .slice(0, end)
    .map((line) => line.slice(MARKDOWN_TAB_COLUMNS))
    .join('\n')
    .trimEnd();
  const previous = lastChildBlock(parent);
  if (previous?.tag === INDENTED_CODE_BLOCK_PSEUDO_TAG) previous.text += `\n${code}\n`;
  else appendChildBlock(parent, makeMarkdownBlock(INDENTED_CODE_BLOCK_PSEUDO_TAG, `${code}\n`));
  return lines.slice(end).join('\n');
}

const HORIZONTAL_RULE_LIKE_PATTERN = /^[ -]+$|^[ _]+$|^[ *]+$/;

function splitAtFirstHorizontalRule(text: string): { before: string; after: string } | null {
  let at = 0;
  for (const line of text.split('\n')) {
    if (HORIZONTAL_RULE_LIKE_PATTERN.test(line) && isHorizontalRule(line)) {
      const after = text.slice(at + line.length);
      return { before: text.slice(0, at).replace(/\n+$/, ''), after: after.replace(/^\n+/, '') };
    }
    at += line.length + 1;
  }
  return null;
}

/** True for a horizontal rule: three marks or more with at most two blanks between them. */
function isHorizontalRule(line: string): boolean {
  const marks = line.trimEnd();
  const indent = marks.length - marks.trimStart().length;
  return indent <= 3 && !/ {3}/.test(marks.slice(indent)) && marks.replaceAll(' ', '').length >= 3;
}
