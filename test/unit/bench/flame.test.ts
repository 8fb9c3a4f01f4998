import t from 'tap';
import type { Profile } from '../../bench/cpuprofile.js';
import { GROUPS, groupShares, sharesTable } from '../../bench/flame-groups.js';
import { flameSvg } from '../../bench/flame-svg.js';
import { collapse, type Frame, flameTree } from '../../bench/flame-tree.js';

const at = (functionName: string, url: string, lineNumber = 0) => ({ functionName, url, lineNumber });
const src = (file: string): string => `file:///any/where/src/${file}.js`;
const library = 'file:///any/node_modules/lmdb/dist/index.cjs';

/** Profile of root → (idle), (garbage collector), a → put → inner → codec; function `a` has two nodes. */
const PROFILE: Profile = {
  nodes: [
    { id: 1, callFrame: at('(root)', ''), children: [2, 3, 4, 7] },
    { id: 2, callFrame: at('(idle)', '') },
    { id: 3, callFrame: at('(garbage collector)', '') },
    { id: 4, callFrame: at('a', src('frontend/http/server'), 9), children: [5] },
    { id: 5, callFrame: at('put', library), children: [6] },
    { id: 6, callFrame: at('inner', library), children: [8] },
    { id: 7, callFrame: at('a', src('frontend/http/server'), 9) },
    { id: 8, callFrame: at('', src('ports/store/codec'), 4) },
  ],
  samples: [2, 3, 4, 5, 6, 7, 8, 2],
  timeDeltas: [1_000, 100, 200, 300, 50, 40, 10, 5_000],
};

const named = (frame: Frame, name: string): Frame => frame.children.find((child) => child.name === name)!;

t.test('the tree has all time except idle time, and merges frames of one function under one caller', async (t) => {
  const tree = flameTree(PROFILE);
  t.equal(tree.time, 700);
  t.strictSame(
    tree.children.map(({ name, time }) => [name, time]),
    [
      ['(garbage collector)', 100],
      ['a', 600],
    ],
  );
  t.equal(named(tree, 'a').place, 'src/frontend/http/server:10');
});

t.test('calls inside a module are merged into its first frame; callbacks from it are not', async (t) => {
  const put = named(named(flameTree(PROFILE), 'a'), 'put');
  t.match(put, { folder: 'lmdb', place: 'lmdb', time: 360 });
  // A function without a name is identified by its place.
  t.strictSame(
    put.children.map(({ name, folder, time }) => [name, folder, time]),
    [['codec:5', 'src/ports/store', 10]],
  );
});

t.test('collapse leaves out frames below their share, and keeps the widths of the others', async (t) => {
  const tree = collapse(flameTree(PROFILE), 0.1);
  t.strictSame(
    tree.children.map(({ name, time }) => [name, time]),
    [
      ['a', 600],
      ['(garbage collector)', 100],
    ],
  );
  t.strictSame(named(named(tree, 'a'), 'put').children, []);
  t.equal(collapse(flameTree(PROFILE), 0.9).children.length, 0);
});

t.test('a frame that only calls another of its folder is replaced by that one, with its own width', async (t) => {
  const leaf: Frame = { name: 'leaf', folder: 'src/frontend/http', place: 'p', time: 96, children: [] };
  const middle: Frame = { name: 'middle', folder: 'src/frontend/http', place: 'p', time: 100, children: [leaf] };
  const other: Frame = { ...middle, name: 'other', folder: 'src/ports/bus', children: [{ ...leaf, time: 96 }] };
  const half: Frame = { ...middle, name: 'half', children: [{ ...leaf, time: 50 }] };
  const root: Frame = { name: 'all', folder: '', place: '', time: 300, children: [middle, other, half] };
  t.strictSame(
    collapse(root, 0).children.map(({ name, time, children }) => [name, time, children.length]),
    [
      ['leaf', 100, 0],
      ['other', 100, 1],
      ['half', 100, 1],
    ],
  );
});

t.test('the graph has functions, places and shares, no scripts, and escaped names', async (t) => {
  const wild = { ...PROFILE.nodes[3]!, callFrame: at('<a & "b">', src('frontend/http/server'), 9) };
  const svg = flameSvg(flameTree({ ...PROFILE, nodes: PROFILE.nodes.with(3, wild) }), 'of <me>');
  t.match(svg, '<title>&lt;a &amp; &quot;b&quot;&gt; src/frontend/http/server:10 80.0%</title>');
  t.match(svg, 'of &lt;me&gt;');
  t.notMatch(svg, /<script|<a &/);
  t.match(flameSvg(flameTree({ nodes: PROFILE.nodes, samples: [], timeDeltas: [] }), 'nothing'), /<svg[\s\S]*<\/svg>/);
});

t.test('the shares of groups count the self times of frames, and their sum is 1', async (t) => {
  const found = groupShares(flameTree(PROFILE));
  const of = (label: string): number => Math.round(700 * found[GROUPS.findIndex((group) => group.label === label)]!);
  t.equal(of('garbage collection'), 100);
  t.equal(of('HTTP and API'), 240);
  t.equal(of('lmdb'), 350);
  t.equal(of('store and log'), 10);
  t.equal(Math.round(found.reduce((sum, share) => sum + share, 0) * 1_000), 1_000);
  t.match(sharesTable(new Map([['me-embedded', found]])), /\| \[me embedded\]\(me-embedded\.svg\) \| 14 % \| 34 % \|/);
});
