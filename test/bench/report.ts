/** Figures as a table, for the terminal or for docs/performance.md. */
import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';

export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly ours: readonly number[];
  readonly bare: readonly number[];
  readonly note: string;
}

export const figure = (name: string, unit: string, ours: readonly number[], bare: readonly number[]): Figure => ({
  name,
  unit,
  ours,
  bare,
  note: '',
});

export const notMeasured = (name: string, note: string): Figure => ({ name, unit: '', ours: [], bare: [], note });

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

const shown = (n: number): string => {
  if (Number.isNaN(n)) return '-';
  return n >= 100 ? Math.round(n).toLocaleString('en-US') : n.toPrecision(n >= 1 ? 3 : 2);
};

function spread(values: readonly number[]): string {
  if (values.length === 0) return '-';
  return `${shown(median(values))} [${shown(Math.min(...values))}–${shown(Math.max(...values))}]`;
}

const HEAD = ['figure', 'unit', 'ours: median [min–max]', 'bare uWebSockets.js', 'ratio'] as const;

function row({ name, unit, ours, bare, note }: Figure): string[] {
  if (note !== '') return [name, '', note, '', ''];
  const ratio = bare.length === 0 ? '-' : shown(median(ours) / median(bare));
  return [name, unit, spread(ours), spread(bare), ratio];
}

export function table(figures: readonly Figure[], markdown: boolean): string {
  const rows = [[...HEAD], ...figures.map(row)];
  if (markdown) {
    const lines = rows.map((cells) => `| ${cells.join(' | ')} |`);
    return [lines[0], '|---|---|---:|---:|---:|', ...lines.slice(1)].join('\n');
  }
  const widths = HEAD.map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)));
  return rows.map((cells) => cells.map((cell, i) => cell.padEnd(widths[i]!)).join('  ')).join('\n');
}

function git(...args: string[]): string {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}

export function machine(): string {
  const commit = git('rev-parse', '--short', 'HEAD') || 'unknown';
  const changed = git('status', '--porcelain', '--', 'src', 'actors') === '' ? '' : ' with changes';
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const date = new Date().toISOString().slice(0, 10);
  return `${cpus().length} cores (${cpu?.model.trim()}), ${memory} GiB, Node ${process.versions.node}, ${date}, commit ${commit}${changed}`;
}
