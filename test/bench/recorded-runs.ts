/**
 * Recorded runs of the benchmark: docs/bench/history.jsonl has one line of JSON for each run, and docs/performance.md
 * has tables that are generated from these lines.
 */
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { type Figure, median, ratioOfMedians } from './figures.js';
import { boundText, GOALS, type Goal, isMet } from './goals.js';
import { formatNumber } from './report.js';

export const RECORDED_RUNS_FILE = 'docs/bench/history.jsonl';
export const PERFORMANCE_PAGE = 'docs/performance.md';

export type MedianAndRange = readonly [median: number, min: number, max: number];

export interface RecordedFigure {
  readonly ours: MedianAndRange;
  readonly bare?: Readonly<Record<string, MedianAndRange>>;
  /** Median of Conclave divided by the median of the first bare program. */
  readonly ratio?: number;
}

/** A line of the file of recorded runs. */
export interface RecordedRun {
  readonly commit: string;
  readonly date: string;
  readonly machine: string;
  readonly node: string;
  readonly runs: number;
  /** Figures by their ids. */
  readonly figures: Readonly<Record<string, RecordedFigure>>;
}

/** Rounds to four significant digits: further digits of a measurement are noise. */
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

/** @returns the record of a run, without figures that have no values */
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

/** Merges the runs of each commit; a later run replaces equal figures of an earlier one. Keeps the order of commits. */
export function mergeByCommit(history: readonly RecordedRun[]): RecordedRun[] {
  const commits = new Map<string, RecordedRun>();
  for (const run of history) {
    const known = commits.get(run.commit);
    commits.set(run.commit, { ...run, figures: { ...known?.figures, ...run.figures } });
  }
  return [...commits.values()];
}

const goalText = (goal: Goal): string => `${boundText(goal)}${goal.quantity === 'ratio' ? ' of bare' : ''}`;
/** @returns the face of a goal, which is the last but one part of its id */
const faceOf = ({ id }: Goal): string => id.split('/').at(-2)!;

/** @returns a cell of the history table, in bold if the figure meets its goal */
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

/** @returns one table per face, with a row for each commit and a column for each goal */
export function historyTables(history: readonly RecordedRun[], goals: readonly Goal[] = GOALS): string {
  const runs = mergeByCommit(history);
  return ['embedded', 'cluster'].map((face) => faceTable(face, runs, goals)).join('\n\n');
}

const rangeText = (values: MedianAndRange | undefined): string => {
  if (!values) return '';
  const [middle, least, most] = values.map(formatNumber);
  return `${middle} [${least}–${most}]`;
};

/** @returns a table with the newest figure of each goal, its ceiling, and whether the goal is met */
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

/** Generated sections of docs/performance.md, by the names in the comments that mark them. */
const GENERATED_SECTIONS = {
  goals: goalTable,
  history: historyTables,
} as const;

/** Replaces the text between the two comments that mark a section of the page. */
export function replaceSection(page: string, section: string, text: string): string {
  const start = `<!-- ${section}: made by \`npm run bench -- --history\` -->`;
  const end = `<!-- end of ${section} -->`;
  const from = page.indexOf(start);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`no place for ${section} between "${start}" and "${end}"`);
  return `${page.slice(0, from + start.length)}\n\n${text}\n\n${page.slice(to)}`;
}

/** @returns the page with newly generated tables */
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
