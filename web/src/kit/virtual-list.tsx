import type { ComponentChild } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';

/** Rows rendered above and below the visible ones. */
const OVERSCAN_ROWS = 8;

/** Index of the row at the offset `y`. @param edges see computeRowEdges */
function findRowIndexAt(edges: readonly number[], y: number): number {
  let [low, high] = [0, Math.max(0, edges.length - 2)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (edges[middle]! <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Offsets of the rows from the top in pixels, and at the end their total height. */
function computeRowEdges(heights: readonly number[]): number[] {
  const edges = [0];
  for (const height of heights) edges.push(edges.at(-1)! + height);
  return edges;
}

/**
 * Indexes of the first and the last visible row. The component renders again when others become visible. The height of
 * the list is read after the browser has laid it out, since reading it while rendering would force a layout; until then
 * it is taken to be as high as the window.
 * @returns the indexes, and `update` to be called after a scroll by script
 */
function useVisibleRowRange(scroller: { readonly current: HTMLElement | null }, edges: readonly number[]) {
  const [, again] = useReducer((n: number, _: undefined) => n + 1, 0);
  const view = useRef({ scrollTop: 0, clientHeight: innerHeight });
  const range = (): readonly [number, number] => {
    const { scrollTop, clientHeight } = view.current;
    return [findRowIndexAt(edges, scrollTop), findRowIndexAt(edges, scrollTop + clientHeight)];
  };
  const shown = useRef<readonly [number, number]>([0, 0]);
  shown.current = range();
  const update = (): void => {
    const { scrollTop, clientHeight } = scroller.current!;
    view.current = { scrollTop, clientHeight };
    const [first, last] = range();
    if (first !== shown.current[0] || last > shown.current[1]) again(undefined);
  };
  useLayoutEffect(() => {
    const element = scroller.current!;
    const observer = new ResizeObserver(update);
    observer.observe(element);
    element.addEventListener('scroll', update, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', update);
    };
  }, [edges]);
  return { range: shown.current, update };
}

/** Attributes for the link or button of a row, which takes the focus. */
export interface RowFocusAttributes {
  readonly 'data-row': '';
  readonly tabIndex: 0 | -1;
}

interface VirtualListProps<T> {
  readonly items: readonly T[];
  readonly getItemKey: (item: T) => string | number;
  /** Height of a row in pixels; fixed, so that nothing moves while scrolling. */
  readonly getItemHeightPx: (item: T) => number;
  /** Whether arrow keys stop at the item. They skip headings, which have buttons of their own. */
  readonly canFocus?: ((item: T) => boolean) | undefined;
  /** Key of the row to keep in view. The list scrolls to it whenever the key changes. */
  readonly shownKey?: string | number | undefined;
  readonly label: string;
  readonly class?: string | undefined;
  /**
   * Values besides the item that `children` reads, and values of signals. If they are given, a row is rendered again
   * only when its item or one of them changes; otherwise each row is rendered with the list.
   */
  readonly rowDependencies?: readonly unknown[];
  readonly children: (item: T, row: RowFocusAttributes) => ComponentChild;
}

interface RowContentProps<T> {
  readonly item: T;
  readonly isTabStop: boolean;
  readonly dependencies: readonly unknown[] | undefined;
  readonly render: (item: T, row: RowFocusAttributes) => ComponentChild;
}

/** Content of a row. Preact skips a node that is the same object as before. */
function RowContent<T>({ item, isTabStop, dependencies, render }: RowContentProps<T>) {
  const make = (): ComponentChild => render(item, { 'data-row': '', tabIndex: isTabStop ? 0 : -1 });
  return <>{useMemo(make, dependencies && [item, isTabStop, ...dependencies])}</>;
}

/**
 * A list of any length whose rows have known heights. Some 30 rows are in the document, the focused one even when it is
 * scrolled out of sight. Tab reaches one row; arrow keys, Home and End move the focus. (Rows of unknown heights, such
 * as messages, need @tanstack/virtual-core, which is larger than the whole kit.)
 */
export function VirtualList<T>(props: VirtualListProps<T>) {
  const { items, getItemKey, getItemHeightPx, canFocus = () => true, label, rowDependencies, children } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState<string | number>();
  const wanted = useRef<string | number>(undefined);
  const found = current === undefined ? -1 : items.findIndex((item) => getItemKey(item) === current);
  const tabbed = found >= 0 ? found : items.findIndex(canFocus);
  const heights = items.map(getItemHeightPx);
  const edges = useMemo(() => computeRowEdges(heights), [heights.join()]);
  const {
    range: [first, last],
    update,
  } = useVisibleRowRange(scroller, edges);
  const rows: number[] = [];
  for (let at = Math.max(0, first - OVERSCAN_ROWS); at <= last + OVERSCAN_ROWS && at < items.length; at++)
    rows.push(at);
  if (found >= 0 && found < rows[0]!) rows.unshift(found);
  else if (found > rows.at(-1)!) rows.push(found);
  const reveal = (at: number): void => {
    const element = scroller.current!;
    const [top, bottom] = [edges[at]!, edges[at + 1]!];
    if (top < element.scrollTop) element.scrollTop = top;
    else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight;
    update();
  };
  useEffect(() => {
    const at = items.findIndex((item) => getItemKey(item) === props.shownKey);
    if (at >= 0) reveal(at);
  }, [props.shownKey]);
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    const row = scroller.current?.querySelector<HTMLElement>(
      `[data-key="${CSS.escape(`${wanted.current}`)}"] [data-row]`,
    );
    if (!row) return;
    wanted.current = undefined;
    row.focus({ preventScroll: true });
  });
  const moveTo = (from: number, step: 1 | -1): boolean => {
    for (let at = from; at >= 0 && at < items.length; at += step) {
      if (!canFocus(items[at]!)) continue;
      wanted.current = getItemKey(items[at]!);
      setCurrent(wanted.current);
      reveal(at);
      return true;
    }
    return false;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const own = (event.target as Element).closest<HTMLElement>('[data-index]');
    if (!own || event.ctrlKey || event.altKey || event.metaKey) return;
    const at = Number(own.dataset.index);
    const moved =
      (event.key === 'ArrowDown' && moveTo(at + 1, 1)) ||
      (event.key === 'ArrowUp' && moveTo(at - 1, -1)) ||
      (event.key === 'Home' && moveTo(0, 1)) ||
      (event.key === 'End' && moveTo(items.length - 1, -1));
    if (moved) event.preventDefault();
  };
  return (
    <div ref={scroller} class={`scroller ${props.class ?? ''}`} data-virtual-list="">
      <ul
        class="virtual"
        aria-label={label}
        style={{ height: `${edges.at(-1)}px` }}
        onKeyDown={onKeyDown}
        onFocusIn={(event) => {
          const key =
            event.target instanceof Element && event.target.closest<HTMLElement>('[data-index]')?.dataset.index;
          const item = key ? items[Number(key)] : undefined;
          if (item) setCurrent(getItemKey(item));
        }}
      >
        {rows.map((index) => {
          const item = items[index]!;
          const key = getItemKey(item);
          return (
            <li
              key={key}
              data-key={key}
              data-index={index}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${edges[index]}px)`, height: `${heights[index]}px` }}
            >
              <RowContent item={item} isTabStop={index === tabbed} dependencies={rowDependencies} render={children} />
            </li>
          );
        })}
      </ul>
    </div>
  );
}
