/**
 * Results of a benchmark: the values of all runs of Conclave, and their ceilings. A ceiling is the value of a bare
 * program, which does the minimum of the same work and is measured by turns with Conclave.
 */

/** Values of one bare program. */
export interface BareValues {
  readonly name: string;
  readonly values: readonly number[];
}

export interface Figure {
  /** Id for goals and the history, as `case/variant/face/measure`. */
  readonly id: string;
  readonly name: string;
  readonly unit: string;
  /** Values of Conclave, one for each run. */
  readonly ours: readonly number[];
  /** Bare programs to compare with; the ratio of a goal uses the first. */
  readonly bare: readonly BareValues[];
  /** Reason why the figure has no values; empty if it has. */
  readonly note: string;
}

export const BARE_HTTP = 'bare uWebSockets.js';

export const makeFigure = (
  id: string,
  name: string,
  unit: string,
  ours: readonly number[],
  bare: readonly BareValues[] = [],
): Figure => ({ id, name, unit, ours, bare: bare.filter(({ values }) => values.length > 0), note: '' });

export const makeUnmeasuredFigure = (name: string, note: string): Figure => ({
  id: '',
  name,
  unit: '',
  ours: [],
  bare: [],
  note,
});

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** @returns Conclave's median divided by the median of a bare program; NaN without values */
export const ratioOfMedians = ({ ours }: Figure, { values }: BareValues): number => median(ours) / median(values);
