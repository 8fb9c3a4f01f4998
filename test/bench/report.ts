/** Table of figures, as aligned text or as Markdown, and a description of machine and commit. */
import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { type Figure, median, ratioOfMedians } from './figures.js';
import { boundText, judgeFigure } from './goals.js';

const NONE = '-';

export const formatNumber = (n: number): string => {
  if (Number.isNaN(n)) return NONE;
  return n >= 100 ? Math.round(n).toLocaleString('en-US') : n.toPrecision(n >= 1 ? 3 : 2);
};

function formatRange(values: readonly number[]): string {
  if (values.length === 0) return NONE;
  return `${formatNumber(median(values))} [${formatNumber(Math.min(...values))}–${formatNumber(Math.max(...values))}]`;
}

const HEADINGS = ['figure', 'unit', 'ours: median [min–max]', 'ceiling', 'median [min–max]', 'ratio', 'goal', 'met'];
const LEFT_ALIGNED_COLUMNS = new Set([0, 1, 3]);
const EMPTY_ROW = HEADINGS.map(() => '');

function goalCells(figure: Figure): string[] {
  const judged = judgeFigure(figure);
  if (!judged) return ['', ''];
  const { goal, met } = judged;
  return [`${goal.quantity === 'ratio' ? 'ratio ' : ''}${boundText(goal)}`, met ? 'yes' : 'no'];
}

/** @returns the table rows of a figure, one for each of its ceilings */
function rows(figure: Figure): string[][] {
  const { name, unit, ours, bare, note } = figure;
  if (note !== '') return [[name, '', note, ...EMPTY_ROW.slice(3)]];
  const goal = goalCells(figure);
  if (bare.length === 0) return [[name, unit, formatRange(ours), NONE, NONE, NONE, ...goal]];
  return bare.map((one, i) => [
    ...(i === 0 ? [name, unit, formatRange(ours)] : ['', '', '']),
    ...[one.name, formatRange(one.values), formatNumber(ratioOfMedians(figure, one))],
    ...(i === 0 ? goal : ['', '']),
  ]);
}

export function figureTable(figures: readonly Figure[], markdown: boolean): string {
  const all = [HEADINGS, ...figures.flatMap(rows)];
  if (markdown) {
    const lines = all.map((cells) => `| ${cells.join(' | ')} |`);
    const align = `|${HEADINGS.map((_, i) => (LEFT_ALIGNED_COLUMNS.has(i) ? '---' : '---:')).join('|')}|`;
    return [lines[0], align, ...lines.slice(1)].join('\n');
  }
  const widths = HEADINGS.map((_, column) => Math.max(...all.map((cells) => cells[column]!.length)));
  return all
    .map((cells) =>
      cells
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function git(...args: string[]): string {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}

/** @returns the commit of the working tree, and whether `src` or `actors` have uncommitted changes */
export const currentCommit = (): { readonly id: string; readonly changed: boolean } => ({
  id: git('rev-parse', '--short', 'HEAD') || 'unknown',
  changed: git('status', '--porcelain', '--', 'src', 'actors') !== '',
});

export function hardwareText(): string {
  const [cpu] = cpus();
  return `${cpus().length} cores (${cpu?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB`;
}

export const today = (): string => new Date().toISOString().slice(0, 10);

export function machineText(): string {
  const { id, changed } = currentCommit();
  return `${hardwareText()}, Node ${process.versions.node}, ${today()}, commit ${id}${changed ? ' with changes' : ''}`;
}
