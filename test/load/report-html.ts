/** The report as one HTML page without external files. */

import { adviceText } from './advice.js';
import type { Comparison } from './comparison.js';
import { comparisonHtml } from './comparison-text.js';
import { escapeHtml, htmlTable } from './html-parts.js';
import { adviceTitle, cellsOf, findings, HEADINGS, type RunFacts, rowsOf } from './report.js';
import type { Outcome } from './run.js';
import { type Chart, drawChart, type Line } from './svg.js';
import type { Point } from './totals.js';

const STYLE = `
body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:960px;padding:0 1em;color:#1d2330;background:#fff}
h1{font-size:1.5em;margin:0 0 .2em}h2{font-size:1.15em;margin:1.8em 0 .4em}
p{margin:.2em 0}.facts{color:#5a6372}
.warning{background:#fff3d6;border-left:4px solid #d99a00;padding:.4em .8em}
.capacity{font-size:1.3em}
table{border-collapse:collapse;width:100%;font-size:13px;font-variant-numeric:tabular-nums}
th,td{padding:.25em .5em;text-align:right;border-bottom:1px solid #e4e7ec;white-space:nowrap}
th:first-child,td:first-child{text-align:left}tr.sum td{font-weight:600;border-top:2px solid #b8bfca}
svg{display:block;width:100%;height:auto;margin:.6em 0 1.2em}
svg path{fill:none;stroke-width:1.6;stroke-linejoin:round}
svg .grid{stroke:#e4e7ec}svg .shade{fill:#eef4ff}
svg text{font:12px system-ui,sans-serif;fill:#1d2330}svg .tick{fill:#5a6372;font-size:11px}svg .title{font-weight:600;font-size:13px}
`;

const BLUE = '#2563c9';
const GREEN = '#1c8a4d';
const ORANGE = '#d97706';
const RED = '#c62f3a';
const GREY = '#7a8394';

/** @returns start and end of each measured time */
function measuredTimes(points: readonly Point[]): (readonly [number, number])[] {
  const spans: [number, number][] = [];
  points.forEach(({ phase, at, seconds }, i) => {
    if (phase !== 'measured') return;
    const before = points[i - 1];
    if (before?.phase === 'measured') spans.at(-1)![1] = at;
    else spans.push([at - seconds, at]);
  });
  return spans;
}

export function chartsOf(points: readonly Point[]): Chart[] {
  const times = points.map(({ at }) => at);
  const shaded = measuredTimes(points);
  const line = (name: string, colour: string, of: (point: Point) => number | null): Line => ({
    name,
    colour,
    values: points.map((point) => of(point) ?? Number.NaN),
  });
  const summary = (of: (point: Point) => Point['calls']): Line[] => [
    line('p50', GREEN, (point) => of(point).p50),
    line('p90', BLUE, (point) => of(point).p90),
    line('p99', ORANGE, (point) => of(point).p99),
    line('max', RED, (point) => of(point).max),
  ];
  const common = { times, shaded };
  const charts: Chart[] = [
    {
      ...common,
      title: 'Latency of calls, from the intended time',
      unit: 'ms',
      logarithmic: true,
      lines: summary(({ calls }) => calls),
    },
    {
      ...common,
      title: 'Latency of deliveries, from the intended time',
      unit: 'ms',
      logarithmic: true,
      lines: summary(({ delivery }) => delivery),
    },
    {
      ...common,
      title: 'Throughput',
      unit: 'per s',
      lines: [
        line('calls', BLUE, ({ requests }) => requests),
        line('deliveries', GREEN, ({ deliveries }) => deliveries),
        line('messages sent', ORANGE, ({ messages }) => messages),
      ],
    },
    {
      ...common,
      title: 'Clients',
      unit: '',
      lines: [line('with a queue', GREY, ({ clients }) => clients), line('waiting polls', BLUE, ({ held }) => held)],
    },
    {
      ...common,
      title: 'CPU',
      unit: '% of a core',
      lines: [
        line('server', BLUE, ({ serverCpu }) => (serverCpu === null ? null : serverCpu * 100)),
        line('busiest harness process', ORANGE, ({ harnessCpu }) => harnessCpu * 100),
        line('whole machine, % of all cores', GREY, ({ machineCpu }) => machineCpu * 100),
      ],
    },
    {
      ...common,
      title: 'Memory',
      unit: 'MiB',
      lines: [
        line('server', BLUE, ({ serverMib }) => serverMib),
        line('harness', ORANGE, ({ harnessMib }) => harnessMib),
      ],
    },
    {
      ...common,
      title: 'Errors',
      unit: 'per s',
      lines: [line('all', RED, ({ errors }) => errors), line('rate limits (429)', ORANGE, ({ limited }) => limited)],
    },
  ];
  return charts;
}

function stepsSection({ capacity }: Outcome): string {
  if (!capacity) return '';
  const head = ['users', 'mean of calls', 'p99', 'mean of deliveries', 'p99', 'errors %', 'load', 'broken thresholds'];
  const rows = capacity.steps.map(({ users, callMean, callP99, deliveryMean, deliveryP99, errors, facts, broke }) => {
    const times = [callMean, callP99, deliveryMean, deliveryP99].map((ms) => ms.toFixed(1));
    return [String(users), ...times, errors.toFixed(3), facts, broke.join('; ')];
  });
  return `<h2>Steps</h2>${htmlTable(rows, head)}`;
}

const formatIfKnown = (value: number | undefined, digits: number): string => value?.toFixed(digits) ?? '';

function adviceSection({ next }: Outcome): string {
  if (!next) return '';
  const head = ['process', 'CPU, % of a core', 'memory, MiB', 'late timers, ms'];
  const rows = next.processes.map(({ name, cpu, memoryMib, lateMs }) => [
    ...[name, formatIfKnown(cpu === undefined ? undefined : 100 * cpu, 0), formatIfKnown(memoryMib, 0)],
    formatIfKnown(lateMs, 1),
  ]);
  const table = rows.length === 0 ? '' : htmlTable(rows, head);
  const items = adviceText(next).map((line) => `<li>${escapeHtml(line)}</li>`);
  return `<h2>${escapeHtml(adviceTitle(next))}</h2><ul>${items.join('')}</ul>${table}\n`;
}

/** Whether the charts show a point. The deletion of all queues at the end would dwarf the other values. */
const isShown = ({ phase, clients }: Point): boolean => phase !== 'end' || clients > 0;

export function reportPageOf(outcome: Outcome, facts: RunFacts, comparison?: Comparison): string {
  const rows = rowsOf(outcome);
  const sums = rows.length - 2;
  const sentences = findings(outcome).map((sentence) => {
    const kind = sentence.startsWith('!')
      ? ' class="warning"'
      : sentence.startsWith('capacity')
        ? ' class="capacity"'
        : '';
    return `<p${kind}>${escapeHtml(sentence)}</p>`;
  });
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Load report</title><style>${STYLE}</style></head>
<body><h1>Load report</h1>
<p class="facts">${escapeHtml(facts.site)}: ${escapeHtml(facts.summary)}</p>
<p class="facts">${escapeHtml(facts.machine)}; ${escapeHtml(facts.when)}</p>
<h2>Findings</h2>${sentences.join('\n')}
${adviceSection(outcome)}${comparison ? comparisonHtml(comparison) : ''}
${stepsSection(outcome)}<h2>Over time</h2><p class="facts">Shaded: the measured time.</p>
${chartsOf(outcome.points.filter(isShown)).map(drawChart).join('\n')}
<h2>Operations</h2>${htmlTable(rows.map(cellsOf), HEADINGS, (row) => row >= sums)}
</body></html>
`;
}
