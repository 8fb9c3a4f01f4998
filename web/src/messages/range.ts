/** Where a message is put on screen; a number is its distance from the top in pixels. */
export type MessageScrollPlacement = 'top' | 'center' | 'nearest' | number;

/** A message and its place on screen. */
export interface MessagePlacement {
  readonly id: number;
  readonly where: MessageScrollPlacement;
}

/** Where a list is first rendered. */
export interface FirstPlacement extends MessagePlacement {
  /** Height of the view that the list is about to fill. */
  readonly viewPx: number;
  /** The rows on screen come in several tasks. */
  readonly isInParts: boolean;
}

/** The end of the list, at the bottom of the screen. */
export const AT_LIST_END = Number.NEGATIVE_INFINITY;

/** Free space on screen above a row that is put there, and below its upper edge. */
function getFreeSpace(where: MessageScrollPlacement, screenPx: number): readonly [abovePx: number, belowPx: number] {
  if (where === AT_LIST_END) return [screenPx, 0];
  if (where === 'top') return [0, screenPx];
  if (where === 'center') return [screenPx / 2, screenPx / 2];
  // A place above the screen has the whole screen below it. The nearest place may be at either edge.
  if (where === 'nearest' || where < 0) return [screenPx, screenPx];
  return [where, Math.max(0, screenPx - where)];
}

/** Indexes of the first and the last one. */
export type RowRange = readonly [start: number, end: number];

/** Rows, and the screen that they are to fill. */
interface RowsToFillScreen {
  readonly count: number;
  readonly screenPx: number;
  readonly heightOf: (index: number) => number;
}

/**
 * The rows that fill the screen around one of them. Space that the rows on one side leave at the end of the list is
 * filled from the other side.
 */
export function findRowsAround(
  index: number,
  where: MessageScrollPlacement,
  { count, screenPx, heightOf }: RowsToFillScreen,
): RowRange {
  let [abovePx, belowPx] = getFreeSpace(where, screenPx);
  let [start, end] = [index, index];
  belowPx -= heightOf(index);
  const fillBelow = () => {
    while (end < count - 1 && belowPx > 0) belowPx -= heightOf(++end);
  };
  fillBelow();
  abovePx += Math.max(0, belowPx);
  while (start > 0 && abovePx > 0) abovePx -= heightOf(--start);
  belowPx += Math.max(0, abovePx);
  fillBelow();
  return [start, end];
}

/** At most `max` of the rows: those around one of them, or all if that one is not among them. */
export function limitRowsAround(index: number, range: RowRange, max: number): RowRange {
  const [start, end] = range;
  if (index < start || index > end || end - start < max) return range;
  const first = Math.min(Math.max(start, index - Math.floor(max / 2)), end - max + 1);
  return [first, first + max - 1];
}

interface RowsOffScreen {
  /** Rows on each side that are rendered in any case. */
  readonly added: number;
  /** Rows on each side that stay if they were rendered: more than `added`. */
  readonly kept: number;
  readonly count: number;
}

/**
 * The rows to render: those on screen and some on each side. A row that was rendered, such as one for a guess that was
 * too large, stays until it is far from the screen, since it is likely to be rendered again soon.
 * @param rendered of the last time; a negative index: not known
 */
export function addRowsAround(
  [start, end]: RowRange,
  [first, last]: RowRange,
  { added, kept, count }: RowsOffScreen,
): RowRange {
  const touches = first >= 0 && first <= end && last >= start;
  return [
    Math.max(0, Math.min(start - added, touches ? Math.max(first, start - kept) : start)),
    Math.min(count - 1, Math.max(end + added, touches ? Math.min(last, end + kept) : end)),
  ];
}
