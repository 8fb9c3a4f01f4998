import { readFile } from 'node:fs/promises';
import t from 'tap';
import { makeFigure, makeUnmeasuredFigure } from '../../bench/figures.js';
import type { Goal } from '../../bench/goals.js';
import {
  goalTable,
  historyTables,
  mergeByCommit,
  PERFORMANCE_PAGE,
  parseRecordedRuns,
  RECORDED_RUNS_FILE,
  type RecordedRun,
  replaceSection,
  replaceTables,
  toRecordedRun,
} from '../../bench/recorded-runs.js';

const run = { commit: 'abc', date: '2026-11-21', machine: 'two cores', node: '20', runs: 3 };

t.test('docs/performance.md has the tables of its history, as `npm run bench -- --history` writes them', async (t) => {
  const page = await readFile(PERFORMANCE_PAGE, 'utf8');
  t.equal(replaceTables(page, parseRecordedRuns(await readFile(RECORDED_RUNS_FILE, 'utf8'))), page);
});

t.test('a recorded run has median, minimum, maximum, ceilings and ratio of each measured figure', async (t) => {
  const measured = makeFigure('me/64/embedded/rate', 'me', 'per second', [3, 1, 2], [{ name: 'bare', values: [4, 4] }]);
  const alone = makeFigure('x/1/embedded/p99', 'x', 'ms', [12_345.678]);
  t.strictSame(toRecordedRun(run, [measured, alone, makeUnmeasuredFigure('me', 'no services')]), {
    ...run,
    figures: {
      'me/64/embedded/rate': { ours: [2, 1, 3], bare: { bare: [4, 4, 4] }, ratio: 0.5 },
      'x/1/embedded/p99': { ours: [12_350, 12_350, 12_350] },
    },
  });
});

const GOALS: readonly Goal[] = [
  { id: 'me/64/embedded/rate', title: 'me', quantity: 'ratio', min: 0.5 },
  { id: 'send/64/embedded/rate', title: 'send', quantity: 'value', min: 5_000 },
  { id: 'send/64/cluster/rate', title: 'send', quantity: 'value', min: 2_000 },
];
const recorded = (commit: string, figures: RecordedRun['figures']): RecordedRun => ({ ...run, commit, figures });

t.test('runs of one commit are one row, where the later value counts', async (t) => {
  const history = [
    recorded('a', { one: { ours: [1, 1, 1] }, two: { ours: [2, 2, 2] } }),
    recorded('b', { one: { ours: [5, 5, 5] } }),
    recorded('a', { one: { ours: [3, 3, 3] } }),
  ];
  t.strictSame(
    mergeByCommit(history).map(({ commit, figures }) => [commit, figures]),
    [
      ['a', { one: { ours: [3, 3, 3] }, two: { ours: [2, 2, 2] } }],
      ['b', { one: { ours: [5, 5, 5] } }],
    ],
  );
});

t.test('each face has a table: a met goal is bold, an unmeasured cell empty', async (t) => {
  const history = [
    recorded('a', { 'me/64/embedded/rate': { ours: [9, 9, 9], ratio: 0.4 } }),
    recorded('b', {
      'me/64/embedded/rate': { ours: [9, 9, 9], ratio: 0.6 },
      'send/64/embedded/rate': { ours: [4_999, 1, 9_999] },
      'send/64/cluster/rate': { ours: [2_000, 1, 9_999] },
    }),
  ];
  const [embedded = '', cluster = ''] = historyTables(history, GOALS).split('\n\n');
  t.strictSame(embedded.split('\n').slice(2), [
    '| a | 2026-11-21 | 0.40 |  |',
    '| b | 2026-11-21 | **0.60** | 4,999 |',
  ]);
  t.strictSame(cluster.split('\n').slice(2), ['| a | 2026-11-21 |  |', '| b | 2026-11-21 | **2,000** |']);
  t.match(embedded, /\| embedded: commit \| date \| me: ≥ 0\.5 of bare \| send: ≥ 5,000 \|/);
});

t.test('the table of goals has the newest figures, of any commit', async (t) => {
  const history = [
    recorded('a', { 'me/64/embedded/rate': { ours: [9, 8, 10], bare: { bare: [20, 18, 22] }, ratio: 0.45 } }),
    recorded('b', { 'send/64/embedded/rate': { ours: [6_000, 5_500, 6_100] } }),
  ];
  t.strictSame(goalTable(history, GOALS).split('\n').slice(2), [
    '| me, embedded | ≥ 0.5 of bare | 9.00 [8.00–10.0] | 20.0 [18.0–22.0] bare | 0.45 | **no** | a |',
    '| send, embedded | ≥ 5,000 | 6,000 [5,500–6,100] |  |  | yes | b |',
    '| send, cluster | ≥ 2,000 |  |  |  | not measured |  |',
  ]);
});

t.test('a generated section replaces only its earlier text, and a page without the section is refused', async (t) => {
  const page = replaceSection(await readFile(PERFORMANCE_PAGE, 'utf8'), 'history', 'first');
  t.equal(replaceSection(page, 'history', 'second'), page.replace('\n\nfirst\n\n', '\n\nsecond\n\n'));
  t.throws(() => replaceSection('# Performance\n', 'history', 'x'), /no place for history/);
});
