/**
 * Figures of earlier commits: one line of JSON for each recorded run, and the tables that docs/performance.md has of
 * them.
 */
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { type Figure, median, ratioOfMedians } from './figures.js';
import { boundText, GOALS, type Goal, isMet } from './goals.js';
import { formatNumber } from './report.js';

export const RECORDED_RUNS_FILE = 'docs/bench/history.jsonl';
export const PERFORMANCE_PAGE = 'docs/performance.md';

/** Median, least and most of the runs. */
export type MedianAndRange = readonly [median: number, least: number, most: number];

export interface RecordedFigure {
  readonly ours: MedianAndRange;
  readonly bare?: Readonly<Record<string, MedianAndRange>>;
  /** Median of Conclave divided by the median of the first bare program. */
  readonly ratio?: number;
}

/** A line of the history. */
export interface RecordedRun {
  readonly commit: string;
  readonly date: string;
  readonly machine: string;
  readonly node: string;
  readonly runs: number;
  /** Figures by their ids. */
  readonly figures: Readonly<Record<string, RecordedFigure>>;
}

/** More digits would be noise. */
const roundToFourDigits = (n: number): number => Number(n.toPrecision(4));

const medianAndRangeOf = (values: readonly number[]): MedianAndRange => [
  roundToFourDigits(median(values)),
  roundToFourDigits(Math.min(...values)),
  roundToFourDigits(Math.max(...values)),
];

function toRecordedFigure(figure: Figure): RecordedFigure {
  const [first] = figure.bare;
  return {
    ours: medianAndRangeOf(figure.ours),
    ...(first && {
      bare: Object.fromEntries(figure.bare.map(({ name, values }) => [name, medianAndRangeOf(values)])),
      ratio: roundToFourDigits(ratioOfMedians(figure, first)),
    }),
  };
}

/** The record of a run, without figures that could not be measured. */
export const toRecordedRun = (run: Omit<RecordedRun, 'figures'>, figures: readonly Figure[]): RecordedRun => ({
  ...run,
  figures: Object.fromEntries(
    figures.filter(({ ours, id }) => ours.length > 0 && id !== '').map((one) => [one.id, toRecordedFigure(one)]),
  ),
});

export const parseRecordedRuns = (text: string): RecordedRun[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RecordedRun);

/** Runs of one commit as one, the later of two values; commits in the order in which they came. */
export function mergeByCommit(history: readonly RecordedRun[]): RecordedRun[] {
  const commits = new Map<string, RecordedRun>();
  for (const run of history) {
    const known = commits.get(run.commit);
    commits.set(run.commit, { ...run, figures: { ...known?.figures, ...run.figures } });
  }
  return [...commits.values()];
}

const goalText = (goal: Goal): string => `${boundText(goal)}${goal.quantity === 'ratio' ? ' of bare' : ''}`;
/** Face of a goal: the last but one part of its id. */
const faceOf = ({ id }: Goal): string => id.split('/').at(-2)!;

/** Cell of the table; a figure that meets its goal is bold. */
function historyCell(run: RecordedRun, goal: Goal): string {
  const figure = run.figures[goal.id];
  const value = goal.quantity === 'ratio' ? figure?.ratio : figure?.ours[0];
  if (value === undefined) return '';
  return isMet(goal, value) ? `**${formatNumber(value)}**` : formatNumber(value);
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

function faceTable(face: string, history: readonly RecordedRun[], goals: readonly Goal[]): string {
  const columns = goals.filter((goal) => faceOf(goal) === face);
  return [
    row([`${face}: commit`, 'date', ...columns.map((goal) => `${goal.title}: ${goalText(goal)}`)]),
    `|---|---|${columns.map(() => '---:|').join('')}`,
    ...history.map((run) => row([run.commit, run.date, ...columns.map((goal) => historyCell(run, goal))])),
  ].join('\n');
}

/** Tables of the history, one per face: a row for each commit, a column for each goal. */
export function historyTables(history: readonly RecordedRun[], goals: readonly Goal[] = GOALS): string {
  const runs = mergeByCommit(history);
  return ['embedded', 'cluster'].map((face) => faceTable(face, runs, goals)).join('\n\n');
}

const rangeText = (values: MedianAndRange | undefined): string => {
  if (!values) return '';
  const [middle, least, most] = values.map(formatNumber);
  return `${middle} [${least}–${most}]`;
};

/** The newest figure of each goal, with what it was held against. */
export function goalTable(history: readonly RecordedRun[], goals: readonly Goal[] = GOALS): string {
  const newest = mergeByCommit(history).reverse();
  const lines = goals.map((goal) => {
    const run = newest.find(({ figures }) => figures[goal.id] !== undefined);
    const figure = run?.figures[goal.id];
    const [[name, bare] = ['', undefined]] = Object.entries(figure?.bare ?? {});
    const value = goal.quantity === 'ratio' ? figure?.ratio : figure?.ours[0];
    const met = value === undefined ? 'not measured' : isMet(goal, value) ? 'yes' : '**no**';
    const ratioShown = figure?.ratio === undefined ? '' : formatNumber(figure.ratio);
    return row([
      `${goal.title}, ${faceOf(goal)}`,
      goalText(goal),
      rangeText(figure?.ours),
      ...(bare ? [`${rangeText(bare)} ${name}`, ratioShown] : ['', '']),
      met,
      run?.commit ?? '',
    ]);
  });
  const head = ['figure', 'goal', 'ours: median [min–max]', 'its ceiling', 'ratio', 'met', 'commit'];
  return [row(head), '|---|---|---:|---|---:|---|---|', ...lines].join('\n');
}

/** Generated tables of the page, by the name of their place. */
const GENERATED_SECTIONS = {
  goals: goalTable,
  history: historyTables,
} as const;

/** The page with text between the marks of a place, instead of what is there. */
export function replaceSection(page: string, section: string, text: string): string {
  const start = `<!-- ${section}: made by \`npm run bench -- --history\` -->`;
  const end = `<!-- end of ${section} -->`;
  const from = page.indexOf(start);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`no place for ${section} between "${start}" and "${end}"`);
  return `${page.slice(0, from + start.length)}\n\n${text}\n\n${page.slice(to)}`;
}

/** The page as it should be. */
export function replaceTables(page: string, history: readonly RecordedRun[]): string {
  let whole = page;
  for (const [section, make] of Object.entries(GENERATED_SECTIONS))
    whole = replaceSection(whole, section, make(history));
  return whole;
}

export async function writeTables(): Promise<void> {
  const history = parseRecordedRuns(await readFile(RECORDED_RUNS_FILE, 'utf8'));
  await writeFile(PERFORMANCE_PAGE, replaceTables(await readFile(PERFORMANCE_PAGE, 'utf8'), history));
}

/** Appends a run to the history file. The working directory must be the root of the repository. */
export async function appendRun(run: RecordedRun): Promise<void> {
  await appendFile(RECORDED_RUNS_FILE, `${JSON.stringify(run)}\n`);
  await writeTables();
}
