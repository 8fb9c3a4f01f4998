/** Table, page, data, progress line and bottleneck of a run with known figures, and the options. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import t from 'tap';
import { findLimit, limitText } from '../../load/bottleneck.js';
import type { Capacity } from '../../load/capacity.js';
import type { Comparison } from '../../load/comparison.js';
import { doubtsOf, warningsOf } from '../../load/doubts.js';
import { makeHistogram, recordLatency, toSparse } from '../../load/histograms.js';
import { DEFAULT_MIX } from '../../load/mix.js';
import { type LoadOptions, OPTION_NAMES, readOptions, USAGE } from '../../load/options.js';
import { progressLine } from '../../load/progress.js';
import { type Interval, OPERATIONS } from '../../load/protocol.js';
import { reportDataOf, tableOf } from '../../load/report.js';
import { reportPageOf } from '../../load/report-html.js';
import type { Outcome } from '../../load/run.js';
import { drawChart, powersOfTen, ticks } from '../../load/svg.js';
import { type Point, pointOf, Totals } from '../../load/totals.js';

const makeHistogramTo100 = (): ReturnType<typeof makeHistogram> => {
  const histogram = makeHistogram();
  for (let ms = 1; ms <= 100; ms++) recordLatency(histogram, ms);
  return histogram;
};

const makeInterval = (): Interval => ({
  kind: 'interval',
  worker: 0,
  ms: 1_000,
  clients: 10,
  held: 9,
  inFlight: 1,
  requests: 101,
  polls: 30,
  events: 40,
  operations: [
    {
      operation: OPERATIONS.indexOf('POST /messages (stream)'),
      count: 100,
      errors: 1,
      intended: toSparse(makeHistogramTo100()),
      service: toSparse(makeHistogramTo100()),
    },
  ],
  deliveries: toSparse(makeHistogramTo100()),
  lag: [],
  errors: [{ key: 'POST /messages (stream)|429 RATE_LIMIT_HIT', count: 1, sample: 'API usage exceeded <rate> limit' }],
  limited: 1,
  lostQueues: 0,
  sent: [],
  delivered: [],
  queueChanges: [],
  cpuMs: 100,
  rssBytes: 2 ** 26,
  stallMs: 3,
});

function makeOutcome(): Outcome {
  const totals = new Totals();
  totals.add(makeInterval());
  const harness = { harnessCpu: 0.1, harnessCores: 0.1, harnessMib: 64, stallMs: 3 };
  const rest = { clients: 10, held: 9, inFlight: 1, machineCpu: 0.5, ...harness };
  const point = (at: number, phase: string): Point =>
    pointOf(totals, { at, seconds: 1, phase, serverCpu: 0.4, serverBusiest: 0.3, serverMib: 300, ...rest });
  return {
    points: [point(1, 'ramp'), point(2, 'measured'), point(3, 'measured')],
    totals,
    wholeRun: totals,
    seconds: 2,
    balance: { expected: 100, delivered: 98, missing: 2, unexpected: 0, unacknowledged: 0 },
    warnings: ['something <odd>'],
    capacity: undefined,
    interrupted: false,
    next: {
      ...{ of: '10 users', room: '', advice: [{ limit: 'commits', evidence: '<slow>', remedy: 'faster disks' }] },
      processes: [{ name: 'server a & b', cpu: 0.5, memoryMib: 200, lateMs: undefined }],
    },
    users: 10,
  };
}

const FACTS = {
  when: '2026-01-01T00:00:00.000Z',
  machine: 'a machine',
  site: 'https://chat.example.com',
  summary: 'ten & more',
};

/** @returns the unbalanced tags of a page; empty if the page is well-formed */
function listTagFaults(page: string): string[] {
  const faults: string[] = [];
  const open: string[] = [];
  const empty = new Set(['meta', '!doctype']);
  for (const [tag, name] of page
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .matchAll(/<(\/?[!a-zA-Z][a-zA-Z0-9]*)[^>]*>/g)) {
    const word = name!.toLowerCase();
    if (empty.has(word) || tag.endsWith('/>')) continue;
    if (!word.startsWith('/')) open.push(word);
    else if (open.pop() !== word.slice(1)) faults.push(tag);
  }
  return [...faults, ...open];
}

t.test('the table has figures of operations, deliveries and errors, warnings and advice', async (test) => {
  const table = tableOf(makeOutcome());
  test.match(table, /POST \/messages \(stream\) +100 +50 +50\.5 +50\.\d +90\.\d +99\.\d +100\.0 +100\.0 +99\.\d +1\n/);
  test.match(table, /message seen by a client +100 +50 /);
  test.match(table, /98 of 100 expected, 2 missing/);
  test.match(table, /error 429 RATE_LIMIT_HIT, 1 times in POST \/messages \(stream\)/);
  test.match(table, /rate limits: 1 calls were refused with 429/);
  test.match(table, /! something <odd>/);
  test.match(table, /^What to add next \(10 users\):\n {2}commits: <slow>\. Remedy: faster disks$/m);
});

t.test('the page is well-formed, loads no other files, and has every chart', async (test) => {
  const page = reportPageOf(makeOutcome(), FACTS);
  test.strictSame(listTagFaults(page), []);
  test.notMatch(page, /<script|src=|href=|@import|url\(/);
  test.notMatch(page, /<odd>|<rate>|<slow>|ten & more|a & b/, 'texts are escaped');
  test.match(page, /<h2>What to add next \(10 users\)<\/h2><ul><li>commits: /);
  test.match(page, /<td>server a &amp; b<\/td><td>50<\/td><td>200<\/td><td><\/td>/);
  test.equal([...page.matchAll(/<svg /g)].length, 7);
  test.notMatch(page, /NaN|undefined|Infinity/);
});

t.test('the page has the steps of a capacity search', async (test) => {
  const facts = {
    ...{ clients: 50, arrived: 50, callMean: 1, callP99: 2, deliveryMean: 3, deliveryP99: 4, errors: 0, limited: 0 },
    ...{ doubts: [], limit: 'the server', facts: '', rows: [], next: { advice: [], room: '', processes: [] } },
    span: [0, 1] as const,
    limitedBy: 'server' as const,
  };
  const broke = ['p99 of calls 3 s > 2 s'];
  const steps = [
    { users: 50, ...facts, broke: [] },
    { users: 53, ...facts, broke },
  ];
  const capacity: Capacity = { users: 50, brokeAt: 53, broke, limit: 'the server', steps, end: 'found' };
  const page = reportPageOf({ ...makeOutcome(), capacity }, FACTS);
  test.strictSame(listTagFaults(page), []);
  test.match(page, /capacity: 50 users \(53 were too many\)/);
  test.match(page, /resource at its limit then: the server/);
  test.match(page, /p99 of calls 3 s &gt; 2 s/);
});

t.test('the page has a comparison, its verdict, its tables and its doubts', async (test) => {
  const measure = { name: 'mean of calls', unit: 'ms', before: 10, after: 20, words: 'slower by 90–110 %' };
  const comparison: Comparison = {
    earlier: { when: 'before', site: 'a <server>', summary: '50 users', machine: 'a machine' },
    notes: ['--hosts 1 → 2'],
    of: 'the measured time',
    rows: [{ name: 'POST /messages', perSecond: [1, 2], times: [['mean', 10, 20]], errors: [0, 1] }],
    measures: [{ ...measure, judgement: 'worse' }],
    doubts: ['the <harness> took part'],
    verdict: 'worse: mean of calls slower by 90–110 %',
    isClearlyWorse: false,
  };
  const page = reportPageOf(makeOutcome(), FACTS, comparison);
  test.strictSame(listTagFaults(page), []);
  test.notMatch(page, /<server>|<harness>/, 'texts are escaped');
  test.match(page, '<p class="capacity">comparison: worse: mean of calls slower by 90–110 %</p>');
  test.match(page, '<p class="warning">! the &lt;harness&gt; took part</p>');
  test.match(page, '<td>POST /messages</td><td>1.0 → 2.0 +100 %</td><td>10.0 → 20.0 +100 %</td><td>0 → 1</td>');
  test.match(page, '<p class="facts">changed: --hosts 1 → 2</p>');
});

t.test('the data are JSON without addresses of services or files', async (test) => {
  const options = readOptions(['--owner-zuliprc', '/home/me/zuliprc'], {
    NATS_URL: 'nats://u:secret@h',
  }) as LoadOptions;
  const text = JSON.stringify(reportDataOf(makeOutcome(), FACTS, options, DEFAULT_MIX));
  test.notMatch(text, /secret|zuliprc/);
  const schema = {
    type: 'object',
    required: ['format', 'options', 'mix', 'rows', 'histograms', 'series', 'balance', 'errors'],
    properties: {
      format: { const: 1 },
      rows: { type: 'array', minItems: 3 },
      series: { type: 'array', minItems: 3, maxItems: 3 },
      histograms: { type: 'object', required: ['calls', 'deliveries', 'operations'] },
    },
  };
  test.ok(new Ajv2020().validate(schema, JSON.parse(text)));
});

t.test('the progress line has clients, rates, the largest percentile, errors and doubts', async (test) => {
  const { points } = makeOutcome();
  const line = progressLine(points);
  test.match(line, /clients 10 {2}waiting polls 9 {2}calls\/s 101 {2}deliveries\/s 100 {2}p99 99\.\d ms/);
  test.match(line, /errors 3 \(429: 3\) {2}server 40 % 300 MiB {2}harness 10 % 64 MiB {2}machine 50 %$/);
  test.match(progressLine([{ ...points[0]!, harnessCpu: 0.99 }]), /! harness: busy$/);
});

t.test('a run has a warning if the harness was late in many seconds, and none for a few', async (test) => {
  const calm = makeOutcome().points[0]!;
  test.strictSame(doubtsOf(calm), []);
  test.strictSame(doubtsOf({ ...calm, lagP99: 30, stallMs: 200, machineCpu: 0.99 }), ['late', 'stalled', 'machine']);
  const points = Array.from({ length: 100 }, (_, i) => ({ ...calm, lagP99: i < 3 ? 100 : 0 }));
  test.strictSame(warningsOf(points), []);
  test.equal(warningsOf(points.map((point) => ({ ...point, lagP99: 100 }))).length, 1);
});

t.test('the bottleneck is the server, the harness, the machine, several, or none of them', async (test) => {
  const calm = { ...makeOutcome().points[0]!, serverCpu: 1.2, serverBusiest: 0.7, machineCpu: 0.7, harnessCores: 0.3 };
  const limit = (change: Partial<Point>): string =>
    limitText(
      [
        { ...calm, ...change },
        { ...calm, ...change },
      ],
      2,
    );
  test.match(limit({}), /^no CPU/);
  test.equal(limit({ serverBusiest: 0.98 }), 'the server: its busiest process used 98 % of a core');
  test.match(limit({ harnessCpu: 0.97 }), /^the harness: a process of it used 97 % of a core/);
  test.equal(
    limit({ machineCpu: 0.95 }),
    'the machine: 95 % of its 2 cores were busy (the server 1.20, the harness 0.30, everything else, services too, 0.40)',
  );
  test.equal(limit({ serverBusiest: 0.98, machineCpu: 0.95 }).split('; ').length, 2);
  const unknown = { serverCpu: null, serverBusiest: null };
  test.match(limit(unknown), /^not known/);
  test.notMatch(limit({ ...unknown, machineCpu: 0.95 }), /NaN/);
});

t.test('the limit is the server only if harness, machine and rate limits are not', async (test) => {
  const calm = {
    ...makeOutcome().points[0]!,
    serverCpu: 1.2,
    serverBusiest: 0.7,
    machineCpu: 0.7,
    harnessCores: 0.3,
  };
  const blame = (change: Partial<Point>, totals: { failed?: number; limited?: number; code?: string } = {}): string => {
    const { failed = 0, limited = 0, code } = totals;
    const errors = new Map(code === undefined ? [] : [[`GET /events|${code}`, { count: failed, sample: '' }]]);
    return findLimit(
      [1, 2, 3].map(() => ({ ...calm, ...change })),
      { failed, limited, errors },
      2,
    );
  };
  test.equal(blame({}), 'server');
  test.equal(blame({ serverCpu: null, serverBusiest: null }), 'server', 'the harness was not at its limit');
  test.equal(blame({ harnessCpu: 0.95 }), 'harness');
  test.equal(blame({ harnessCpu: 0.95, serverBusiest: 0.99 }), 'harness', 'both');
  test.equal(blame({ lagP99: 80 }), 'harness');
  test.equal(blame({ stallMs: 800 }), 'harness');
  test.equal(blame({ machineCpu: 0.99, lagP99: 80 }), 'machine');
  test.equal(blame({ machineCpu: 0.99, serverBusiest: 0.95 }), 'server', 'a server process uses a whole core');
  test.equal(blame({ machineCpu: 0.99, serverCpu: 1.7 }), 'server', 'the server uses nearly the whole machine');
  test.equal(blame({ machineCpu: 0.99, serverCpu: null, serverBusiest: null }), 'machine');
  test.equal(blame({}, { failed: 10, limited: 9 }), 'rate limits');
  test.equal(blame({}, { failed: 10, limited: 3 }), 'server');
  test.equal(blame({}, { failed: 10, code: 'EMFILE' }), 'harness');
  test.equal(blame({}, { failed: 10, code: 'EADDRNOTAVAIL' }), 'harness');
  test.equal(blame({}, { failed: 10, code: 'ECONNREFUSED' }), 'server');
});

t.test('the charts leave out the deletion of queues at the end of the run', async (test) => {
  const { points } = makeOutcome();
  const last = { ...points[0]!, at: 4, phase: 'end', clients: 0, requests: 98_765 };
  const page = reportPageOf({ ...makeOutcome(), points: [...points, last] }, FACTS);
  test.equal(page, reportPageOf({ ...makeOutcome(), points }, FACTS));
});

t.test('a chart of any values is well-formed', async (test) => {
  for (const values of [[], [Number.NaN], [0], [0, 0, 0], [1e-9, 1e9], [5, Number.NaN, 7]]) {
    for (const logarithmic of [true, false]) {
      const times = values.map((_, i) => i);
      const text = drawChart({
        title: 'A & B',
        unit: 'ms',
        times,
        lines: [{ name: 'x', colour: '#000', values }],
        logarithmic,
      });
      test.strictSame(listTagFaults(text), []);
      test.notMatch(text, /NaN|Infinity|undefined/, JSON.stringify(values));
    }
  }
  test.strictSame(ticks(37), [0, 10, 20, 30, 40]);
  test.strictSame(powersOfTen(0.5, 40), [0.1, 1, 10, 100]);
});

t.test('invalid options are refused, and the usage lists every option', async (test) => {
  const read = (...argv: string[]) => readOptions(argv, {});
  test.equal(read('--help'), 'help');
  test.equal(read('--print-mix'), 'mix');
  test.match(read('--users', '20', '--subscribers', '3-9', '--max-p99', '50'), {
    users: 20,
    smallest: 3,
    largest: 9,
    thresholds: { mean: 100, p99: 50, errors: 0.025 },
  });
  for (const argv of [
    ['--users', '0'],
    ['--users', '1.5'],
    ['--users', 'many'],
    ['--subscribers', '9-3'],
    ['--site', 'http://x'],
    ['--cluster', '--owner-zuliprc', 'x'],
    ['--prefix', 'Not Good'],
    ['--hosts', '2'],
    ['--frontends', '2'],
    ['--metrics', 'http://127.0.0.1:1'],
    ['--owner-zuliprc', 'x', '--metrics', 'nonsense'],
    ['--against-anyway'],
    ['--fail-if-worse'],
    ['--nonsense'],
  ]) {
    test.throws(() => read(...argv), argv.join(' '));
  }
  test.strictSame(read('--owner-zuliprc', 'x', '--metrics', 'http://h:1/metrics,https://h:2/,http://h:3/a/metrics'), {
    ...(read('--owner-zuliprc', 'x') as LoadOptions),
    metrics: ['http://h:1', 'https://h:2', 'http://h:3/a'],
  });
  for (const name of OPTION_NAMES) if (name !== 'help') test.match(USAGE, `\n  --${name} `);
});
