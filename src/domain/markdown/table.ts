/** Pipe tables: a header row, a row of dashes, then data rows. */
import { appendChildBlock, type MarkdownBlock, makeMarkdownBlock } from './tree.js';

interface TableColumnsShape {
  readonly bordered: boolean;
  readonly aligned: readonly string[];
}

/** Maximum number of cells of a table: many short rows under a wide header would make far more HTML than text. */
const MAX_TABLE_CELLS = 5_000;

/** Appends a pipe table to `parent`. @returns false, without an effect, if the text is no table */
export function tryParseMarkdownTableInto(parent: MarkdownBlock, text: string): boolean {
  const [head = '', dashes, ...rows] = text.split('\n').map((line) => line.trim());
  if (dashes === undefined) return false;
  const shape = parseTableShapeOrNull(head, dashes);
  if (!shape || shape.aligned.length * (rows.length + 1) > MAX_TABLE_CELLS) return false;
  const table = appendChildBlock(parent, makeMarkdownBlock('table'));
  appendTableRow(
    appendChildBlock(table, makeMarkdownBlock('thead')),
    'th',
    splitTableRowCells(head, shape.bordered),
    shape,
  );
  const body = appendChildBlock(table, makeMarkdownBlock('tbody'));
  for (const row of rows) appendTableRow(body, 'td', splitTableRowCells(row, shape.bordered), shape);
  if (rows.length === 0) appendTableRow(body, 'td', [], shape);
  return true;
}

function parseTableShapeOrNull(head: string, dashes: string): TableColumnsShape | null {
  const isBordered = head.startsWith('|') || endsWithUnescapedPipe(head);
  const names = splitTableRowCells(head, isBordered);
  const isSingle = names.length === 1 && isBordered && (dashes.startsWith('|') || endsWithUnescapedPipe(dashes));
  if (names.length < 2 && !isSingle) return null;
  const marks = splitTableRowCells(dashes, isBordered);
  if (marks.length !== names.length || !marks.every((mark) => /^[|: -]*$/.test(mark))) return null;
  return { bordered: isBordered, aligned: marks.map((mark) => columnAlignmentOfDashes(mark.trim())) };
}

function columnAlignmentOfDashes(mark: string): string {
  const left = mark.startsWith(':');
  const right = mark.endsWith(':');
  return left && right ? 'center' : left ? 'left' : right ? 'right' : '';
}

const endsWithUnescapedPipe = (row: string): boolean => row.endsWith('|') && !row.endsWith('\\|');

function appendTableRow(
  parent: MarkdownBlock,
  tag: 'th' | 'td',
  texts: readonly string[],
  { aligned }: TableColumnsShape,
): void {
  const row = appendChildBlock(parent, makeMarkdownBlock('tr'));
  for (const [column, align] of aligned.entries()) {
    const cell = appendChildBlock(row, makeMarkdownBlock(tag, (texts[column] ?? '').trim()));
    if (align !== '') cell.attrs.style = `text-align: ${align};`;
  }
}

/** Splits a table row at its pipes, except those in code and after a backslash. */
function splitTableRowCells(row: string, bordered: boolean): string[] {
  let inner = row;
  if (bordered) {
    if (inner.startsWith('|')) inner = inner.slice(1);
    if (endsWithUnescapedPipe(inner)) inner = inner.slice(0, -1);
  }
  if (!inner.includes('|')) return [inner];
  const closers = lastBacktickRunOffsetByLength(inner);
  const out: string[] = [];
  let start = 0;
  for (let at = 0; at < inner.length; at++) {
    const char = inner[at];
    if (char === '\\') {
      at++;
    } else if (char === '`') {
      const length = backtickRunLength(inner, at);
      at = findInlineCodeLastOffset(inner, at, length, closers);
    } else if (char === '|') {
      out.push(inner.slice(start, at));
      start = at + 1;
    }
  }
  out.push(inner.slice(start));
  return out;
}

function backtickRunLength(text: string, at: number): number {
  let end = at;
  while (text[end] === '`') end++;
  return end - at;
}

/** Offset of the last run of backticks of each length: bounds the search for a closing run. */
function lastBacktickRunOffsetByLength(text: string): Map<number, number> {
  const last = new Map<number, number>();
  for (const { 0: run, index } of text.matchAll(/`+/g)) last.set(run.length, index);
  return last;
}

/**
 * Finds the end of inline code that begins at `at`.
 *
 * @returns offset of the code's last character, or of its opening run's last character if the code isn't closed
 */
function findInlineCodeLastOffset(text: string, at: number, length: number, closers: Map<number, number>): number {
  const last = closers.get(length) ?? -1;
  let next = at + length;
  while (next <= last) {
    const run = text[next] === '`' ? backtickRunLength(text, next) : 0;
    if (run === length) return next + length - 1;
    next += Math.max(run, 1);
  }
  return at + length - 1;
}
