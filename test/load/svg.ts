/** Line charts as SVG text. */
import { escapeHtml } from './html-parts.js';

export interface Line {
  readonly name: string;
  readonly colour: string;
  /** Values by time; NaN makes a gap. */
  readonly values: readonly number[];
}

export interface Chart {
  readonly title: string;
  readonly unit: string;
  /** Time of each value, s. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  readonly logarithmic?: boolean;
  /** Start and end of each shaded time, s. */
  readonly shaded?: readonly (readonly [number, number])[];
}

const WIDTH = 900;
const HEIGHT = 240;
const LEFT = 64;
const RIGHT = 12;
const TOP = 34;
const BOTTOM = 26;
/** Largest number of points per line: one per unit of width. */
const MAX_POINTS = 900;

const formatTick = (value: number): string => {
  if (value >= 1_000_000) return `${Number((value / 1_000_000).toPrecision(3))}M`;
  if (value >= 10_000) return `${Number((value / 1_000).toPrecision(3))}k`;
  return String(Number(value.toPrecision(3)));
};

/** @returns round values from 0 to just above the largest value */
export function ticks(most: number): number[] {
  if (!(most > 0)) return [0, 1];
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((size) => size >= rough)!;
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, i) => Number((i * step).toPrecision(6)));
}

/** @returns the powers of ten from below the smallest to above the largest value */
export function powersOfTen(least: number, most: number): number[] {
  const from = Math.floor(Math.log10(Math.max(least, 1e-3)));
  const to = Math.max(from + 1, Math.ceil(Math.log10(Math.max(most, 1e-3))));
  return Array.from({ length: to - from + 1 }, (_, i) => Number((10 ** (from + i)).toPrecision(3)));
}

const round = (n: number): string => String(Math.round(n * 10) / 10);

/** Reduces values to the largest one of each group of neighbours, so that peaks stay visible. */
function reduceToPeaks(values: readonly number[], group: number): number[] {
  if (group <= 1) return [...values];
  return Array.from({ length: Math.ceil(values.length / group) }, (_, i) => {
    const known = values.slice(i * group, (i + 1) * group).filter((value) => !Number.isNaN(value));
    return known.length === 0 ? Number.NaN : Math.max(...known);
  });
}

export function drawChart({ title, unit, times, lines, logarithmic = false, shaded = [] }: Chart): string {
  const heading = unit === '' ? title : `${title}, ${unit}`;
  const usable = (value: number): boolean => Number.isFinite(value) && (!logarithmic || value > 0);
  const all = lines.flatMap(({ values }) => values.filter(usable));
  const most = all.reduce((a, b) => Math.max(a, b), 0);
  const least = all.reduce((a, b) => Math.min(a, b), most);
  const marks = logarithmic ? powersOfTen(least, most) : ticks(most);
  const scale = (value: number): number => (logarithmic ? Math.log10(value) : value);
  const [low, high] = [scale(marks[0]!), scale(marks.at(-1)!)];
  const [first, last] = [times[0] ?? 0, Math.max((times[0] ?? 0) + 1, times.at(-1) ?? 1)];
  const x = (time: number): number => LEFT + ((time - first) / (last - first)) * (WIDTH - LEFT - RIGHT);
  const y = (value: number): number =>
    HEIGHT - BOTTOM - ((scale(value) - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const group = Math.ceil(times.length / MAX_POINTS);
  const at = times.filter((_, i) => i % group === 0);
  const parts: string[] = [];
  for (const [from, to] of shaded) {
    const [start, end] = [x(Math.max(from, first)), x(Math.min(to, last))];
    parts.push(
      `<rect class="shade" x="${round(start)}" y="${TOP}" width="${round(Math.max(0, end - start))}" height="${HEIGHT - TOP - BOTTOM}"/>`,
    );
  }
  for (const mark of marks) {
    const height = round(y(mark));
    parts.push(`<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${height}" y2="${height}"/>`);
    parts.push(
      `<text class="tick" x="${LEFT - 6}" y="${round(y(mark) + 4)}" text-anchor="end">${formatTick(mark)}</text>`,
    );
  }
  for (const mark of ticks(last).filter((time) => time >= first && time <= last)) {
    parts.push(
      `<text class="tick" x="${round(x(mark))}" y="${HEIGHT - 8}" text-anchor="middle">${formatTick(mark)} s</text>`,
    );
  }
  for (const { colour, values } of lines)
    parts.push(`<path d="${pathOf(at, reduceToPeaks(values, group))}" stroke="${colour}"/>`);
  let legend = LEFT + 8 * heading.length + 30;
  for (const { name, colour } of lines) {
    parts.push(`<rect x="${legend}" y="10" width="12" height="4" fill="${colour}"/>`);
    parts.push(`<text class="legend" x="${legend + 16}" y="16">${escapeHtml(name)}</text>`);
    legend += 34 + 7 * name.length;
  }
  return (
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeHtml(title)}">` +
    `<text class="title" x="${LEFT}" y="17">${escapeHtml(heading)}</text>${parts.join('')}</svg>`
  );

  function pathOf(moments: readonly number[], values: readonly number[]): string {
    let path = '';
    let gap = true;
    values.forEach((value, i) => {
      if (!usable(value)) gap = true;
      else {
        path += `${gap ? 'M' : 'L'}${round(x(moments[i]!))} ${round(y(value))}`;
        gap = false;
      }
    });
    return path;
  }
}
