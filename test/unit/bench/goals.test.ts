import t from 'tap';
import { CASES } from '../../bench/cases/index.js';
import { makeFigure, median } from '../../bench/figures.js';
import { boundText, GOALS, type Goal, judgeFigure } from '../../bench/goals.js';
import { figureTable } from '../../bench/report.js';

const bare = [
  { name: 'bare', values: [200, 100, 400] },
  { name: 'other', values: [1_000] },
];

t.test('a goal of a ratio compares with the first bare program, a goal of a value with the median', async (t) => {
  const ratio: Goal = { id: 'a', title: 'a', quantity: 'ratio', min: 0.5 };
  t.match(judgeFigure(makeFigure('a', '', '', [90, 100, 110], bare), [ratio]), { value: 0.5, met: true });
  t.match(judgeFigure(makeFigure('a', '', '', [90, 99, 110], bare), [ratio]), { met: false });
  const value: Goal = { id: 'a', title: 'a', quantity: 'value', max: 50 };
  t.match(judgeFigure(makeFigure('a', '', '', [50, 20, 90]), [value]), { value: 50, met: true });
  t.match(judgeFigure(makeFigure('a', '', '', [51]), [value]), { met: false });
});

t.test('a figure without a goal, without values or without its ceiling has no result', async (t) => {
  const goals: Goal[] = [{ id: 'a', title: 'a', quantity: 'ratio', min: 0.5 }];
  t.equal(judgeFigure(makeFigure('b', '', '', [1], bare), goals), undefined);
  t.equal(judgeFigure(makeFigure('a', '', '', [], bare), goals), undefined);
  t.equal(judgeFigure(makeFigure('a', '', '', [1]), goals), undefined);
  t.equal(judgeFigure(makeFigure('a', '', '', [1], [{ name: 'bare', values: [] }]), goals), undefined);
});

t.test('each goal has one bound, and no figure has two goals', async (t) => {
  for (const goal of GOALS) {
    t.ok((goal.min === undefined) !== (goal.max === undefined), goal.id);
    t.match(
      goal.id,
      /^(?:[a-z0-9-]+(\/[a-z0-9-]+)?\/\d+\/(embedded|cluster)\/[a-z0-9]+|web\/[a-z]+\/embedded\/[a-z0-9-]+)$/,
    );
  }
  t.equal(new Set(GOALS.map(({ id }) => id)).size, GOALS.length);
  t.equal(boundText({ id: '', title: '', quantity: 'value', min: 5_000 }), '≥ 5,000');
  t.equal(boundText({ id: '', title: '', quantity: 'value', max: 2 }), '≤ 2');
});

t.test('case names are distinct, and valid values of --case', async (t) => {
  t.equal(new Set(CASES.map(({ name }) => name)).size, CASES.length);
  for (const { name } of CASES) t.match(name, /^[a-z][a-z0-9-]*$/);
});

t.test('the table has a line for each ceiling of a figure', async (t) => {
  const judged = makeFigure('me/64/embedded/rate', 'me', 'per second', [100, 80, 120], bare);
  const lines = figureTable([judged], true).split('\n');
  t.equal(lines.length, 4);
  t.equal(lines[2], '| me | per second | 100 [80.0–120] | bare | 200 [100–400] | 0.50 | ratio ≥ 0.5 | yes |');
  t.equal(lines[3], '|  |  |  | other | 1,000 [1,000–1,000] | 0.10 |  |  |');
});

t.test('the median of an even number of values is between the middle ones', async (t) => {
  t.equal(median([4, 1, 3, 2]), 2.5);
  t.equal(median([3, 1, 2]), 2);
});
