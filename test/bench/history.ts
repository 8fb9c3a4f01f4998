/** Figures of earlier commits: one line of JSON for each recorded run, and the tables that docs/performance.md has of them. */
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
  /** Ours divided by the first of `bare`. */
  readonly ratio?: number;
}

/** A line of the history. */
export interface Recorded {
  readonly commit: string;
  readonly date: string;
  readonly machine: string;
  readonly node: string;
  readonly runs: number;
  /** By the ids of figures. */
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

/** What couldn't be measured is left out. */
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

const NAMES: Readonly<Record<string, string>> = {
  me: '`GET /users/me`',
  send: '`POST /messages`',
  fanout: 'fan-out',
  'fanout-rate': 'fan-out at 20/s',
  held: 'polls',
  history: 'history',
  register: '`POST /register`',
};
const MEASURES: Readonly<Record<string, string>> = {
  rate: '/s',
  cpu: 'CPU',
  p99: 'p99 ms',
  registered: 'registered in s',
};

/** `me/64/embedded/rate` and its bound, for people; the face is the table's. */
function heading(goal: Goal): string {
  const [name, variant, , measure] = goal.id.split('/') as [string, string, string, string];
  const list = /^users(\d+)$/.exec(name);
  const title = list ? `\`GET /users\` of ${Number(list[1]).toLocaleString('en-US')}` : (NAMES[name] ?? name);
  const unit = goal.of === 'ratio' && measure === 'rate' ? '' : ` ${MEASURES[measure] ?? measure}`;
  return `${title}, ${Number(variant).toLocaleString('en-US')}:${unit} ${bound(goal)}${goal.of === 'ratio' ? ' of bare' : ''}`;
}

/** What meets the goal is bold. */
function cell(run: Recorded, goal: Goal): string {
  const figure = run.figures[goal.id];
  const value = goal.of === 'ratio' ? figure?.ratio : figure?.ours[0];
  if (value === undefined) return '';
  return holds(goal, value) ? `**${shown(value)}**` : shown(value);
}

function faceTable(face: string, history: readonly Recorded[], goals: readonly Goal[]): string {
  const columns = goals.filter(({ id }) => id.split('/')[2] === face);
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    row([`${face}: commit`, 'date', ...columns.map(heading)]),
    `|---|---|${columns.map(() => '---:|').join('')}`,
    ...history.map((run) => row([run.commit, run.date, ...columns.map((goal) => cell(run, goal))])),
  ].join('\n');
}

/** One table for each face: a row for each commit, a column for each goal. */
export function historyTables(history: readonly Recorded[], goals: readonly Goal[] = GOALS): string {
  const runs = byCommit(history);
  return ['embedded', 'cluster'].map((face) => faceTable(face, runs, goals)).join('\n\n');
}

const START = '<!-- history: made by `npm run bench -- --history` -->';
const END = '<!-- end of history -->';

/** The page with these tables in the place of those that it has. */
export function withTables(page: string, tables: string): string {
  const from = page.indexOf(START);
  const to = page.indexOf(END);
  if (from < 0 || to < from) throw new Error(`no place for the history between "${START}" and "${END}"`);
  return `${page.slice(0, from + START.length)}\n\n${tables}\n\n${page.slice(to)}`;
}

export async function writeTables(): Promise<void> {
  const history = parseHistory(await readFile(HISTORY, 'utf8'));
  await writeFile(PAGE, withTables(await readFile(PAGE, 'utf8'), historyTables(history)));
}

/** From the folder of the sources. */
export async function record(run: Recorded): Promise<void> {
  await appendFile(HISTORY, `${JSON.stringify(run)}\n`);
  await writeTables();
}
