/** Pipe tables: a header row, a row of dashes, then data rows. */
import { appendChildBlock, type MarkdownBlock, makeMarkdownBlock } from './tree.js';

interface TableShape {
  readonly bordered: boolean;
  readonly aligned: readonly string[];
}

/** Maximum number of cells of a table: many short rows under a wide header would make far more HTML than text. */
const MAX_TABLE_CELLS = 5_000;

/** Appends a pipe table to `parent`. @returns false, without an effect, if the text is no table */
export function parseMarkdownTable(parent: MarkdownBlock, text: string): boolean {
  const [head = '', dashes, ...rows] = text.split('\n').map((line) => line.trim());
  if (dashes === undefined) return false;
  const shape = parseTableShape(head, dashes);
  if (!shape || shape.aligned.length * (rows.length + 1) > MAX_TABLE_CELLS) return false;
  const table = appendChildBlock(parent, makeMarkdownBlock('table'));
  addTableRow(appendChildBlock(table, makeMarkdownBlock('thead')), 'th', splitCells(head, shape.bordered), shape);
  const body = appendChildBlock(table, makeMarkdownBlock('tbody'));
  for (const row of rows) addTableRow(body, 'td', splitCells(row, shape.bordered), shape);
  if (rows.length === 0) addTableRow(body, 'td', [], shape);
  return true;
}

function parseTableShape(head: string, dashes: string): TableShape | null {
  const isBordered = head.startsWith('|') || endsWithBorder(head);
  const names = splitCells(head, isBordered);
  const isSingle = names.length === 1 && isBordered && (dashes.startsWith('|') || endsWithBorder(dashes));
  if (names.length < 2 && !isSingle) return null;
  const marks = splitCells(dashes, isBordered);
  if (marks.length !== names.length || !marks.every((mark) => /^[|: -]*$/.test(mark))) return null;
  return { bordered: isBordered, aligned: marks.map((mark) => columnAlignment(mark.trim())) };
}

function columnAlignment(mark: string): string {
  const left = mark.startsWith(':');
  const right = mark.endsWith(':');
  return left && right ? 'center' : left ? 'left' : right ? 'right' : '';
}

const endsWithBorder = (row: string): boolean => row.endsWith('|') && !row.endsWith('\\|');

function addTableRow(parent: MarkdownBlock, tag: 'th' | 'td', texts: readonly string[], { aligned }: TableShape): void {
  const row = appendChildBlock(parent, makeMarkdownBlock('tr'));
  for (const [column, align] of aligned.entries()) {
    const cell = appendChildBlock(row, makeMarkdownBlock(tag, (texts[column] ?? '').trim()));
    if (align !== '') cell.attrs.style = `text-align: ${align};`;
  }
}

/** Splits a table row at its pipes, except those in code and after a backslash. */
function splitCells(row: string, bordered: boolean): string[] {
  let inner = row;
  if (bordered) {
    if (inner.startsWith('|')) inner = inner.slice(1);
    if (endsWithBorder(inner)) inner = inner.slice(0, -1);
  }
  if (!inner.includes('|')) return [inner];
  const closers = lastBacktickRuns(inner);
  const out: string[] = [];
  let start = 0;
  for (let at = 0; at < inner.length; at++) {
    const char = inner[at];
    if (char === '\\') {
      at++;
    } else if (char === '`') {
      const length = backtickRunLength(inner, at);
      at = findInlineCodeEnd(inner, at, length, closers);
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
function lastBacktickRuns(text: string): Map<number, number> {
  const last = new Map<number, number>();
  for (const { 0: run, index } of text.matchAll(/`+/g)) last.set(run.length, index);
  return last;
}

/**
 * Finds the end of inline code that begins at `at`.
 *
 * @returns offset of the code's last character, or of its opening run's last character if the code isn't closed
 */
function findInlineCodeEnd(text: string, at: number, length: number, closers: Map<number, number>): number {
  const last = closers.get(length) ?? -1;
  let next = at + length;
  while (next <= last) {
    const run = text[next] === '`' ? backtickRunLength(text, next) : 0;
    if (run === length) return next + length - 1;
    next += Math.max(run, 1);
  }
  return at + length - 1;
}
