/** Comparison of two runs as text for the terminal and as HTML for the report. */
import type { ComparedMeasure, ComparedRow, Comparison } from './comparison.js';
import { escapeHtml, htmlTable } from './html-parts.js';
import { alignColumns, formatMs, formatRate } from './report.js';

/** @returns a change like " +12 %"; empty if `before` is 0 */
function changeText(before: number, after: number): string {
  if (before === 0) return '';
  const percent = 100 * (after / before - 1);
  const shown = Math.abs(percent) >= 9.95 ? percent.toFixed(0) : percent.toFixed(1);
  return ` ${percent > 0 ? '+' : ''}${Number(shown) === 0 ? '0' : shown} %`;
}

const pair = (before: number, after: number, shown: (value: number) => string): string =>
  `${shown(before)} → ${shown(after)}${changeText(before, after)}`;

const rowCells = ({ name, perSecond, times, errors }: ComparedRow): string[] => [
  name,
  pair(...perSecond, formatRate),
  ...times.map(([, before, after]) => pair(before, after, formatMs)),
  errors[0] + errors[1] === 0 ? '' : `${errors[0]} → ${errors[1]}`,
];

const rowHead = (rows: readonly ComparedRow[]): string[] => [
  'before → after',
  'per s',
  ...(rows[0]?.times.map(([name]) => `${name}, ms`) ?? []),
  'errors',
];

const shownFigure = (value: number | undefined, unit: string): string => {
  if (value === undefined) return '-';
  if (unit === '' || unit === 'users') return value.toLocaleString('en-US');
  return unit === 'ms' ? formatMs(value) : formatRate(value);
};

const measureCells = ({ name, unit, before, after, words }: ComparedMeasure): string[] => [
  unit === '' ? name : `${name}, ${unit}`,
  `${shownFigure(before, unit)} → ${shownFigure(after, unit)}`,
  words,
];

/** @returns the sentences above and below the tables */
function sentencesOf({ earlier, notes, of, doubts, verdict }: Comparison): {
  readonly heading: readonly string[];
  readonly result: readonly string[];
} {
  return {
    heading: [
      `compared with ${earlier.site}: ${earlier.summary} (${earlier.when}); ${of}`,
      ...notes.map((note) => `changed: ${note}`),
    ],
    result: [`comparison: ${verdict}`, ...doubts.map((doubt) => `! ${doubt}`)],
  };
}

export function comparisonText(comparison: Comparison): string {
  const { rows, measures } = comparison;
  const { heading, result } = sentencesOf(comparison);
  return [
    ...heading,
    ...(rows.length === 0 ? [] : ['', ...alignColumns([rowHead(rows), ...rows.map(rowCells)])]),
    '',
    ...alignColumns(measures.map(measureCells), 'left'),
    '',
    ...result,
  ].join('\n');
}

export function comparisonHtml(comparison: Comparison): string {
  const { rows, measures } = comparison;
  const { heading, result } = sentencesOf(comparison);
  const paragraph = (text: string, kind: string): string => `<p class="${kind}">${escapeHtml(text)}</p>`;
  return [
    '<h2>Comparison</h2>',
    ...heading.map((text) => paragraph(text, 'facts')),
    ...result.map((text) => paragraph(text, text.startsWith('!') ? 'warning' : 'capacity')),
    htmlTable(measures.map(measureCells)),
    ...(rows.length === 0 ? [] : [htmlTable(rows.map(rowCells), rowHead(rows))]),
  ].join('\n');
}
