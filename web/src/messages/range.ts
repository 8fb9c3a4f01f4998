/** Where a message is put on screen; a number is its distance from the top in pixels. */
export type MessageScrollPlacement = 'top' | 'center' | 'nearest' | number;

/** A message and its place on screen. */
export interface MessagePlacement {
  readonly id: number;
  readonly where: MessageScrollPlacement;
}

/** Scroll position of the first render. */
export interface FirstPlacement extends MessagePlacement {
  /** Height of the list. */
  readonly viewPx: number;
  /** Whether the visible rows are rendered in several tasks. */
  readonly isInParts: boolean;
}

/** The end of the list, at the bottom of the screen. */
export const AT_LIST_END = Number.NEGATIVE_INFINITY;

/** Pixels of the screen above a row that is placed there, and from its upper edge to the bottom. */
function getFreeSpace(where: MessageScrollPlacement, screenPx: number): readonly [abovePx: number, belowPx: number] {
  if (where === AT_LIST_END) return [screenPx, 0];
  if (where === 'top') return [0, screenPx];
  if (where === 'center') return [screenPx / 2, screenPx / 2];
  // A row that begins above the screen may have all of it below. The nearest place may be at either edge.
  if (where === 'nearest' || where < 0) return [screenPx, screenPx];
  return [where, Math.max(0, screenPx - where)];
}

/** Indexes of the first and the last one. */
export type RowRange = readonly [start: number, end: number];

/** The rows of the list, and the height of the screen. */
interface RowsToFillScreen {
  readonly count: number;
  readonly screenPx: number;
  readonly heightOf: (index: number) => number;
}

/**
 * The rows that fill the screen when the one at `index` is placed there. Where the list ends on one side, rows of the
 * other side fill the rest.
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

/** Limits a range to `max` rows around the one at `index`. A range without that row is not limited. */
export function limitRowsAround(index: number, range: RowRange, max: number): RowRange {
  const [start, end] = range;
  if (index < start || index > end || end - start < max) return range;
  const first = Math.min(Math.max(start, index - Math.floor(max / 2)), end - max + 1);
  return [first, first + max - 1];
}

interface RowsOffScreen {
  /** Rows to render on each side. */
  readonly added: number;
  /** Rows on each side that are kept if the last render had them; more than `added`. */
  readonly kept: number;
  readonly count: number;
}

/**
 * The rows to render: the visible ones and some on each side. Rows of the last render are kept while they are near the
 * screen, since they would soon be rendered again.
 * @param rendered range of the last render; negative indexes: none
 */
export function addRowsAround(
  [start, end]: RowRange,
  rendered: RowRange,
  { added, kept, count }: RowsOffScreen,
): RowRange {
  const [first, last] = rendered;
  const touches = first >= 0 && first <= end && last >= start;
  return [
    Math.max(0, Math.min(start - added, touches ? Math.max(first, start - kept) : start)),
    Math.min(count - 1, Math.max(end + added, touches ? Math.min(last, end + kept) : end)),
  ];
}
