/**
 * Figures of earlier commits: one line of JSON for each recorded run, and the tables that docs/performance.md has of
 * them.
 */
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { type Figure, median, ratio } from './figures.js';
import { bound, GOALS, type Goal, holds } from './goals.js';
import { shown } from './report.js';

export const HISTORY = 'docs/bench/history.jsonl';
export const PAGE = 'docs/performance.md';

/** Median, least and most of the runs. */
export type Spread = readonly [median: number, least: number, most: number];

export interface RecordedFigure {
  readonly ours: Spread;
  readonly bare?: Readonly<Record<string, Spread>>;
  /** Median of Conclave divided by the median of the first bare program. */
  readonly ratio?: number;
}

/** A line of the history. */
export interface Recorded {
  readonly commit: string;
  readonly date: string;
  readonly machine: string;
  readonly node: string;
  readonly runs: number;
  /** Figures by their ids. */
  readonly figures: Readonly<Record<string, RecordedFigure>>;
}

/** More digits would be noise. */
const brief = (n: number): number => Number(n.toPrecision(4));

const spreadOf = (values: readonly number[]): Spread => [
  brief(median(values)),
  brief(Math.min(...values)),
  brief(Math.max(...values)),
];

function recordedFigure(figure: Figure): RecordedFigure {
  const [first] = figure.bare;
  return {
    ours: spreadOf(figure.ours),
    ...(first && {
      bare: Object.fromEntries(figure.bare.map(({ name, values }) => [name, spreadOf(values)])),
      ratio: brief(ratio(figure, first)),
    }),
  };
}

/** The record of a run, without figures that could not be measured. */
export const recordedOf = (run: Omit<Recorded, 'figures'>, figures: readonly Figure[]): Recorded => ({
  ...run,
  figures: Object.fromEntries(
    figures.filter(({ ours, id }) => ours.length > 0 && id !== '').map((one) => [one.id, recordedFigure(one)]),
  ),
});

export const parseHistory = (text: string): Recorded[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Recorded);

/** Runs of one commit as one, the later of two values; commits in the order in which they came. */
export function byCommit(history: readonly Recorded[]): Recorded[] {
  const commits = new Map<string, Recorded>();
  for (const run of history) {
    const known = commits.get(run.commit);
    commits.set(run.commit, { ...run, figures: { ...known?.figures, ...run.figures } });
  }
  return [...commits.values()];
}

const limit = (goal: Goal): string => `${bound(goal)}${goal.of === 'ratio' ? ' of bare' : ''}`;
/** Face of a goal: the last but one part of its id. */
const faceOf = ({ id }: Goal): string => id.split('/').at(-2)!;

/** Cell of the table; a figure that meets its goal is bold. */
function cell(run: Recorded, goal: Goal): string {
  const figure = run.figures[goal.id];
  const value = goal.of === 'ratio' ? figure?.ratio : figure?.ours[0];
  if (value === undefined) return '';
  return holds(goal, value) ? `**${shown(value)}**` : shown(value);
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

function faceTable(face: string, history: readonly Recorded[], goals: readonly Goal[]): string {
  const columns = goals.filter((goal) => faceOf(goal) === face);
  return [
    row([`${face}: commit`, 'date', ...columns.map((goal) => `${goal.title}: ${limit(goal)}`)]),
    `|---|---|${columns.map(() => '---:|').join('')}`,
    ...history.map((run) => row([run.commit, run.date, ...columns.map((goal) => cell(run, goal))])),
  ].join('\n');
}

/** Tables of the history, one per face: a row for each commit, a column for each goal. */
export function historyTables(history: readonly Recorded[], goals: readonly Goal[] = GOALS): string {
  const runs = byCommit(history);
  return ['embedded', 'cluster'].map((face) => faceTable(face, runs, goals)).join('\n\n');
}

const spread = (values: Spread | undefined): string => {
  if (!values) return '';
  const [middle, least, most] = values.map(shown);
  return `${middle} [${least}–${most}]`;
};

/** The newest figure of each goal, with what it was held against. */
export function goalTable(history: readonly Recorded[], goals: readonly Goal[] = GOALS): string {
  const newest = byCommit(history).reverse();
  const lines = goals.map((goal) => {
    const run = newest.find(({ figures }) => figures[goal.id] !== undefined);
    const figure = run?.figures[goal.id];
    const [[name, bare] = ['', undefined]] = Object.entries(figure?.bare ?? {});
    const value = goal.of === 'ratio' ? figure?.ratio : figure?.ours[0];
    const met = value === undefined ? 'not measured' : holds(goal, value) ? 'yes' : '**no**';
    const ratioShown = figure?.ratio === undefined ? '' : shown(figure.ratio);
    return row([
      `${goal.title}, ${faceOf(goal)}`,
      limit(goal),
      spread(figure?.ours),
      ...(bare ? [`${spread(bare)} ${name}`, ratioShown] : ['', '']),
      met,
      run?.commit ?? '',
    ]);
  });
  const head = ['figure', 'goal', 'ours: median [min–max]', 'its ceiling', 'ratio', 'met', 'commit'];
  return [row(head), '|---|---|---:|---|---:|---|---|', ...lines].join('\n');
}

/** Generated tables of the page, by the name of their place. */
const PLACES = {
  goals: goalTable,
  history: historyTables,
} as const;

/** The page with text between the marks of a place, instead of what is there. */
export function filled(page: string, place: string, text: string): string {
  const start = `<!-- ${place}: made by \`npm run bench -- --history\` -->`;
  const end = `<!-- end of ${place} -->`;
  const from = page.indexOf(start);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`no place for ${place} between "${start}" and "${end}"`);
  return `${page.slice(0, from + start.length)}\n\n${text}\n\n${page.slice(to)}`;
}

/** The page as it should be. */
export function withTables(page: string, history: readonly Recorded[]): string {
  let whole = page;
  for (const [place, make] of Object.entries(PLACES)) whole = filled(whole, place, make(history));
  return whole;
}

export async function writeTables(): Promise<void> {
  const history = parseHistory(await readFile(HISTORY, 'utf8'));
  await writeFile(PAGE, withTables(await readFile(PAGE, 'utf8'), history));
}

/** Appends a run to the history file. The working directory must be the root of the repository. */
export async function record(run: Recorded): Promise<void> {
  await appendFile(HISTORY, `${JSON.stringify(run)}\n`);
  await writeTables();
}
